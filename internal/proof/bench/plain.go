package bench

// plain is a resource that is made, listed, edited, archived and restored at the usual addresses, and nothing else. The kit carries
// out its requests as it does those of customers, which are measured; it adds its rows to the large database.
type plain struct {
	path string // "/expenses"
	// fill fills its tables with a past: see fill.sql.
	fill string
}

// plains are all plain resources.
func plains() []plain {
	return []plain{
		// New plain resources are added above this line.
	}
}

package proxy

// Point is where an exchange is cut.
type Point int

// The points of an exchange.
const (
	Nowhere       Point = iota
	BeforeRequest       // the server never hears of it
	InsideRequest       // the server hears the beginning only
	BeforeAnswer        // the server has done its work and answered, the client never learns
	InsideAnswer        // the client learns the beginning only
)

// Points lists them, in the order in which an exchange passes them.
func Points() []Point { return []Point{BeforeRequest, InsideRequest, BeforeAnswer, InsideAnswer} }

func (p Point) String() string {
	return [...]string{"nowhere", "before the request", "inside the request", "before the answer", "inside the answer"}[p]
}

// Cut ends one connection with a reset.
type Cut struct {
	Point Point
	// Saying is a text: the cut is of the first exchange that begins with a message of the client that has it, ignoring case.
	// With "" it is of the next one.
	Saying string
	// Share is how much of the message passes when the cut is inside of it, from 0 to 1.
	Share float64
}

// part returns how many of n bytes pass: at least one if there are two, never all.
func (c Cut) part(n int) int {
	return min(max(1, int(c.Share*float64(n))), n-1)
}

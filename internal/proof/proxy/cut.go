package proxy

// Point is a point of an exchange at which it can be cut.
type Point int

// The points of an exchange.
const (
	Nowhere       Point = iota
	BeforeRequest       // the request does not reach the server
	InsideRequest       // the server receives only the beginning
	BeforeAnswer        // the server has answered, and the client gets nothing
	InsideAnswer        // the client receives only the beginning
)

// Points returns all points, in the order in which an exchange passes them.
func Points() []Point { return []Point{BeforeRequest, InsideRequest, BeforeAnswer, InsideAnswer} }

func (p Point) String() string {
	return [...]string{"nowhere", "before the request", "inside the request", "before the answer", "inside the answer"}[p]
}

// Cut resets one connection.
type Cut struct {
	Point Point
	// Saying selects the exchange: the first whose message from the client contains this text, ignoring case. "" selects the next
	// one.
	Saying string
	// Share is the fraction of the message that passes if the cut is inside it, from 0 to 1.
	Share float64
}

// part returns the number of bytes, out of n, that pass: at least one if there are two, never all.
func (c Cut) part(n int) int {
	return min(max(1, int(c.Share*float64(n))), n-1)
}

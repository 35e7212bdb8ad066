package labviews

import "strconv"

// A picture of lanes is as wide as there is room: places from left to right are in percent, those from top to bottom in
// pixels, so that nothing in it is squeezed on a narrow screen.

// manyLanes is from how many lanes on they are thin, and without words.
const manyLanes = 13

// labLanes is the geometry of one side.
type labLanes struct {
	side Side
	thin bool
}

func newLabLanes(side Side) labLanes { return labLanes{side, len(side.Lanes) >= manyLanes} }

// pitch is from one lane to the next, in pixels.
func (l labLanes) pitch() int {
	if l.thin {
		return 8
	}
	return 46
}

func (l labLanes) height() string { return strconv.Itoa(l.pitch()*len(l.side.Lanes) + 8) }

// y is the line of lane i.
func (l labLanes) y(i int) int {
	if l.thin {
		return i*l.pitch() + 8
	}
	return i*l.pitch() + 34
}

// columns are where lanes begin, the gates, and the rows.
func (l labLanes) columns() int { return len(l.side.Gates) + 2 }

// at is the middle of a column, in percent.
func (l labLanes) at(column int) float64 { return (float64(column) + .5) * 100 / float64(l.columns()) }

func (l labLanes) gate(i int) string { return percent(l.at(i + 1)) }
func (l labLanes) start() string     { return percent(l.at(0)) }

// end is how far a lane got.
func (l labLanes) end(lane Lane) float64 {
	reached := l.at(0)
	if n := len(lane.Gates); n > 0 {
		reached = l.at(lane.Gates[n-1] + 1)
	}
	switch lane.End {
	case Made:
		return l.at(l.columns() - 1)
	case Lost: // behind the last gate that it met
		return reached + 50/float64(l.columns())
	case Stopped, Running:
	}
	return reached
}

// passed are the gates that a lane went through.
func (l labLanes) passed(lane Lane) []int {
	if lane.End == Stopped && len(lane.Gates) > 0 {
		return lane.Gates[:len(lane.Gates)-1]
	}
	return lane.Gates
}

func percent(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) + "%" }

// says is the picture in a sentence.
func (l labLanes) says() string {
	return l.side.Title + ": " + l.side.Attempts + ", " + l.side.Things + ". " + l.side.Why
}

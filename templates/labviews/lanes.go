package labviews

import "strconv"

// A picture of lanes is as wide as the page: horizontal positions are in percent, vertical ones in pixels, so that it is not distorted
// on a narrow screen.

// manyLanes is the number of lanes from which on they are thin and have no text.
const manyLanes = 13

// labLanes has the geometry of a side.
type labLanes struct {
	side Side
	thin bool
}

func newLabLanes(side Side) labLanes { return labLanes{side, len(side.Lanes) >= manyLanes} }

// pitch returns the distance between lanes, in pixels.
func (l labLanes) pitch() int {
	if l.thin {
		return 8
	}
	return 46
}

func (l labLanes) height() string { return strconv.Itoa(l.pitch()*len(l.side.Lanes) + 8) }

// y returns the vertical position of lane i.
func (l labLanes) y(i int) int {
	if l.thin {
		return i*l.pitch() + 8
	}
	return i*l.pitch() + 34
}

// columns returns the number of columns: the start, the gates, and the rows.
func (l labLanes) columns() int { return len(l.side.Gates) + 2 }

// at returns the middle of a column, in percent.
func (l labLanes) at(column int) float64 { return (float64(column) + .5) * 100 / float64(l.columns()) }

func (l labLanes) gate(i int) string { return percent(l.at(i + 1)) }
func (l labLanes) start() string     { return percent(l.at(0)) }

// end returns the end of a lane, in percent.
func (l labLanes) end(lane Lane) float64 {
	reached := l.at(0)
	if n := len(lane.Gates); n > 0 {
		reached = l.at(lane.Gates[n-1] + 1)
	}
	switch lane.End {
	case Made:
		return l.at(l.columns() - 1)
	case Lost: // after the last gate that it reached
		return reached + 50/float64(l.columns())
	case Stopped, Running:
	}
	return reached
}

// passed returns the gates that a lane passed.
func (l labLanes) passed(lane Lane) []int {
	if lane.End == Stopped && len(lane.Gates) > 0 {
		return lane.Gates[:len(lane.Gates)-1]
	}
	return lane.Gates
}

func percent(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) + "%" }

// description returns the picture in words.
func (l labLanes) description() string {
	return l.side.Title + ": " + l.side.Attempts + ", " + l.side.Things + ". " + l.side.Why
}

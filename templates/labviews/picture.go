package labviews

import (
	"strconv"

	"onlyonce/templates"
)

// The picture for sharing needs no style sheet: it includes its size and colours.

const (
	labWidth, labHeight = 1200, 630
	labMargin           = 64
	labLanesTop         = 300
	labLanesBottom      = 566
	labWidestPitch      = 42
)

// labPanel is a side in the picture for sharing.
type labPanel struct {
	labLanes

	left, width float64
}

// panels returns the sides, from left to right.
func (v Run) panels() (all []labPanel) {
	n := float64(len(v.Sides))
	width := (labWidth - 2*labMargin - (n-1)*labMargin) / n
	for i, side := range v.Sides {
		all = append(all, labPanel{newLabLanes(side), labMargin + float64(i)*(width+labMargin), width})
	}
	return all
}

// heading returns the first line of the picture: "Onlyonce: 50 attempts, 1 invoice".
func (v Run) heading() string {
	return templates.Product + ": " + v.Sides[0].Attempts + ", " + v.Sides[0].Things
}

// caption returns the picture in words.
func (v Run) caption() string {
	caption := v.heading()
	if n := len(v.Sides); n > 1 {
		last := v.Sides[n-1]
		caption += ". " + last.Title + ": " + last.Things
	}
	return caption
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

// x returns a horizontal position in a panel.
func (l labPanel) x(percent float64) string { return number(l.left + percent*l.width/100) }

func (l labPanel) right() string { return number(l.left + l.width) }

// step returns the distance between lanes.
func (l labPanel) step() float64 {
	return min(labWidestPitch, (labLanesBottom-labLanesTop)/float64(max(1, len(l.side.Lanes))))
}

func (l labPanel) line(i int) float64 { return labLanesTop + (float64(i)+.5)*l.step() }

func (l labPanel) bottom() string { return number(labLanesTop + float64(len(l.side.Lanes))*l.step()) }

// mark returns half the size of the mark at the end of a lane.
func (l labPanel) mark() float64 { return min(8, l.step()*.36) }

// colour returns the colour of a lane.
func (l Lane) colour() string {
	switch {
	case l.Extra:
		return "#a8201a"
	case l.End == Made:
		return "#1c6b3a"
	default:
		return "#5c6468"
	}
}

// ink returns the colour of the result.
func (l labPanel) ink() string {
	if l.side.Bad {
		return "#a8201a"
	}
	return "#1a1d1f"
}

func (g Gate) dashes() string {
	if g.Away {
		return "2 6"
	}
	return "none"
}

func (g Gate) decoration() string {
	if g.Away {
		return "line-through"
	}
	return "none"
}

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

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

package bench

import (
	"cmp"
	"slices"
)

// Spread is what several rounds gave for one figure.
type Spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

func spreadOf(rounds []float64) Spread {
	if len(rounds) == 0 {
		return Spread{}
	}
	sorted := slices.Sorted(slices.Values(rounds))
	n := len(sorted)
	return Spread{Median: (sorted[(n-1)/2] + sorted[n/2]) / 2, Min: sorted[0], Max: sorted[n-1]}
}

// Figure is one row of the table.
type Figure struct {
	Name string `json:"name"`
	Unit string `json:"unit"` // of Ours and Base
	Ours Spread `json:"ours"`

	// Baseline is what Ours is compared with; empty if it stands for itself.
	Baseline string `json:"baseline,omitempty"`
	Base     Spread `json:"base,omitzero"`
	Ratio    Spread `json:"ratio,omitzero"` // Ours / Base, round by round

	// AtLeast and AtMost are the target: of the ratio, or of Ours without a baseline. Zero is none.
	AtLeast float64 `json:"at_least,omitempty"`
	AtMost  float64 `json:"at_most,omitempty"`

	Note string `json:"note,omitempty"`
	// Commit is the one that was measured, if it is another one than that of the report.
	Commit string `json:"commit,omitempty"`
}

// judged is what the target is about.
func (f Figure) judged() Spread {
	if f.Baseline != "" {
		return f.Ratio
	}
	return f.Ours
}

// moreIsBetter: without a target, a rate should be high and everything else low.
func (f Figure) moreIsBetter() bool {
	return f.AtLeast > 0 || (f.AtMost == 0 && f.Unit == perSecond)
}

// Missed reports whether there is a target that the median does not meet.
func (f Figure) Missed() bool {
	value := f.judged().Median
	return (f.AtLeast > 0 && value < f.AtLeast) || (f.AtMost > 0 && value > f.AtMost)
}

// The units of figures.
const (
	perSecond = "/s"
	micros    = "µs"
	millis    = "ms"
	kilobytes = "KB" // 1,000 bytes
	megabytes = "MB" // 1,000,000 bytes
	count     = ""
)

// against makes the row that compares two measures taken in turns.
func against(name, unit string, ours []float64, baseline string, base []float64) Figure {
	var ratios []float64
	for i := range ours {
		ratios = append(ratios, ours[i]/base[i])
	}
	return Figure{
		Name: name, Unit: unit, Ours: spreadOf(ours),
		Baseline: baseline, Base: spreadOf(base), Ratio: spreadOf(ratios),
	}
}

// alone makes a row without a baseline.
func alone(name, unit string, rounds ...float64) Figure {
	return Figure{Name: name, Unit: unit, Ours: spreadOf(rounds)}
}

func (f Figure) atLeast(target float64) Figure { f.AtLeast = target; return f }
func (f Figure) atMost(target float64) Figure  { f.AtMost = target; return f }
func (f Figure) noting(note string) Figure     { f.Note = cmp.Or(note, f.Note); return f }

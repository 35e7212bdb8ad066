package bench

import (
	"fmt"
	"slices"
	"strings"
)

// Spread is the result of several rounds.
type Spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

func spreadOf(rounds []float64) Spread {
	sorted := slices.Sorted(slices.Values(rounds))
	n := len(sorted)
	return Spread{Median: (sorted[(n-1)/2] + sorted[n/2]) / 2, Min: sorted[0], Max: sorted[n-1]}
}

// The units of figures.
const (
	perSecond = "/s"
	millis    = "ms"
	kilobytes = "KB" // 1,000 bytes
	millions  = "M"
)

// Figure compares two measures that were taken in turns.
type Figure struct {
	Name     string `json:"name"`
	Unit     string `json:"unit"` // of Ours and Base
	Ours     Spread `json:"ours"`
	Baseline string `json:"baseline"`
	Base     Spread `json:"base"`
	Ratio    Spread `json:"ratio"` // Ours / Base, round by round

	// AtLeast and AtMost are the mark: a bound of the median ratio. Zero is none.
	AtLeast float64 `json:"at_least,omitempty"`
	AtMost  float64 `json:"at_most,omitempty"`
}

func against(name, unit string, ours []float64, baseline string, base []float64) Figure {
	var ratios []float64
	for i := range ours {
		ratios = append(ratios, ours[i]/base[i])
	}
	return Figure{Name: name, Unit: unit, Ours: spreadOf(ours), Baseline: baseline, Base: spreadOf(base), Ratio: spreadOf(ratios)}
}

func (f Figure) atLeast(mark float64) Figure { f.AtLeast = mark; return f }
func (f Figure) atMost(mark float64) Figure  { f.AtMost = mark; return f }

// Missed reports whether there is a mark that the median ratio does not meet.
func (f Figure) Missed() bool {
	return f.Ratio.Median < f.AtLeast || f.AtMost > 0 && f.Ratio.Median > f.AtMost
}

// row returns the figure as a row of the table. The last column is the ratio of an earlier run.
func (f Figure) row(before map[string]Figure) string {
	mark, earlier := "", ""
	switch {
	case f.AtLeast > 0:
		mark = fmt.Sprintf("≥ %g", f.AtLeast)
	case f.AtMost > 0:
		mark = fmt.Sprintf("≤ %g", f.AtMost)
	}
	if f.Missed() {
		mark += ", **missed**"
	}
	if then, ok := before[f.Name]; ok {
		earlier = fmt.Sprintf("%.2f", then.Ratio.Median)
	}
	return fmt.Sprintf("| %s | %s | %s: %s | %.2f (%.2f to %.2f) | %s | %s |", f.Name, amount(f.Ours.Median, f.Unit),
		f.Baseline, amount(f.Base.Median, f.Unit), f.Ratio.Median, f.Ratio.Min, f.Ratio.Max, mark, earlier)
}

// amount returns a value with at least three digits, and its unit.
func amount(v float64, unit string) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f %s", v, unit)
	case v >= 10:
		return fmt.Sprintf("%.1f %s", v, unit)
	default:
		return fmt.Sprintf("%.2f %s", v, unit)
	}
}

// table returns the figures as a Markdown table.
func table(figures []Figure, before map[string]Figure) string {
	var b strings.Builder
	b.WriteString("| figure | ours | baseline | ratio (least to most) | mark | before |\n|---|--:|---|---|---|--:|\n")
	for _, f := range figures {
		b.WriteString(f.row(before) + "\n")
	}
	return b.String()
}

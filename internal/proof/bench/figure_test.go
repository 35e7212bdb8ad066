package bench

import (
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// TestFigures checks that the ratio is taken round by round: its median is not the ratio of the medians.
func TestFigures(t *testing.T) {
	t.Parallel()
	f := against("create", perSecond, []float64{10, 40, 90}, "the floor", []float64{100, 100, 100})
	assert.Thatf(t, f.Ratio == (Spread{0.4, 0.1, 0.9}) && f.Ours.Median == 40 && f.Base.Median == 100, "%+v", f)
	if got := against("", "", []float64{3, 1}, "", []float64{1, 1}).Ratio; got != (Spread{2, 1, 3}) {
		t.Errorf("of two rounds: %+v", got)
	}
	for _, c := range []struct {
		figure Figure
		missed bool
		mark   string
	}{
		{f, false, ""},
		{f.atLeast(0.4), false, "≥ 0.4"},
		{f.atLeast(0.5), true, "≥ 0.5, **missed**"},
		{f.atMost(0.4), false, "≤ 0.4"},
		{f.atMost(0.3), true, "≤ 0.3, **missed**"},
	} {
		want := "| create | 40.0 /s | the floor: 100 /s | 0.40 (0.10 to 0.90) | " + c.mark + " | 0.50 |"
		before := map[string]Figure{"create": {Ratio: Spread{Median: 0.5}}}
		got := c.figure.row(before)
		assert.Thatf(t, got == want && c.figure.Missed() == c.missed, "%v, missed %t: %s", c.figure.Ratio, c.figure.Missed(), got)
		err := (Report{Figures: []Figure{c.figure}}).Missed()
		assert.Thatf(t, (err != nil) == c.missed, "%s: %v", c.mark, err)
	}
}

// TestKeep checks that the table has the ratios of the previous run, even if a run of a single part came between.
func TestKeep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	figure := func(name string, ours float64) Figure {
		return against(name, perSecond, []float64{ours}, "the floor", []float64{10})
	}
	must.OK(t, Report{Figures: []Figure{figure("a", 1), figure("b", 2)}}.Keep(dir))
	must.OK(t, Report{Figures: []Figure{figure("b", 3)}}.Keep(dir))
	table, err := Report{"a head", []Figure{figure("a", 4), figure("b", 4), figure("c", 4)}}.Table(dir)
	must.OK(t, err)
	for _, row := range []string{"a head\n\n| figure", "| a | 4.00 /s | the floor: 10.0 /s | 0.40 (0.40 to 0.40) |  | 0.10 |",
		"0.40 (0.40 to 0.40) |  | 0.30 |", "0.40 (0.40 to 0.40) |  |  |"} {
		assert.Thatf(t, strings.Contains(table, row), "no %q in\n%s", row, table)
	}
}

func TestUnknownPart(t *testing.T) {
	t.Parallel()
	_, err := Run(t.Context(), Options{Only: "none"})
	assert.Thatf(t, err != nil && strings.Contains(err.Error(), "create, replay, instructions"), "%v", err)
}

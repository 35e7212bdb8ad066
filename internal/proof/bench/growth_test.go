package bench

import (
	"strings"
	"testing"
)

func TestGrowthOfALaterRun(t *testing.T) {
	t.Parallel()
	old := Point{Of: ofLines, At: 200, P50: spreadOf([]float64{1}), P99: spreadOf([]float64{64})}
	fresh := old
	fresh.P99 = spreadOf([]float64{32})
	before := Report{Commit: "old", Growth: []Point{old}}
	if same := before.With(Report{Commit: "new"}); same.Growth[0] != old {
		t.Errorf("without a measurement: %+v", same.Growth)
	}
	now := before.With(Report{Commit: "new", Growth: []Point{fresh}})
	if p, ok := now.point(ofLines, 200); !ok || p.P99.Median != 32 || p.Commit != "new" {
		t.Errorf("%+v", now.Growth)
	}
	chart := now.loadChart()
	if !strings.Contains(chart, ">32.0</text>") || strings.Contains(chart, "NaN") || strings.Contains(chart, "Inf") {
		t.Error(chart)
	}
}

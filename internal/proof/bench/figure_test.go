package bench

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/proof/must"
)

func TestRatiosAreTakenTurnByTurn(t *testing.T) {
	t.Parallel()
	// The machine is half as fast in the second turn, for both.
	f := against("create", perSecond, []float64{100, 50, 90}, "floor", []float64{200, 100, 100})
	if want := (Spread{Median: 0.5, Min: 0.5, Max: 0.9}); f.Ratio != want {
		t.Errorf("ratio %+v, want %+v", f.Ratio, want)
	}
	if want := (Spread{Median: 90, Min: 50, Max: 100}); f.Ours != want {
		t.Errorf("ours %+v, want %+v", f.Ours, want)
	}
	if even := spreadOf([]float64{4, 1, 3, 2}).Median; even != 2.5 {
		t.Errorf("median of four is %v, want 2.5", even)
	}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		figure Figure
		missed bool
	}{
		"ratio high enough": {against("", perSecond, []float64{5}, "b", []float64{10}).atLeast(0.5), false},
		"ratio too low":     {against("", perSecond, []float64{4}, "b", []float64{10}).atLeast(0.5), true},
		"ratio too high":    {against("", millis, []float64{40}, "b", []float64{10}).atMost(3), true},
		"value too high":    {alone("", kilobytes, 13).atMost(12), true},
		"value low enough":  {alone("", kilobytes, 11).atMost(12), false},
		"no target":         {alone("", megabytes, 1000), false},
	} {
		if c.figure.Missed() != c.missed {
			t.Errorf("%s: missed is %t", name, !c.missed)
		}
	}
}

func TestWhatGotWorse(t *testing.T) {
	t.Parallel()
	base := []float64{100, 100, 100}
	report := func(ours ...float64) Report {
		return Report{Figures: []Figure{against("create", perSecond, ours, "floor", base).atLeast(0.5)}}
	}
	size := func(mb float64) Report { return Report{Figures: []Figure{alone("binary", megabytes, mb)}} }
	for name, c := range map[string]struct {
		now, before Report
		worse       int
	}{
		"clearly slower":          {report(50, 51, 52), report(60, 61, 62), 1},
		"faster":                  {report(60, 61, 62), report(50, 51, 52), 0},
		"within the tolerance":    {report(58, 58, 58), report(60, 60, 60), 0},
		"a noisy run is no proof": {report(30, 50, 65), report(60, 61, 62), 0},
		"larger":                  {size(30), size(20), 1},
		"smaller":                 {size(20), size(30), 0},
		"a new figure":            {size(30), report(1, 1, 1), 0},
	} {
		if worse := c.now.Worse(c.before); len(worse) != c.worse {
			t.Errorf("%s: %q", name, worse)
		}
	}
}

func TestTheComparisonNamesTheVersionsOfPostgreSQL(t *testing.T) {
	t.Parallel()
	now := Report{PostgreSQL: "15.19 (Debian 15.19-0+deb12u1)", Machine: "a processor"}
	if !strings.Contains(now.Table(), now.PostgreSQL) {
		t.Errorf("the table does not name PostgreSQL %s:\n%s", now.PostgreSQL, now.Table())
	}
	for name, c := range map[string]struct {
		before Report
		want   []string
	}{
		"the same":      {now, nil},
		"another patch": {Report{PostgreSQL: "15.18 (Debian 15.18-0+deb12u1)", Machine: "a processor"}, []string{"15.19", "15.18"}},
		"not recorded":  {Report{Machine: "a processor"}, []string{"15.19", "not recorded"}},
		"machine":       {Report{PostgreSQL: now.PostgreSQL, Machine: "another"}, []string{"a processor", "another"}},
	} {
		said := strings.Join(now.Differs(c.before), "\n")
		if (said == "") != (c.want == nil) {
			t.Errorf("%s: %q", name, said)
		}
		for _, part := range c.want {
			if !strings.Contains(said, part) {
				t.Errorf("%s: %q does not say %q", name, said, part)
			}
		}
	}
}

// TestDocumentsAreWhatTheReportMakes holds what was published against the report that stands beside it.
func TestDocumentsAreWhatTheReportMakes(t *testing.T) {
	t.Parallel()
	const docs = "../../../docs"
	report, known, err := ReadReport(docs + "/performance.json")
	if err != nil || !known {
		t.Fatal(err)
	}
	published := t.TempDir()
	before, err := os.ReadFile(docs + "/performance.md")
	must.OK(t, err)
	must.OK(t, os.WriteFile(published+"/performance.md", before, 0o600))
	must.OK(t, report.Publish(published))
	names := []string{"performance.md", "performance.json", "performance-table.md", "performance-rates.svg", "performance-growth.svg"}
	if report.Growth != nil {
		names = append(names, "performance-load.svg")
	}
	for _, name := range names {
		want, err1 := os.ReadFile(filepath.Join(published, name))
		got, err2 := os.ReadFile(filepath.Join(docs, name))
		if err := errors.Join(err1, err2); err != nil || string(got) != string(want) {
			t.Errorf("%s is not what performance.json makes: go run ./internal/proof/bench/cmd/bench -publish (%v)", name, err)
		}
	}
}

// TestFiguresOfALaterRun say where they were measured, and stand in the place of those before them.
func TestFiguresOfALaterRun(t *testing.T) {
	t.Parallel()
	names := func(r Report) (all []string) {
		for _, f := range r.Figures {
			all = append(all, f.Name+" "+f.Commit+" "+f.ours())
		}
		return all
	}
	before := Report{Commit: "old", Figures: []Figure{alone("a", megabytes, 1), alone("b", megabytes, 1)}}
	now := before.With(Report{Commit: "new", Figures: []Figure{alone("c", megabytes, 2), alone("a", megabytes, 2)}})
	if got, want := names(now), []string{"a new 2.00 MB", "b  1.00 MB", "c new 2.00 MB"}; now.Commit != "old" || !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if !strings.Contains(now.Table(), "| a, at new | 2.00 MB") || !strings.Contains(now.Table(), "| b | 1.00 MB") {
		t.Error(now.Table())
	}
	if len(before.Figures) != 2 || before.Figures[0].Commit != "" {
		t.Errorf("the report before has changed: %v", before)
	}
}

func TestASummaryOfWhatWasNotMeasured(t *testing.T) {
	t.Parallel()
	if _, err := (Report{}).summary(); err == nil {
		t.Error("a summary without figures was written")
	}
}

func TestReportsSurviveTheDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "performance.json")
	if _, known, err := ReadReport(path); known || err != nil {
		t.Fatalf("a report out of nothing: %v", err)
	}
	figure := against("create", perSecond, []float64{4}, "b", []float64{10}).atLeast(0.5)
	written := Report{Commit: "abc", PostgreSQL: "15.19", Figures: []Figure{figure}}
	must.OK(t, written.Write(path))
	read, known, err := ReadReport(path)
	if err != nil || !known || read.Commit != "abc" || read.PostgreSQL != "15.19" || read.Figures[0] != written.Figures[0] {
		t.Errorf("read %+v, %v", read, err)
	}
}

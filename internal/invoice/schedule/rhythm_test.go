package schedule_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/must"
	"onlyonce/internal/value/date"
)

func TestDays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		every       int
		unit, first string
		days        string // from the first on
	}{
		{1, "month", "2090-01-31", "2090-01-31 2090-02-28 2090-03-31 2090-04-30 2090-05-31"},
		{1, "month", "2091-11-30", "2091-11-30 2091-12-30 2092-01-30 2092-02-29 2092-03-30"},
		{3, "month", "2090-08-31", "2090-08-31 2090-11-30 2091-02-28 2091-05-31"},
		{1, "year", "2092-02-29", "2092-02-29 2093-02-28 2094-02-28 2095-02-28 2096-02-29"},
		{2, "week", "2090-12-20", "2090-12-20 2091-01-03 2091-01-17"},
		{99, "year", "2090-01-01", "2090-01-01 2189-01-01"},
	} {
		r := schedule.Rhythm{Every: c.every, Unit: c.unit, FirstDay: day(t, c.first)}
		want := strings.Fields(c.days)
		var got []string
		for n := range want {
			got = append(got, r.Day(n).String())
		}
		assert.Thatf(t, slices.Equal(got, want), "every %d %s from %s: %v, want %v", c.every, c.unit, c.first, got, want)
	}
}

// TestDaysAreFound checks Has and After for random days.
func TestDaysAreFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		first := day(t, "2080-01-01").AddDays(rapid.IntRange(0, 4000).Draw(t, "first"))
		r := schedule.Rhythm{
			Every: rapid.IntRange(1, 99).Draw(t, "every"), FirstDay: first,
			Unit: rapid.SampledFrom([]string{schedule.Week, schedule.Month, schedule.Year}).Draw(t, "unit"),
		}
		n := rapid.IntRange(0, 40).Draw(t, "n")
		is, next := r.Day(n), r.Day(n+1)
		assert.Thatf(t, is.Before(next) && r.Has(is) && r.After(is) == next && r.After(next.AddDays(-1)) == next,
			"%+v: day %d is %s, and %s comes next, not %s", r, n, is, next, r.After(is))
		between := is.AddDays(1)
		if before := first.AddDays(-1); between != next && r.Has(between) || r.Has(before) || r.After(before) != first {
			t.Errorf("%+v has %s or %s, or begins at %s", r, between, before, r.After(before))
		}
	})
}

func day(t must.T, text string) date.Date {
	t.Helper()
	d, err := date.Parse(text)
	must.OK(t, err)
	return d
}

package schedule

import (
	"time"

	"onlyonce/internal/value/date"
)

// The units of a rhythm.
const (
	Week  = "week"
	Month = "month"
	Year  = "year"
)

// Rhythm has the days on which a period is due, in UTC.
type Rhythm struct {
	Every    int       `json:"every"` // number of units
	Unit     string    `json:"unit"`  // [Week], [Month] or [Year]
	FirstDay date.Date `json:"first_day"`
}

// Day returns the nth day, from 0. It is counted from the first day and not from the previous one, so that a month without a 31st does
// not shift later days.
func (r Rhythm) Day(n int) date.Date {
	if r.Unit == Week {
		return r.FirstDay.AddDays(7 * r.Every * n)
	}
	return r.FirstDay.AddMonths(r.months() * n)
}

// months returns the number of months between days. It is 0 for weeks.
func (r Rhythm) months() int {
	if r.Unit == Year {
		return 12 * r.Every
	}
	return r.Every
}

// upTo returns the index of the last day that is not after a day, or -1.
func (r Rhythm) upTo(day date.Date) int {
	from, to := r.FirstDay.Time(), day.Time()
	if to.Before(from) {
		return -1
	}
	n := int(to.Sub(from)/(24*time.Hour)) / (7 * r.Every)
	if r.Unit != Week {
		n = ((to.Year()-from.Year())*12 + int(to.Month()) - int(from.Month())) / r.months()
	}
	if day.Before(r.Day(n)) {
		n--
	}
	return n
}

// After returns the first of the rhythm's days after a day.
func (r Rhythm) After(day date.Date) date.Date { return r.Day(r.upTo(day) + 1) }

// Has reports whether a day belongs to the rhythm.
func (r Rhythm) Has(day date.Date) bool {
	n := r.upTo(day)
	return n >= 0 && r.Day(n) == day
}

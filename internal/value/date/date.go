// Package date has calendar days.
package date

import (
	"database/sql/driver"
	"fmt"
	"time"
)

// Date is a calendar day without a time zone. As text it is ISO 8601: 2026-11-21.
type Date struct{ day time.Time }

// Of returns the day of a time in its own zone.
func Of(t time.Time) Date {
	return Date{time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)}
}

// Today returns the day in UTC.
func Today() Date { return Of(time.Now().UTC()) }

// Parse parses an ISO 8601 date between the years 1900 and 9999.
func Parse(text string) (Date, error) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil || day.Year() < 1900 {
		return Date{}, fmt.Errorf("not a date: %.20q", text)
	}
	return Date{day}, nil
}

// The years in which entries in the books are dated. The range is wide enough for any entry, and narrow enough to catch most typos, such
// as 0206 or 2206. The database has the same limits.
const (
	FirstEntryYear = 2000
	LastEntryYear  = 2099
)

// ParseEntry parses the ISO 8601 date of an entry in the books, such as an invoice or a payment.
func ParseEntry(text string) (Date, error) {
	day, err := Parse(text)
	if err != nil || day.Year() < FirstEntryYear || day.Year() > LastEntryYear {
		return Date{}, fmt.Errorf("not the date of an entry: %.20q", text)
	}
	return day, nil
}

// Time returns midnight UTC of the day.
func (d Date) Time() time.Time { return d.day }

// Month returns the first and the last day of the calendar month.
func (d Date) Month() (first, last Date) {
	year, month, _ := d.day.Date()
	return Date{time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)}, Date{time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC)}
}

// Year returns the calendar year.
func (d Date) Year() int { return d.day.Year() }

// AddDays returns the day n days later.
func (d Date) AddDays(n int) Date { return Date{d.day.AddDate(0, 0, n)} }

// AddMonths returns the same day n months later, or the last day of that month if it is shorter.
func (d Date) AddMonths(n int) Date {
	year, month, day := d.day.Date()
	last := time.Date(year, month+time.Month(n)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return Date{time.Date(year, month+time.Month(n), min(day, last), 0, 0, 0, 0, time.UTC)}
}

// Before reports whether d is earlier than other.
func (d Date) Before(other Date) bool { return d.day.Before(other.day) }

// DaysUntil returns the number of days from d to other.
func (d Date) DaysUntil(other Date) int { return int(other.day.Sub(d.day).Hours() / 24) }

// Display returns the form for users: "21 Nov 2026".
func (d Date) Display() string { return d.day.Format("2 Jan 2006") }

// String returns the ISO 8601 form.
func (d Date) String() string { return d.day.Format(time.DateOnly) }

// MarshalText returns the ISO 8601 form.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText parses the ISO 8601 form.
func (d *Date) UnmarshalText(text []byte) (err error) {
	*d, err = Parse(string(text))
	return err
}

// Scan reads a date from a database column.
func (d *Date) Scan(column any) error {
	day, ok := column.(time.Time)
	if !ok {
		return fmt.Errorf("cannot read a date from %T", column)
	}
	*d = Of(day)
	return nil
}

// Value returns midnight UTC of the day to the database, and NULL for the zero Date.
func (d Date) Value() (driver.Value, error) {
	if d == (Date{}) {
		return nil, nil //nolint:nilnil // nil is NULL
	}
	return d.day, nil
}

package typed

import (
	"strings"
	"time"

	"onlyonce/internal/invalid"
)

// Time returns a time of day in hours and minutes: "09:30".
func Time(problems *invalid.Error, pointer, text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	at, err := time.Parse(clock, text)
	if err != nil {
		problems.Add(pointer, "Enter a time of day in hours and minutes, like 09:30.")
		return ""
	}
	return at.Format(clock)
}

const clock = "15:04"

// Timestamp returns a point in time in UTC, in whole seconds: "2026-11-21T09:30:00Z".
func Timestamp(problems *invalid.Error, pointer, text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	at, err := time.Parse(time.RFC3339, text)
	if at = at.UTC(); err != nil || at.Nanosecond() != 0 || at.Year() < 1900 || at.Year() > 9999 {
		problems.Add(pointer, "Enter a day and a time in UTC, like 2026-11-21T09:30:00Z.")
		return ""
	}
	return at.Format(time.RFC3339)
}

// UTC returns a point in time without a zone, as a form sends it, with the zone UTC: "2026-11-21T09:30:00Z" for "2026-11-21T09:30".
// Another text is returned unchanged.
func UTC(entered string) string {
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if at, err := time.Parse(layout, strings.TrimSpace(entered)); err == nil {
			return at.Format(time.RFC3339)
		}
	}
	return entered
}

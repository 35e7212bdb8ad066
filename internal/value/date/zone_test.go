package date_test

import (
	"testing"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/value/date"
)

// TestCanonical checks other names of time zones, and that each has the time of its time zone.
func TestCanonical(t *testing.T) {
	for name, want := range map[string]string{
		"Asia/Calcutta": "Asia/Kolkata", "Europe/Kiev": "Europe/Kyiv", "US/Eastern": "America/New_York", "Asia/Saigon": "Asia/Ho_Chi_Minh",
		"Europe/Berlin": "Europe/Berlin", "Local": "Local", "": "",
	} {
		assert.Equal(t, date.Canonical(name), want, name)
	}
	for name, of := range date.Aliases() {
		zone, err := time.LoadLocation(name)
		must.OK(t, err)
		assert.Thatf(t, date.IsZone(of) && !date.IsZone(name), "%s is %s", name, of)
		for month := range time.Month(12) {
			day := time.Date(2026, 1+month, 1, 12, 0, 0, 0, time.UTC)
			is, want := day.In(zone).Format(time.RFC3339), day.In(date.Zone(of)).Format(time.RFC3339)
			assert.Equal(t, is, want, name)
		}
	}
}

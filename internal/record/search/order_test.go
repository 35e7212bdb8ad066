package search

import (
	"testing"

	"onlyonce/internal/assert"
)

// TestValuesOfColumns checks that a key can't have a value that PostgreSQL would refuse.
func TestValuesOfColumns(t *testing.T) {
	t.Parallel()
	for kind, values := range map[string]map[string]bool{
		"date": {
			"2026-11-21": true, "9999-12-31": true, "0001-01-01": true,
			"0000-12-31": false, "2026-02-30": false, "infinity": false, "10000-01-01": false, "": false,
		},
		"integer": {"2147483647": true, "-1": true, "2147483648": false, "1e3": false},
		"uuid":    {"018f0000-0000-7000-8000-000000000000": true, "x": false},
		"text":    {"2026-0042": true, "ł": true, "a\nb": false, "\x00": false, "\xff": false},
		"bigint":  {"9223372036854775807": true, "9223372036854775808": false},
	} {
		for value, want := range values {
			assert.Thatf(t, (Column{Type: kind}).has(value) == want, "%q as %s: %v", value, kind, !want)
		}
	}
}

package invalid_test

import (
	"fmt"
	"strings"
	"testing"

	"onlyonce/internal/invalid"
)

func TestValues(t *testing.T) {
	t.Parallel()
	const id = "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80"
	checks := map[string]func(e *invalid.Error, typed string) string{
		"integer": func(e *invalid.Error, typed string) string { return e.Integer("/it", typed) },
		"decimal": func(e *invalid.Error, typed string) string { return e.Decimal("/it", typed) },
		"euro": func(e *invalid.Error, typed string) string {
			return fmt.Sprint(e.Amount("/it", typed, "/currency", "EUR"))
		},
		"currency": func(e *invalid.Error, typed string) string {
			_, c := e.Amount("/amount", "1.00", "/it", typed)
			return c.String()
		},
		"date": func(e *invalid.Error, typed string) string {
			day, _ := e.Date("/it", typed).Value()
			return strings.TrimSuffix(fmt.Sprint(day), " 00:00:00 +0000 UTC")
		},
		"choice": func(e *invalid.Error, typed string) string { return e.Choice("/it", typed, []string{"air", "rail"}) },
		"id":     func(e *invalid.Error, typed string) string { return e.ID("/it", typed, "Choose one.").String() },
		"something": func(e *invalid.Error, typed string) string {
			e.Require("/it", typed, "Enter it.")
			return ""
		},
	}
	const wrong = "is wrong"
	for _, c := range []struct{ check, typed, want string }{
		{"integer", "", ""}, {"integer", " ", ""}, {"integer", " 007 ", "7"}, {"integer", "-3", "-3"}, {"integer", "+3", "3"},
		{"integer", "999999999999999", "999999999999999"}, {"integer", "1000000000000000", wrong},
		{"integer", "-1000000000000000", wrong}, {"integer", "99999999999999999999", wrong},
		{"integer", "1.5", wrong}, {"integer", "1e3", wrong}, {"integer", "1 000", wrong}, {"integer", "much", wrong},
		{"decimal", "", ""}, {"decimal", " 2.50 ", "2.5"}, {"decimal", "-0.1", "-0.1"}, {"decimal", "007", "7"},
		{"decimal", "1,5", wrong}, {"decimal", "1e9", wrong}, {"decimal", strings.Repeat("9", 33), wrong},
		{"euro", "", "0 "}, {"euro", " 50 ", "5000 EUR"}, {"euro", "0.01", "1 EUR"}, {"euro", "0.001", wrong}, {"euro", "-1", wrong},
		{"euro", "much", wrong}, {"euro", "99999999999999999", wrong},
		{"currency", "USD", "USD"}, {"currency", "", wrong}, {"currency", "usd", wrong},
		{"date", "", "<nil>"}, {"date", " 2026-11-21 ", "2026-11-21"}, {"date", "2026-02-30", wrong}, {"date", "21.11.2026", wrong},
		{"choice", "", ""}, {"choice", "rail", "rail"}, {"choice", "Rail", wrong},
		{"id", "", "00000000-0000-0000-0000-000000000000"}, {"id", " " + id + " ", id}, {"id", "nobody", wrong},
		{"id", "00000000-0000-0000-0000-000000000000", wrong},
		{"something", " x ", ""}, {"something", "", wrong}, {"something", " \t\n", wrong},
	} {
		var problems invalid.Error
		got := checks[c.check](&problems, c.typed)
		if len(problems.Fields) > 0 {
			if got = wrong; problems.Fields[0].Pointer != "/it" {
				t.Errorf("%s %q: wrong is %s", c.check, c.typed, problems.Fields[0].Pointer)
			}
		}
		if got != c.want {
			t.Errorf("%s %q is %q, want %q: %v", c.check, c.typed, got, c.want, problems.Err())
		}
	}
}

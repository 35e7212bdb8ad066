package typed_test

import (
	"fmt"
	"strings"
	"testing"

	"onlyonce/internal/invalid"
	"onlyonce/internal/value/typed"
)

func TestValues(t *testing.T) {
	t.Parallel()
	const id = "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80"
	checks := map[string]func(e *invalid.Error, text string) string{
		"integer":   func(e *invalid.Error, text string) string { return typed.Integer(e, "/it", text) },
		"decimal":   func(e *invalid.Error, text string) string { return typed.Decimal(e, "/it", text) },
		"1 to 10":   func(e *invalid.Error, text string) string { typed.Between(e, "/it", text, "1", "10"); return text },
		"from -0.5": func(e *invalid.Error, text string) string { typed.Between(e, "/it", text, "-0.5", ""); return text },
		"to -0.5":   func(e *invalid.Error, text string) string { typed.Between(e, "/it", text, "", "-0.5"); return text },
		"percent":   func(e *invalid.Error, text string) string { return typed.Percentage(e, "/it", text) },
		"email":     func(e *invalid.Error, text string) string { return typed.Email(e, "/it", text) },
		"url":       func(e *invalid.Error, text string) string { return typed.URL(e, "/it", text) },
		"phone":     func(e *invalid.Error, text string) string { return typed.Phone(e, "/it", text) },
		"time":      func(e *invalid.Error, text string) string { return typed.Time(e, "/it", text) },
		"timestamp": func(e *invalid.Error, text string) string { return typed.Timestamp(e, "/it", text) },
		"form":      func(e *invalid.Error, text string) string { return typed.Timestamp(e, "/it", typed.UTC(text)) },
		"euro": func(e *invalid.Error, text string) string {
			return fmt.Sprint(typed.Amount(e, "/it", text, "/currency", "EUR"))
		},
		"currency": func(e *invalid.Error, text string) string {
			_, c := typed.Amount(e, "/amount", "1.00", "/it", text)
			return c.String()
		},
		"date": func(e *invalid.Error, text string) string {
			day, _ := typed.Date(e, "/it", text).Value()
			return strings.TrimSuffix(fmt.Sprint(day), " 00:00:00 +0000 UTC")
		},
		"choice": func(e *invalid.Error, text string) string {
			return typed.Choice(e, "/it", text, []string{"air", "rail"})
		},
		"id": func(e *invalid.Error, text string) string { return typed.ID(e, "/it", text, "Choose one.").String() },
		"something": func(e *invalid.Error, text string) string {
			typed.Require(e, "/it", text, "Enter it.")
			return ""
		},
	}
	const wrong = "is wrong"
	for _, c := range []struct{ check, text, want string }{
		{"integer", "", ""}, {"integer", " ", ""}, {"integer", " 007 ", "7"}, {"integer", "-3", "-3"}, {"integer", "+3", "3"},
		{"integer", "999999999999999", "999999999999999"}, {"integer", "1000000000000000", wrong},
		{"integer", "-1000000000000000", wrong}, {"integer", "99999999999999999999", wrong},
		{"integer", "1.5", wrong}, {"integer", "1e3", wrong}, {"integer", "1 000", wrong}, {"integer", "much", wrong},
		{"decimal", "", ""}, {"decimal", " 2.50 ", "2.5"}, {"decimal", "-0.1", "-0.1"}, {"decimal", "007", "7"},
		{"decimal", "1,5", wrong}, {"decimal", "1e9", wrong}, {"decimal", strings.Repeat("9", 33), wrong},
		{"1 to 10", "", ""}, {"1 to 10", "1", "1"}, {"1 to 10", "10", "10"}, {"1 to 10", "0.99", wrong}, {"1 to 10", "10.01", wrong},
		{"from -0.5", "-0.5", "-0.5"}, {"from -0.5", "-0.51", wrong}, {"from -0.5", "999999999999999", "999999999999999"},
		{"to -0.5", "-0.5", "-0.5"}, {"to -0.5", "-0.49", wrong}, {"to -0.5", "-999999999999999", "-999999999999999"},
		{"percent", "", ""}, {"percent", " 12.50 ", "12.5"}, {"percent", "100", "100"}, {"percent", "100.001", wrong},
		{"percent", "9.9755", wrong}, {"percent", "-1", wrong}, {"percent", "1e1", wrong},
		{"email", "", ""}, {"email", " ada@example.com ", "ada@example.com"}, {"email", "ada", wrong}, {"email", "ada@exämple.com", wrong},
		{"email", strings.Repeat("a", 243) + "@example.com", wrong},
		{"url", "", ""}, {"url", " https://example.com/a?b#c ", "https://example.com/a?b#c"}, {"url", "http://a.b", "http://a.b"},
		{"url", "example.com", wrong}, {"url", "javascript:alert(1)", wrong}, {"url", "https:///a", wrong},
		{"url", "https://a b.com", wrong}, {"url", "https://a.com/a b", wrong},
		{"url", "https://ada:secret@example.com", wrong}, {"url", "https://example.com/" + strings.Repeat("a", 2000), wrong},
		{"phone", "", ""}, {"phone", " +353  1 555 0101 ", "+353 1 555 0101"}, {"phone", "(01) 555-0101", "(01) 555-0101"},
		{"phone", "112", "112"}, {"phone", strings.Repeat("1", 16), wrong},
		{"phone", "12", wrong}, {"phone", "call me", wrong}, {"phone", "1+1 555", wrong}, {"phone", strings.Repeat("1", 41), wrong},
		{"time", "", ""}, {"time", " 09:30 ", "09:30"}, {"time", "9:30", "09:30"}, {"time", "24:00", wrong}, {"time", "09:30:15", wrong},
		{"timestamp", "", ""}, {"timestamp", "2026-11-21T10:30:00+01:00", "2026-11-21T09:30:00Z"},
		{"timestamp", "2026-11-21T09:30", wrong}, {"timestamp", "2026-11-21T09:30:00.5Z", wrong},
		{"timestamp", "1899-12-31T23:59:59Z", wrong},
		{"form", "2026-11-21T09:30", "2026-11-21T09:30:00Z"}, {"form", "2026-11-21T09:30:15", "2026-11-21T09:30:15Z"}, {"form", "", ""},
		{"form", "2026-11-21T10:30:00+01:00", "2026-11-21T09:30:00Z"}, {"form", "tomorrow", wrong},
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
		got := checks[c.check](&problems, c.text)
		if len(problems.Fields) > 0 {
			if got = wrong; problems.Fields[0].Pointer != "/it" {
				t.Errorf("%s %q: wrong is %s", c.check, c.text, problems.Fields[0].Pointer)
			}
		}
		if got != c.want {
			t.Errorf("%s %q is %q, want %q: %v", c.check, c.text, got, c.want, problems.Err())
		}
	}
}

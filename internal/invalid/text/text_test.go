package text_test

import (
	"errors"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invalid/text"
)

func TestLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typed, want string }{
		{"  Ada   Lovelace ", "Ada Lovelace"},
		{"no\u00a0break\tand\nlines", "no break and lines"},
		{"Foo · Bar", "Foo · Bar"},
		{"☎\ufe0f 👩\u200d💻", "☎\ufe0f 👩\u200d💻"},
		{"नमस्\u200dते می\u200cخواهم עברית", "नमस्\u200dते می\u200cخواهم עברית"},
		{"O’Neil — “½”", "O’Neil — “½”"},
		{"zero\u200bwidth\u2060", "zerowidth"},
		{"\ufeffbom \u200b ", "bom"},
		{"soft\u00adhyphen", "softhyphen"},
		{"\u202aem\u202bbed\u202c \u2066i\u2067so\u2068late\u2069", "embed isolate"},
		{"mark\u200f\u200e\u061c", "mark"},
		{"\uf0b7 Word", "• Word"},
		{"12345678901234567890123456789", "12345678901234567890123456789"},
	} {
		got, err := text.Line(c.typed, 29)
		assert.Thatf(t, err == nil && got == c.want, "%q: %q, %v", c.typed, got, err)
	}
	if _, err := text.Line("12345678901234567890123456789x", 29); !errors.Is(err, text.ErrLong) {
		t.Error(err)
	}
}

func TestCharactersThatStayRefused(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]text.CharacterError{
		"one esc\x1b[31m":                        {After: "esc"},
		"bell \a":                                {After: "bell"},
		"\x00nul":                                {},
		"del\x7f":                                {After: "del"},
		"c1\u009b":                               {After: "c1"},
		"over\u202eride":                         {After: "over"},
		"over\u202dride":                         {After: "over"},
		"filler\u3164":                           {After: "filler"},
		"tag\U000e0041":                          {After: "tag"},
		"private \ue000 x":                       {After: "private", Symbol: true},
		"no UTF-8 \xff":                          {After: "UTF-8"},
		"Donaudampfschifffahrtsgesellschaft\x07": {After: "fffahrtsgesellschaft"},
	} {
		_, err := text.Line(typed, 100)
		got, ok := errors.AsType[*text.CharacterError](err)
		assert.Thatf(t, ok && *got == want, "%q: %+v, want %+v", typed, err, want)
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	if got, err := text.Lines(" \ufeffa\r\n\tb\n\n", 10); got != "a\n\tb" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	for _, typed := range []string{"a\rb", "a\u2028b", "a\x1bb"} {
		_, err := text.Lines(typed, 10)
		assert.Thatf(t, errors.As(err, new(*text.CharacterError)), "%q: %v", typed, err)
	}
}

func TestFileName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Invoice-2026-0042.pdf":     "Invoice-2026-0042.pdf",
		"Invoice-A/B \\ \"C\".pdf":  "Invoice-A-B----C-.pdf",
		"../../etc/passwd":          "etc-passwd",
		"..":                        "",
		"Invoice-x\r\nSet-Cookie:y": "Invoice-x--Set-Cookie-y",
		"Invoice-\u017b\u202e.pdf":  "Invoice---.pdf",
	} {
		got := text.FileName(name)
		assert.Thatf(t, got == want, "FileName(%q) = %q, want %q", name, got, want)
	}
}

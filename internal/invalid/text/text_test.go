package text_test

import (
	"errors"
	"testing"

	"onlyonce/internal/invalid/text"
)

func TestLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typed, want string
		err         error
	}{
		{"  Ada   Lovelace ", "Ada Lovelace", nil},
		{"no\u00a0break\tand\nlines", "no break and lines", nil},
		{"Foo · Bar", "Foo · Bar", nil},
		{"☎\ufe0f 👩\u200d💻", "☎\ufe0f 👩\u200d💻", nil},
		{"नमस्\u200dते می\u200cخواهم עברית", "नमस्\u200dते می\u200cخواهم עברית", nil},
		{"O’Neil — “½”", "O’Neil — “½”", nil},
		{"esc\x1b[31m", "", text.ErrHidden},
		{"bell\a", "", text.ErrHidden},
		{"nul\x00", "", text.ErrHidden},
		{"del\x7f", "", text.ErrHidden},
		{"c1\u009b", "", text.ErrHidden},
		{"zero\u200bwidth", "", text.ErrHidden},
		{"bom\ufeff", "", text.ErrHidden},
		{"soft\u00adhyphen", "", text.ErrHidden},
		{"over\u202eride", "", text.ErrHidden},
		{"iso\u2066late", "", text.ErrHidden},
		{"mark\u200f", "", text.ErrHidden},
		{"filler\u3164", "", text.ErrHidden},
		{"tag\U000e0041", "", text.ErrHidden},
		{"private\ue000", "", text.ErrHidden},
		{"no UTF-8 \xff", "", text.ErrHidden},
		{"12345678901234567890123456789x", "", text.ErrLong},
	} {
		got, err := text.Line(c.typed, 29)
		if !errors.Is(err, c.err) || c.err == nil && got != c.want {
			t.Errorf("%q: %q, %v", c.typed, got, err)
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	if got, err := text.Lines(" a\r\n\tb\n\n", 10); got != "a\n\tb" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	for _, typed := range []string{"a\rb", "a\u2028b", "a\x1bb"} {
		if _, err := text.Lines(typed, 10); !errors.Is(err, text.ErrHidden) {
			t.Errorf("%q: %v", typed, err)
		}
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
		if got := text.FileName(name); got != want {
			t.Errorf("FileName(%q) = %q, want %q", name, got, want)
		}
	}
}

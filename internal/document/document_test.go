package document_test

import (
	"testing"

	"onlyonce/internal/document"
)

func TestSafeName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Invoice-2026-0042.pdf":     "Invoice-2026-0042.pdf",
		"Invoice-A/B \\ \"C\".pdf":  "Invoice-A-B----C-.pdf",
		"../../etc/passwd":          "etc-passwd",
		"..":                        "",
		"Invoice-x\r\nSet-Cookie:y": "Invoice-x--Set-Cookie-y",
		"Invoice-\u017b\u202e.pdf":  "Invoice---.pdf",
	} {
		if got := document.SafeName(name); got != want {
			t.Errorf("SafeName(%q) = %q, want %q", name, got, want)
		}
	}
}

package e2e

import (
	"bytes"
	"os"
	"testing"
)

// The invoice as a file: the page stays, and the file has a name that says what it is.
func TestDownloadPDF(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withDraft(t, javaScript)
			page := s.page.URL()
			download, err := s.page.ExpectDownload(func() error { return s.link("Download PDF").Click() })
			s.check(err, "download the file")
			if got := download.SuggestedFilename(); got != "Invoice-2026-7001.pdf" {
				t.Errorf("the file is called %q", got)
			}
			path, err := download.Path()
			s.check(err, "wait for the file")
			content, err := os.ReadFile(path)
			s.check(err, "read the file")
			if !bytes.HasPrefix(content, []byte("%PDF-1.7")) {
				t.Errorf("the file begins with %.20q", content)
			}
			s.check(expect.Page(s.page).ToHaveURL(page), "stay on the page")
			s.attempts()
		})
	}
}

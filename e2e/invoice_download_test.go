package e2e

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/ledongthuc/pdf"
)

// The invoice as a file: the page stays, and the file's name contains the invoice number.
func TestDownloadPDF(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withDraft(t, javaScript)
			page := s.page.URL()
			file, content := s.download(linkDownloadPDF)
			if file != "Invoice-"+s.number(1)+".pdf" {
				t.Errorf("the file is called %q", file)
			}
			if !bytes.HasPrefix(content, []byte("%PDF-1.7")) {
				t.Errorf("the file begins with %.20q", content)
			}
			s.check(expect.Page(s.page).ToHaveURL(page), "stay on the page")
			s.attempts()
		})
	}
}

// download follows a link to a file, and returns the name that the browser saves it under.
func (s *session) download(link string) (name string, content []byte) {
	s.t.Helper()
	download, err := s.page.ExpectDownload(func() error { return s.link(link).Click() })
	s.check(err, "download the file")
	path, err := download.Path()
	s.check(err, "wait for the file")
	if !inChromium() { // Firefox saves it under its name, and Playwright looks for another one
		answer, err := s.browser.Request().Get(download.URL())
		s.check(err, "fetch the file again")
		content, err = answer.Body()
		s.check(err, "read the file")
		return download.SuggestedFilename(), content
	}
	content, err = os.ReadFile(path)
	s.check(err, "read the file")
	return download.SuggestedFilename(), content
}

// saysInPDF checks the text of a PDF file.
func (s *session) saysInPDF(file []byte, texts ...string) {
	s.t.Helper()
	r, err := pdf.NewReader(bytes.NewReader(file), int64(len(file)))
	s.check(err, "open the file")
	var all strings.Builder
	for i := range r.NumPage() {
		text, err := r.Page(i + 1).GetPlainText(nil)
		s.check(err, "read a page of the file")
		all.WriteString(text)
	}
	for _, text := range texts {
		if !strings.Contains(all.String(), text) {
			s.t.Errorf("the file has no text %q:\n%s", text, all.String())
		}
	}
}

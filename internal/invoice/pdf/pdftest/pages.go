// Package pdftest reads PDF files in tests, with a library that the app doesn't use.
package pdftest

import (
	"bytes"
	"testing"

	"github.com/ledongthuc/pdf"
)

// Pages returns the text layer of each page of a file.
func Pages(t testing.TB, file []byte) (all []string) {
	t.Helper()
	r, err := pdf.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatalf("%v: %.300s", err, file)
	}
	for i := range r.NumPage() {
		text, err := r.Page(i + 1).GetPlainText(nil)
		if err != nil {
			t.Fatalf("page %d: %v", i+1, err)
		}
		all = append(all, text)
	}
	return all
}

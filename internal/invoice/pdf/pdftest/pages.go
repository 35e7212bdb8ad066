// Package pdftest reads PDF files in tests, with a library that the app doesn't use.
package pdftest

import (
	"bytes"
	"testing"

	reader "github.com/ledongthuc/pdf"

	"onlyonce/internal/must"
)

// Pages returns the text layer of each page of a file.
func Pages(t testing.TB, file []byte) (all []string) {
	t.Helper()
	r, err := reader.NewReader(bytes.NewReader(file), int64(len(file)))
	must.Thatf(t, err == nil, "%v: %.300s", err, file)
	for i := range r.NumPage() {
		text, err := r.Page(i + 1).GetPlainText(nil)
		must.OK(t, err)
		all = append(all, text)
	}
	return all
}

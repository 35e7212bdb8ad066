package invoiceroom_test

import (
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"testing"

	"onlyonce/internal/app/apptest"
	"onlyonce/internal/mailer/mailertest"
	"onlyonce/internal/must"
)

// TestMailHasTheInvoiceAttached checks that the attachment equals the file that the server returns for the issued invoice.
func TestMailHasTheInvoiceAttached(t *testing.T) {
	s := mailertest.Start(t, nil, nil)
	b := mailing(t, s.URL)
	invoice := b.draft("one", "Ada")
	b.post(invoice+"/issue", "one", "", http.StatusOK)
	b.settled(1)
	_, want, err := apptest.Ask(apptest.CompanyToken, http.MethodGet, b.URL()+invoice+"/pdf", "", "")
	must.OK(t, err)
	message := s.Messages()[0]
	_, parameters, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	must.OK(t, err)
	parts, attached := multipart.NewReader(message.Body, parameters["boundary"]), 0
	for {
		part, err := parts.NextPart()
		if err != nil {
			break
		}
		if part.FileName() == "" {
			continue
		}
		attached++
		file, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, part))
		if part.FileName() != "Invoice-2026-0001.pdf" || err != nil || string(file) != string(want) {
			t.Errorf("%s has %d bytes and the document %d: %v", part.FileName(), len(file), len(want), err)
		}
	}
	if attached != 1 {
		t.Errorf("%d files are attached: %s", attached, message.Header.Get("Content-Type"))
	}
}

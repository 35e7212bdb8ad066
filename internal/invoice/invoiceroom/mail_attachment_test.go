package invoiceroom_test

import (
	"encoding/base64"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/mail"
	"path/filepath"
	"testing"

	"onlyonce/internal/app/apptest"
	"onlyonce/internal/mailer/mailertest"
	"onlyonce/internal/must"
)

// TestMailHasTheInvoiceAttached checks that each attachment equals the file that the server returns for the issued invoice.
func TestMailHasTheInvoiceAttached(t *testing.T) {
	s := mailertest.Start(t, nil, nil)
	b := mailing(t, s.URL)
	queued := 0
	sent := func(invoice, path, key, body string, status int, want ...string) {
		t.Helper()
		b.post(invoice+path, key, body, status)
		queued++
		b.settled(queued)
		wanted := map[string]string{}
		for _, kind := range want {
			_, file, err := apptest.Ask(apptest.CompanyToken, http.MethodGet, b.URL()+invoice+"/"+kind, "", "")
			must.OK(t, err)
			wanted[kind] = string(file)
		}
		messages := s.Messages()
		if got := attached(t, messages[len(messages)-1]); !maps.Equal(got, wanted) {
			t.Errorf("%s: %d files are attached, want %q", key, len(got), want)
		}
	}
	lacking := b.draft("lacking", "Ada")
	sent(lacking, "/issue", "lacking", `{"e_invoice": true}`, http.StatusOK, "pdf")
	must.Exec(t, b.DB.Admin(), `UPDATE settings SET country = 'IE', tax_id = 'IE6388047V'`)
	must.Exec(t, b.DB.Admin(), `UPDATE customers SET country = 'IE'`)
	complete := b.draft("complete", "Ada")
	sent(complete, "/issue", "complete", `{"e_invoice": true}`, http.StatusOK, "pdf", "ubl")
	sent(complete, "/send", "without", `{}`, http.StatusCreated, "pdf")
	sent(complete, "/send", "with", `{"e_invoice": true}`, http.StatusCreated, "pdf", "ubl")
}

// attached returns the files of a message by the path that the server returns them from.
func attached(t *testing.T, message *mail.Message) map[string]string {
	t.Helper()
	_, parameters, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	must.OK(t, err)
	parts, files := multipart.NewReader(message.Body, parameters["boundary"]), map[string]string{}
	for {
		part, err := parts.NextPart()
		if err != nil {
			return files
		}
		kind := map[string]string{".pdf": "pdf", ".xml": "ubl"}[filepath.Ext(part.FileName())]
		if kind == "" {
			continue
		}
		file, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, part))
		must.OK(t, err)
		files[kind] = string(file)
	}
}

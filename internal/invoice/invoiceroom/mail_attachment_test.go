package invoiceroom_test

import (
	"encoding/base64"
	"encoding/json"
	"image/color"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http"
	netmail "net/mail"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/app/apptest"
	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/invoice/mail"
	"onlyonce/internal/mailer/mailertest"
	"onlyonce/internal/must"
)

// TestMailHasTheInvoiceAttached checks that each attachment equals the file that the server returns for the issued invoice, or for the
// credit note, whose email has the e-invoice if the last one about an invoice had it.
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
		of := invoice
		if note := b.mails()[0].CreditNoteID; note != uuid.Nil {
			of = "/api/v1/credit-notes/" + note.String()
		}
		for _, kind := range want {
			_, file, err := apptest.Ask(apptest.CompanyToken, http.MethodGet, b.URL()+of+"/"+kind, "", "")
			must.OK(t, err)
			wanted[kind] = string(file)
		}
		messages := s.Messages()
		got := attached(t, messages[len(messages)-1])
		assert.Thatf(t, maps.Equal(got, wanted), "%s: %d files are attached, want %q", key, len(got), want)
	}
	lacking := b.draft("lacking", "Ada")
	sent(lacking, "/issue", "lacking", `{"e_invoice": true}`, http.StatusOK, "pdf")
	must.Exec(t, b.DB.Admin(), `UPDATE settings SET country = 'IE', tax_id = 'IE6388047V'`)
	must.Exec(t, b.DB.Admin(), `UPDATE customers SET country = 'IE'`)
	complete := b.draft("complete", "Ada")
	sent(complete, "/issue", "complete", `{"e_invoice": true}`, http.StatusOK, "pdf", "ubl")
	sent(complete, "/send", "without", `{}`, http.StatusCreated, "pdf")
	const half = `{"lines": [{"position": 1, "quantity": "1"}], "tell_customer": true}`
	sent(complete, "/credit-notes", "credit without", half, http.StatusCreated, "pdf")
	sent(complete, "/send", "with", `{"e_invoice": true}`, http.StatusCreated, "pdf", "ubl")
	sent(complete, "/credit-notes", "credit with", half, http.StatusCreated, "pdf", "ubl")
	note := b.mails()[0].CreditNoteID.String()
	sent("", "/api/v1/credit-notes/"+note+"/reversals", "reversed", `{"tell_customer": true}`, http.StatusCreated, "pdf", "ubl")
	sent(complete, "/send", "once more", `{"credit_note_id": "`+b.mails()[0].CreditNoteID.String()+`"}`, http.StatusCreated, "pdf", "ubl")
}

// TestCreditNoteIsMailed checks that a credit note is sent if the command asks for it, once, with its file.
func TestCreditNoteIsMailed(t *testing.T) {
	s := mailertest.Start(t, nil, nil)
	b := mailing(t, s.URL)
	invoice := b.draft("invoice", "Ada")
	b.post(invoice+"/issue", "issue", `{"email": "none"}`, http.StatusOK)
	b.post(invoice+"/credit-notes", "quiet", `{"lines": [{"position": 1, "quantity": "1"}]}`, http.StatusCreated)
	const told = `{"lines": [{"position": 1, "quantity": "0.5"}], "date": "2026-11-28", "tell_customer": true,
		"reason": "Half of it\nwas <late>"}`
	b.post(invoice+"/credit-notes", "told", told, http.StatusCreated)
	b.post(invoice+"/credit-notes", "told", told, http.StatusCreated)
	sent := b.settled(1)[0]
	want := "Hello Ada,\n\nOn 28 November 2026, we credited 30.75 EUR of our invoice 2026-0001 of 21 November 2026 " +
		"with credit note CN-2026-0002.\n\n" +
		"Half of it\nwas <late>\n\nOpen: 30.75 EUR\n\nThe credit note is attached as a PDF file.\n\nKind regards,\n"
	assert.Thatf(t, sent.Kind == mail.KindCreditNote && sent.Recipient == "ada@example.com" && strings.HasPrefix(sent.Text, want),
		"%+v, want the text %q", sent, want)
	path := "/api/v1/credit-notes/" + sent.CreditNoteID.String() + "/pdf"
	_, file, err := apptest.Ask(apptest.CompanyToken, http.MethodGet, b.URL()+path, "", "")
	must.OK(t, err)
	got := attached(t, s.Messages()[0])
	assert.Thatf(t, len(got) == 1 && got["pdf"] == string(file),
		"%d files are attached, and the document has %d bytes", len(got), len(file))

	b.post("/api/v1/credit-notes/"+sent.CreditNoteID.String()+"/reversals", "reversed",
		`{"date": "2026-11-29", "tell_customer": true, "reason": "Wrong invoice"}`, http.StatusCreated)
	sent = b.settled(2)[0]
	want = "Hello Ada,\n\nOn 29 November 2026, we reversed our credit note CN-2026-0002 of 30.75 EUR with CN-2026-0003. " +
		"It was for invoice 2026-0001 of 21 November 2026.\n\nWrong invoice\n\nOpen: 61.50 EUR\n\nThe reversal is attached as a PDF file.\n"
	assert.Thatf(t, sent.Kind == mail.KindReversal && strings.HasPrefix(sent.Text, want), "%+v, want the text %q", sent, want)

	b.post(invoice+"/payments", "paid", `{"amount": "61.50", "date": "2026-11-28", "method": "cash"}`, http.StatusCreated)
	b.post(invoice+"/credit-notes", "became credit", told, http.StatusCreated)
	sent = b.settled(3)[0]
	want = "Open: 0.00 EUR\nYour credit from it: 30.75 EUR\n\n"
	assert.Thatf(t, strings.Contains(sent.Text, want), "%+v, want the text %q", sent, want)
	b.post("/api/v1/credit-notes/"+sent.CreditNoteID.String()+"/reversals", "credit reversed",
		`{"date": "2026-11-29", "tell_customer": true}`, http.StatusCreated)
	sent = b.settled(4)[0]
	want = "Open: 0.00 EUR\nYour credit of 30.75 EUR from the reversed credit note no longer exists.\n\n"
	assert.Thatf(t, strings.Contains(sent.Text, want), "%+v, want the text %q", sent, want)
}

// attached returns the files of a message by the path that the server returns them from.
func attached(t *testing.T, message *netmail.Message) map[string]string {
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

// TestMailHasTheLogo: the HTML of a mail refers to the logo of the invoice, which is a part beside it. A mail without a logo has no such
// part.
func TestMailHasTheLogo(t *testing.T) {
	s := mailertest.Start(t, nil, nil)
	b := mailing(t, s.URL)
	b.post(b.draft("plain", "Ada")+"/issue", "plain", "", http.StatusOK)
	b.settled(1)
	logo := invoicecases.PNG(30, 10, color.White)
	body, err := json.Marshal(map[string]any{"file": map[string]any{"name": "logo.png", "content": []byte(logo)}})
	must.OK(t, err)
	b.post("/api/v1/logos", "logo", string(body), http.StatusCreated)
	b.post(b.draft("with", "Ada")+"/issue", "with", "", http.StatusOK)
	b.settled(2)
	for i, want := range []string{"", logo} {
		message := s.Messages()[i]
		images := map[string]string{}
		html := parts(t, message.Header.Get("Content-Type"), message.Body, images)
		assert.Thatf(t, images["<image>"] == want && strings.Contains(html, `src="cid:image"`) == (want != ""),
			"mail %d: an image of %d bytes, and the HTML %s", i, len(images["<image>"]), html)
	}
}

// parts returns the HTML of a part of a message, and adds the images in it by their Content-ID.
func parts(t *testing.T, contentType string, body io.Reader, images map[string]string) (html string) {
	t.Helper()
	_, parameters, err := mime.ParseMediaType(contentType)
	must.OK(t, err)
	all := multipart.NewReader(body, parameters["boundary"])
	for {
		part, err := all.NextRawPart()
		if err != nil {
			return html
		}
		switch of, _, _ := strings.Cut(part.Header.Get("Content-Type"), ";"); {
		case strings.HasPrefix(of, "multipart/"):
			html += parts(t, part.Header.Get("Content-Type"), part, images)
		case of == "text/html":
			text, err := io.ReadAll(quotedprintable.NewReader(part))
			must.OK(t, err)
			html += string(text)
		case strings.HasPrefix(of, "image/"):
			content, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, part))
			must.OK(t, err)
			images[part.Header.Get("Content-ID")] = string(content)
		}
	}
}

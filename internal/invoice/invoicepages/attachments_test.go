package invoicepages_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

// uploads are clients at an invoice.
type uploads struct {
	*sitetest.Bundle

	person, program *sitetest.Client
	invoice, path   string // its page, and where files are attached
}

func setupUploads(t *testing.T) *uploads {
	t.Helper()
	b := sitetest.Setup(t)
	invoice := "/invoices/" + b.Prepared(b.Acme, "invoice", invoicecases.Invoices(), invoicecases.Invoices().Command).ID
	return &uploads{b, b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme), invoice, invoice + "/attachments"}
}

// stored counts the attachments and the contents.
func (u *uploads) stored(attachments, contents int) {
	u.Helper()
	rows := u.Rows()
	assert.Thatf(u, rows["attachments"] == attachments && rows["file_contents"] == contents,
		"rows %v, want %d attachments of %d files", rows, attachments, contents)
}

func formWith(key, name, content string) url.Values {
	return url.Values{"idempotency_key": {key}, "file": {sitetest.FileValue(name, content)}}
}

// TestFilesThatAreRefused: each is refused with a sentence, and the same form with another file is saved.
func TestFilesThatAreRefused(t *testing.T) {
	u := setupUploads(t)
	large := strings.Repeat("x", 5<<20+1)
	for name, of := range map[string]struct {
		form   url.Values
		status int
		says   string
	}{
		"larger than allowed":      {formWith("", "large.txt", large), 413, "large.txt is larger than 5 MiB. Choose a smaller file."},
		"larger than all may be":   {formWith("", "huge.txt", strings.Repeat(large, 13)), 413, "huge.txt is larger than 5 MiB."},
		"empty":                    {formWith("", "empty.txt", ""), 422, "empty.txt is empty. Choose another file."},
		"none chosen":              {formWith("", "", ""), 422, "Choose a file."},
		"HTML as PDF":              {formWith("", "a.pdf", "<html><script>alert(1)</script>"), 422, "a.pdf is of another type."},
		"a program":                {formWith("", "a.txt", "MZ\x00\x01"), 422, "Choose a file of the type PDF, PNG, JPEG or text."},
		"name without a file":      {url.Values{"file": {"order.pdf"}}, 422, "Choose order.pdf again."},
		"XML that shows a picture": {formWith("", "logo.svg", `<?xml version="1.0"?><svg/>`), 422, "logo.svg is of another type."},
	} {
		of.form.Set("idempotency_key", name)
		a := u.person.Submit(u.path, of.form)
		if a.Status != of.status {
			t.Errorf("%s: want %d, got %v", name, of.status, a)
			continue
		}
		p := u.Page(a).Says(of.says)
		assert.Equal(t, p.Typed().Get("idempotency_key"), name, "the form has the key now")
		u.stored(0, 0)
	}
	u.person.Submit(u.path, formWith("larger than allowed", "small.txt", "small")).Want(t, http.StatusSeeOther, "the key was used up")
	u.stored(1, 1)
	for name, of := range map[string]struct {
		content string
		status  int
		says    string
	}{
		"larger than allowed":    {base64.StdEncoding.EncodeToString([]byte(large)), 422, `"pointer":"/file"`},
		"larger than all may be": {strings.Repeat("A", 9<<20), 413, "too-large"},
		"no Base64":              {"?", 422, `Send a string with Base64 here.`},
	} {
		a := u.program.With("Idempotency-Key", name).Post("/api/v1"+u.path, `{"file": {"name": "a.txt", "content": "`+of.content+`"}}`)
		assert.Thatf(t, a.Status == of.status && strings.Contains(a.Body, of.says), "%s: %v", name, a)
	}
	u.stored(1, 1)
}

// TestNamesOfFiles: a name has no directories and no invisible characters, and the extension of its type.
func TestNamesOfFiles(t *testing.T) {
	u := setupUploads(t)
	for i, name := range []string{
		`../../x.txt`, `C:\fakepath\x.txt`, "x\u202etxt.exe", strings.Repeat("é", 300) + ".txt", `..`, "a\rb.txt",
	} {
		u.person.Submit(u.path, formWith(fmt.Sprint("name ", i), name, fmt.Sprint("text ", i))).Want(t, http.StatusSeeOther, name)
	}
	p := u.Page(u.person.Get(u.invoice))
	p.Says(" x.txt ", "xtxt.exe.txt", strings.Repeat("é", 96)+".txt", " file.txt ")
	u.stored(6, 6)
}

// TestUploadsThatBreak: a body that is cut, or has another boundary, saves nothing. The next one with the key is saved.
func TestUploadsThatBreak(t *testing.T) {
	u := setupUploads(t)
	contentType, body := sitetest.EncodeForm(formWith(sitetest.Key, "order.txt", strings.Repeat("order ", 100_000)))
	boundary := "--" + strings.TrimPrefix(contentType, "multipart/form-data; boundary=")
	part := strings.LastIndex(body, boundary+"\r\n")
	for name, of := range map[string]struct {
		status            int
		contentType, body string
	}{
		"another boundary": {400, "multipart/form-data; boundary=other", body},
		"no boundary":      {400, "multipart/form-data", body},
		"no end":           {400, contentType, body[:len(body)-10]},
		"no parts":         {400, contentType, ""},
		"two files":        {422, contentType, body[:part] + body[part:strings.LastIndex(body, boundary)] + body[part:]},
		"a long text":      {413, contentType, strings.Replace(body, sitetest.Key, strings.Repeat("k", 1<<21), 1)},
	} {
		u.person.With("Content-Type", of.contentType).Post(u.path, of.body).Want(t, of.status, name)
	}
	// The client is gone after nine tenths.
	half, rest := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, u.person.URL+u.path, half)
	must.OK(t, err)
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.ContentLength = int64(len(body))
	sent := make(chan error)
	go func() {
		_, err := u.person.HTTP.Do(r)
		sent <- err
	}()
	_, err = io.WriteString(rest, body[:len(body)*9/10])
	must.OK(t, err)
	_ = rest.CloseWithError(io.ErrUnexpectedEOF)
	if err := <-sent; err == nil {
		t.Error("a request that was cut has an answer")
	}
	u.stored(0, 0)
	u.person.With("Content-Type", contentType).Post(u.path, body).Want(t, http.StatusSeeOther, "after that")
	u.stored(1, 1)
}

// TestSlowUpload: a person who clicks again while the first body is on its way gets one attachment, and the first one is not cut off at the
// end of the usual time of a request.
func TestSlowUpload(t *testing.T) {
	u := setupUploads(t)
	slow := u.person.Elsewhere(u.Serve(func(c *sitetest.Config) { c.RequestTime = time.Second }).URL)
	contentType, body := sitetest.EncodeForm(formWith(sitetest.Key, "order.txt", strings.Repeat("order ", 100_000)))
	begin := func() (end func() *http.Response) {
		half, rest := io.Pipe()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, slow.URL+u.path, half)
		must.OK(t, err)
		r.Header.Set("Content-Type", contentType)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		answers := make(chan *http.Response, 1)
		go func() {
			answer, err := slow.HTTP.Do(r)
			assert.Thatf(t, err == nil, "%v", err)
			answers <- answer
		}()
		_, err = io.WriteString(rest, body[:len(body)/2])
		must.OK(t, err)
		return func() *http.Response {
			_, err := io.WriteString(rest, body[len(body)/2:])
			must.OK(t, err)
			must.OK(t, rest.Close())
			answer := <-answers
			must.OK(t, answer.Body.Close())
			return answer
		}
	}
	start := time.Now()
	first, second := begin(), begin()
	must.Until(t, "past the time of a request", func() bool { return time.Since(start) > 1100*time.Millisecond })
	for name, end := range map[string]func() *http.Response{"second": second, "first": first} {
		answer := end()
		assert.Thatf(t, answer.StatusCode == http.StatusSeeOther && answer.Header.Get("Location") == u.invoice,
			"%s: %v", name, answer.Status)
	}
	u.stored(1, 1)
	u.Page(u.person.Get(u.invoice)).Says("order.txt 585 KiB")
}

// TestOneFileInTwoTabs: two forms with the same file attach it once, and the other one leads to the first. Another invoice shares its
// content.
func TestOneFileInTwoTabs(t *testing.T) {
	u := setupUploads(t)
	var answers [8]sitetest.Answer
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			answers[i] = u.person.Submit(u.path, formWith(fmt.Sprint("tab ", i), fmt.Sprint(i, ".txt"), "the same"))
		})
	}
	all.Wait()
	attached := 0
	for _, a := range answers {
		if a.Status == http.StatusSeeOther {
			attached++
			continue
		}
		a.Want(t, http.StatusConflict)
		u.Page(a).Says("This file is already attached as ", "We kept it and didn't attach it again.").LeadsTo(u.invoice)
	}
	assert.Thatf(t, attached == 1, "attached %d times", attached)
	u.stored(1, 1)
	other := "/invoices/" + u.Prepared(u.Acme, "other", invoicecases.Invoices(), invoicecases.Invoices().Other).ID
	u.person.Submit(other+"/attachments", formWith("other", "a.txt", "the same")).Want(t, http.StatusSeeOther)
	u.stored(2, 1)
}

// TestAttachedFile: the file that was attached is what people and programs of the tenant get, with headers that keep a browser from
// running it.
func TestAttachedFile(t *testing.T) {
	u := setupUploads(t)
	text := strings.Repeat("0123456789", 70_000) // in several parts of the database
	u.person.Submit(u.path, formWith("text", "a.txt", text))
	u.person.Submit(u.path, formWith("picture", "a b.jpeg", "\xff\xd8\xff\xe0 picture"))
	list := sitetest.Decode[struct {
		Attachments []struct {
			ID   string
			File struct{ Name, Type, SHA256 string }
		}
	}](u.Bundle, u.program.Get("/api/v1"+u.path)).Attachments
	must.Thatf(t, len(list) == 2, "%+v", list)
	for i, want := range []map[string]string{
		{"Content-Type": "image/jpeg", "Content-Disposition": "inline; filename=a-b.jpeg"},
		{"Content-Type": "text/plain", "Content-Disposition": "attachment; filename=a.txt"},
	} {
		path := "/attachments/" + list[i].ID + "/file"
		want["ETag"], want["X-Content-Type-Options"] = `"`+list[i].File.SHA256+`"`, "nosniff"
		want["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
		want["Cache-Control"], want["Cross-Origin-Resource-Policy"] = "private, no-cache", "same-origin"
		for _, a := range []sitetest.Answer{u.person.Get(path), u.program.Get("/api/v1" + path)} {
			for name, value := range want {
				got := a.Header.Get(name)
				assert.Thatf(t, a.Status == http.StatusOK && got == value, "%d, %s: %q, want %q", a.Status, name, got, value)
			}
			assert.Thatf(t, i != 1 || a.Body == text, "another text, of %d bytes", len(a.Body))
		}
		u.person.With("If-None-Match", want["ETag"]).Get(path).Want(t, http.StatusNotModified, "the same file")
		u.Person(u.Replica, u.Globex).Get(path).Want(t, http.StatusNotFound, "another tenant")
	}
	a := u.person.With("Range", "bytes=299990-600009").Get("/attachments/" + list[1].ID + "/file")
	assert.Thatf(t, a.Status == http.StatusPartialContent && a.Body == text[299990:600010], "a part: %d, %d bytes", a.Status, len(a.Body))
	u.Page(u.person.Get(u.invoice)).LeadsTo("/attachments/" + list[1].ID + "/file")
	assert.Thatf(t, strings.Contains(u.person.Get(u.path+"/new?key=new").Body, `enctype="multipart/form-data"`), "the form sends no file")
}

// TestRemovedAttachment: an attachment is removed once, in two tabs and with the API, and its file is gone for people and programs. The
// history of the invoice shows it.
func TestRemovedAttachment(t *testing.T) {
	u := setupUploads(t)
	u.person.Submit(u.path, formWith("wrong", "wrong.txt", "the wrong file"))
	u.person.Submit(u.path, formWith("right", "right.txt", "the right file"))
	list := u.listed()
	wrong := "/attachments/" + list["wrong.txt"]
	u.Page(u.person.Get(u.invoice)).LeadsTo(wrong + "/remove")
	tab := func() sitetest.Page { return u.Page(u.person.Get(u.person.Get(wrong + "/remove").Location())) }
	first, second := tab(), tab()
	first.Says("Remove attachment 2026-0001: wrong.txt", "To bring it back, attach the file again.").LeadsTo(u.invoice)
	const button = "Remove attachment"
	for _, press := range []struct {
		in   sitetest.Page
		says string
	}{{first, "Attachment removed."}, {second, "This attachment was already removed."}, {first, "We ignored the duplicate submission"}} {
		u.Page(u.person.Get(u.person.Press(press.in, button).Location())).Says(press.says)
	}
	tab().Says("This attachment was already removed.")
	a := u.program.Post("/api/v1"+wrong+"/remove", "")
	assert.Thatf(t, a.Status == http.StatusOK && strings.Contains(a.Body, `"removed_at":`), "%v", a)
	p := u.Page(u.person.Get(u.invoice)).Says("Attachments right.txt 14 B", "Attachment removed", "File attached")
	assert.Thatf(t, !strings.Contains(p.Text(), "wrong.txt"), "the page shows the removed attachment")
	for _, a := range []sitetest.Answer{u.person.Get(wrong + "/file"), u.program.Get("/api/v1" + wrong + "/file")} {
		a.Want(t, http.StatusNotFound, "the removed file")
	}
	left := u.listed()
	assert.Thatf(t, len(left) == 1 && left["right.txt"] != "", "left: %v", left)
	assert.Equal(t, sitetest.Get[int](u.Bundle, `SELECT count(*)::int FROM intent_effects WHERE effect = 'attachment removed'`),
		1, "effects")
	u.stored(2, 2)
}

// TestAttachedAgain: a removed file can be attached again, once, and that attachment can be removed too.
func TestAttachedAgain(t *testing.T) {
	u := setupUploads(t)
	for i := range 2 {
		for _, want := range []int{http.StatusSeeOther, http.StatusConflict} {
			u.person.Submit(u.path, formWith(fmt.Sprint(i, want), "a.txt", "the same")).Want(t, want, i)
		}
		u.stored(i+1, 1)
		id := u.listed()["a.txt"]
		a := u.person.Get("/attachments/" + id + "/file")
		assert.Thatf(t, a.Body == "the same", "time %d: %v", i, a)
		u.program.Post("/api/v1/attachments/"+id+"/remove", "").Want(t, http.StatusOK, i)
	}
	left := u.listed()
	assert.Thatf(t, len(left) == 0, "left: %v", left)
}

// listed returns the ids of the attachments in the API's list, by the names of their files.
func (u *uploads) listed() map[string]string {
	u.Helper()
	ids := map[string]string{}
	for _, a := range sitetest.Decode[struct {
		Attachments []struct {
			ID   string
			File struct{ Name string }
		}
	}](u.Bundle, u.program.Get("/api/v1"+u.path)).Attachments {
		ids[a.File.Name] = a.ID
	}
	return ids
}

// everyAttachment returns the requests of the routes of attachments, for the invoice with the most.
func everyAttachment(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	of, most, list := invoicecases.Attachments(), sitetest.RowID(1), func(id string) string { return "/invoices/" + id + "/attachments" }
	of.Other = url.Values{"file": {sitetest.FileValue("a.txt", "other")}}
	forms, api := everyCreation(b, program, person, of, list, most, func(prefix string) url.Values {
		return url.Values{"file": {sitetest.FileValue("a.txt", prefix)}}
	}, map[string]extra{
		"taken":   {http.StatusConflict, "", []string{"file", sitetest.FileValue("a.txt", "7")}},
		"invalid": {http.StatusUnprocessableEntity, "", []string{"file", sitetest.FileValue("a.txt", "")}},
	})
	limited, one := "/api/v1"+list(most)+"?limit=100", "/attachments/"+sitetest.RowID(7)
	return map[string][]sitetest.Request{
		"GET /invoices/{id}/attachments/new":     newForms(person, list, most),
		"POST /invoices/{id}/attachments":        forms,
		"POST /api/v1/invoices/{id}/attachments": api,
		"GET /api/v1/invoices/{id}/attachments": {
			sitetest.Looked(program, http.StatusOK, "/api/v1"+list(most)),
			sitetest.Looked(program, http.StatusOK, sitetest.At(limited, "", sitetest.RowID(sitetest.Many/2), false)),
			sitetest.Looked(program, http.StatusOK, sitetest.At(limited, "", sitetest.RowID(sitetest.Many/2), true)),
		},
		"GET /attachments/{id}": {
			sitetest.Looked(person, http.StatusSeeOther, one), sitetest.Looked(person, http.StatusOK, "/invoices/"+most),
		},
		"GET /attachments/{id}/remove": {
			sitetest.Looked(person, http.StatusOK, one+"/remove?key=fresh"),
			sitetest.Looked(person, http.StatusNotFound, "/attachments/"+sitetest.Nobody+"/remove"),
		},
		"GET /api/v1/attachments/{id}":      {sitetest.Looked(program, http.StatusOK, "/api/v1"+one)},
		"GET /attachments/{id}/file":        {sitetest.Looked(person, http.StatusOK, one+"/file")},
		"GET /api/v1/attachments/{id}/file": {sitetest.Looked(program, http.StatusOK, "/api/v1"+one+"/file")},
	}
}

package invoicepages_test

import (
	"fmt"
	"image/color"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitetest"
)

// logos are clients of a business with two logos to choose from.
type logos struct {
	*sitetest.Bundle

	person, program *sitetest.Client
	red, blue       string
}

func setupLogos(t *testing.T) *logos {
	t.Helper()
	b := sitetest.Setup(t)
	return &logos{
		b, b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme),
		invoicecases.PNG(300, 100, color.NRGBA{200, 0, 0, 255}), invoicecases.PNG(100, 300, color.NRGBA{0, 0, 200, 128}),
	}
}

// upload uploads a logo, and returns the address of its page.
func (l *logos) upload(key, name, content string) string {
	l.Helper()
	a := l.person.Submit("/logos", formWith(key, name, content))
	a.Want(l, http.StatusSeeOther)
	return a.Location()
}

// current returns the files of the logos that were neither removed nor replaced.
func (l *logos) current() []string {
	l.Helper()
	return sitetest.Get[[]string](l.Bundle, `SELECT COALESCE(array_agg(file_name), '{}') FROM logos WHERE removed_at IS NULL`)
}

// shows checks the logo at an address; none if content is "".
func (l *logos) shows(path, content string) {
	l.Helper()
	status := http.StatusOK
	if content == "" {
		status = http.StatusNotFound
	}
	for _, a := range []sitetest.Answer{l.person.Get(path), l.program.Get("/api/v1" + path)} {
		assert.Thatf(l, a.Status == status && (content == "" || a.Body == content),
			"%s: %d with %d bytes, want %d with %d", path, a.Status, len(a.Body), status, len(content))
	}
}

// TestLogoOfInvoices: a draft shows the logo of today, on its page and in its PDF file. An issued invoice keeps the one that it was issued
// with, and an invoice without a logo stays without one.
func TestLogoOfInvoices(t *testing.T) {
	l := setupLogos(t)
	invoice := func(key string, verbs ...string) string {
		command := sitetest.Change(invoicecases.Invoices().Command, "notes", key)
		return "/invoices/" + l.Prepared(l.Acme, key, invoicecases.Invoices(), command, verbs...).ID
	}
	pdf := func(invoice string) string { return l.person.Get(invoice + "/pdf").Body }
	plain := invoice("plain", "issue")
	plainPDF := pdf(plain)
	l.upload("red", "red.png", l.red)
	draft, red := invoice("draft"), invoice("red", "issue")
	redPDF, draftPDF := pdf(red), pdf(draft)
	assert.Thatf(t, !strings.Contains(plainPDF, "/Image") && strings.Contains(redPDF, "/Width 300 /Height 100"),
		"the logo isn't in the PDF file of the invoice, or in that of the one before")
	blue := l.upload("blue", "blue.png", l.blue)
	l.shows(plain+"/logo", "")
	l.shows(red+"/logo", l.red)
	l.shows(draft+"/logo", l.blue)
	assert.Thatf(t, pdf(plain) == plainPDF && pdf(red) == redPDF, "the PDF file of an issued invoice has changed")
	if now := pdf(draft); now == draftPDF || !strings.Contains(now, "/Width 100 /Height 300") || !strings.Contains(now, "/SMask") {
		t.Error("the PDF file of the draft hasn't the new logo")
	}
	l.program.Post("/api/v1"+blue+"/remove", "").Want(t, http.StatusOK)
	l.shows(draft+"/logo", "")
	l.shows(red+"/logo", l.red)
	for path, want := range map[string]bool{plain: false, red: true, draft: false} {
		a := l.person.Get(path)
		assert.Thatf(t, strings.Contains(a.Body, `src="`+path+`/logo"`) == want, "%s: its page shows a logo: %t", path, !want)
	}
	l.Person(l.Replica, l.Globex).Get(red+"/logo").Want(t, http.StatusNotFound, "another tenant")
}

// TestLogoOfCreditNotes: a credit note has the logo of its invoice.
func TestLogoOfCreditNotes(t *testing.T) {
	l := setupLogos(t)
	l.upload("red", "red.png", l.red)
	note := l.Prepared(l.Acme, "note", invoicecases.CreditNotes(), invoicecases.CreditNotes().Command).ID
	l.upload("blue", "blue.png", l.blue)
	if a := l.person.Get("/credit-notes/" + note + "/pdf"); !strings.Contains(a.Body, "/Width 300 /Height 100") {
		t.Error("the logo isn't in the PDF file")
	}
	if a := l.person.Get("/credit-notes/" + note); !strings.Contains(a.Body, `class="logo"`) {
		t.Error("the page doesn't show the logo")
	}
}

// TestLogosInTwoTabs: of logos that are uploaded at once, each is saved, and one is shown. Removing one that another tab has replaced
// changes nothing.
func TestLogosInTwoTabs(t *testing.T) {
	l := setupLogos(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			a := l.person.Submit("/logos", formWith(fmt.Sprint("tab ", i), fmt.Sprint(i, ".png"), l.red))
			a.Want(t, http.StatusSeeOther)
		})
	}
	all.Wait()
	if rows := l.Rows(); rows["logos"] != 8 || rows["file_contents"] != 1 || rows["intent_effects"] != 7 || len(l.current()) != 1 {
		t.Errorf("rows %v, current %v", rows, l.current())
	}
	first := l.upload("first", "first.png", l.red)
	page := l.Page(l.person.Get(first)).Says("first.png")
	second := l.upload("second", "second.png", l.blue)
	assert.Equal(t, l.upload("first", "first.png", l.red), first, "the same key led elsewhere")
	l.Page(l.person.Get(l.person.Press(page, "Remove").Location())).Says("first.png was already removed.", "Replaced")
	if got := l.current(); len(got) != 1 || got[0] != "second.png" {
		t.Errorf("current: %v", got)
	}
	l.person.Press(l.Page(l.person.Get(second)), "Remove")
	if got := l.current(); len(got) != 0 {
		t.Errorf("current: %v", got)
	}
	l.Page(l.person.Get(second)).Says("Logo second.png removed.")
}

// TestLogoAndSettingsInTwoTabs: a logo that is chosen in one tab and a name that is changed in another are both saved.
func TestLogoAndSettingsInTwoTabs(t *testing.T) {
	l := setupLogos(t)
	settings := l.Page(l.person.Get(l.person.Get("/settings/edit").Location()))
	logo := l.Page(l.person.Get(l.person.Get("/logos/new").Location())).Typed()
	l.person.Submit("/settings/edit", sitetest.Change(settings.Typed(), "name", "Acme Holding")).Want(t, http.StatusSeeOther)
	logo.Set("file", sitetest.FileValue("red.png", l.red))
	l.person.Submit("/logos", logo).Want(t, http.StatusSeeOther)
	inv := l.Prepared(l.Acme, "i", invoicecases.Invoices(), invoicecases.Invoices().Command).ID
	l.Page(l.person.Get("/invoices/" + inv)).Says("From Acme Holding")
	l.shows("/invoices/"+inv+"/logo", l.red)
}

// TestLogosThatAreRefused: each is refused with a sentence, and the key stays free.
func TestLogosThatAreRefused(t *testing.T) {
	l := setupLogos(t)
	for content, says := range map[string]string{
		"GIF89a": "logo.png is of another type. Choose a file of the type PNG or JPEG.", l.red[:40]: "logo.png can't be read as an image.",
		invoicecases.PNG(2001, 1, color.White): "logo.png has 2001 × 1 pixels. Choose an image of at most 2000 × 2000.",
		l.red + strings.Repeat("x", 1<<20):     "logo.png is larger than 1 MiB. Choose a smaller file.",
	} {
		a := l.person.Submit("/logos", formWith(sitetest.Key, "logo.png", content))
		assert.Thatf(t, a.Status == http.StatusUnprocessableEntity || a.Status == http.StatusRequestEntityTooLarge, "%s: %v", says, a)
		l.Page(a).Says(says)
	}
	assert.Thatf(t, len(l.current()) == 0 && l.Rows()["file_contents"] == 0, "something was saved")
	l.upload(sitetest.Key, "logo.png", l.red) // the key was not used up
}

// TestLogoReplacedWhilePDFIsMade: each PDF file has one logo or the other.
func TestLogoReplacedWhilePDFIsMade(t *testing.T) {
	l := setupLogos(t)
	l.upload("first", "red.png", l.red)
	draft := "/invoices/" + l.Prepared(l.Acme, "i", invoicecases.Invoices(), invoicecases.Invoices().Command).ID
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() { l.person.Submit("/logos", formWith(fmt.Sprint(i), "logo.png", []string{l.red, l.blue}[i%2])) })
		all.Go(func() {
			a := l.program.Get("/api/v1" + draft + "/pdf")
			red, blue := strings.Contains(a.Body, "/Width 300 /Height 100"), strings.Contains(a.Body, "/Width 100 /Height 300")
			assert.Thatf(t, a.Status == http.StatusOK && red != blue, "%d: red %t, blue %t", a.Status, red, blue)
		})
	}
	all.Wait()
}

// everyLogo returns the requests of the routes of logos.
func everyLogo(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	of, one := invoicecases.Logos(), "/logos/"+sitetest.RowID(7)
	routes := sitetest.EveryEvent(program, person, "/logos/{id}/events", one+"/events")
	maps.Copy(routes, map[string][]sitetest.Request{
		"GET /logos":                     sitetest.Gets(person, "/logos", "/logos?limit=100"),
		"GET /logos/new":                 sitetest.Gets(person, "/logos/new?key=fresh"),
		"GET /logos/{id}":                sitetest.Gets(person, one, "/logos/"+sitetest.Nobody),
		"GET /logos/{id}/file":           sitetest.Gets(person, one+"/file"),
		"GET /api/v1/logos":              sitetest.Gets(program, "/api/v1/logos"),
		"GET /api/v1/logos/{id}":         sitetest.Gets(program, "/api/v1"+one),
		"GET /api/v1/logos/{id}/file":    sitetest.Gets(program, "/api/v1"+one+"/file"),
		"GET /invoices/{id}/logo":        sitetest.Gets(person, "/invoices/"+sitetest.RowID(1)+"/logo"),
		"GET /api/v1/invoices/{id}/logo": sitetest.Gets(program, "/api/v1/invoices/"+sitetest.RowID(1)+"/logo"),
		"POST /logos": {{What: "logo", Want: http.StatusSeeOther, Send: func() sitetest.Answer {
			return person.Submit("/logos", url.Values{"idempotency_key": {"logo form"}, "file": of.Command["file"]})
		}}},
		"POST /api/v1/logos": {{What: "logo", Want: http.StatusCreated, Send: func() sitetest.Answer {
			return program.Create(of, "logo", of.Other)
		}}},
	})
	return routes
}

package web_test

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// withLines gives a command with n lines that can be told apart.
func withLines(n int) url.Values {
	form := change(invoices().command, "idempotency_key", key)
	for _, name := range []string{"line_description", "line_quantity", "line_unit_price", "line_tax_rate"} {
		form[name] = nil
		for i := range n {
			form.Add(name, strconv.Itoa(i+1))
		}
	}
	return form
}

// TestMoreLinesThanAllowed: all of them come back, with what to do about it.
func TestMoreLinesThanAllowed(t *testing.T) {
	b := setup(t)
	person := b.person(b.site, b.acme)
	for _, n := range []int{201, 500} {
		form := withLines(n)
		a := person.submit("/invoices", form)
		if a.status != http.StatusUnprocessableEntity {
			t.Fatalf("%d lines: %v", n, a)
		}
		p := b.page(a).says("An invoice can have at most 200 lines.")
		for name := range form {
			if got := p.typed()[name]; !slices.Equal(got, form[name]) {
				t.Errorf("%s of %d lines came back as %.200q", name, n, got)
			}
		}
		fewer := p.typed()
		fewer.Set("action", "remove_line:199")
		if got := b.page(person.submit("/invoices/form", fewer)).typed()["line_quantity"]; len(got) != n-1 || got[199] != "201" {
			t.Errorf("removing one of %d lines leaves %d: %.200q", n, len(got), got)
		}
	}
	b.wantRows(rows{})
}

// TestRaggedLines: a field is shown again even where the line's description is missing.
func TestRaggedLines(t *testing.T) {
	b := setup(t)
	form := change(invoices().command, "idempotency_key", key)
	form["line_unit_price"] = []string{"1", "2", "3"}
	a := b.person(b.site, b.acme).submit("/invoices", form)
	if got := b.page(a).typed()["line_unit_price"]; a.status != http.StatusUnprocessableEntity || len(got) != 3 {
		t.Errorf("prices %q in %v", got, a)
	}
}

// TestFormsBeyondTheBounds are answered with a page that says where what was typed still is.
func TestFormsBeyondTheBounds(t *testing.T) {
	b := setup(t)
	person := b.person(b.site, b.acme)
	for name, body := range map[string]string{
		"more than 500 lines":        withLines(501).Encode(),
		"very many fields":           withLines(1).Encode() + strings.Repeat("&a=", 3000),
		"a million fields":           withLines(1).Encode() + strings.Repeat("&a=", 300_000),
		"very many fields, no names": withLines(1).Encode() + strings.Repeat("&", 900_000),
		"more than 1 MiB":            withLines(1).Encode() + "&x=" + strings.Repeat("x", 1<<20),
	} {
		for _, path := range []string{"/invoices", "/invoices/form", "/customers"} {
			a := person.with("Content-Type", "application/x-www-form-urlencoded").post(path, body)
			if a.status != http.StatusRequestEntityTooLarge || len(a.body) > 16<<10 {
				t.Fatalf("%s to %s: %d bytes, %v", name, path, len(a.body), a)
			}
			b.page(a).says("Nothing was saved", "Back")
		}
	}
	b.wantRows(rows{})
}

// TestFieldsInDoubt: where a field comes twice, it is not for us to decide which one was meant.
func TestFieldsInDoubt(t *testing.T) {
	b := setup(t)
	person := b.person(b.site, b.acme)
	invoice, customer := change(invoices().command, "idempotency_key", key), change(customers().command, "idempotency_key", key)
	for _, name := range []string{
		"number", "customer_id", "customer_email", "customer_name", "issue_date", "due_date", "currency", "notes", "allow_repeat",
		"used_number",
	} {
		form := change(invoice)
		form[name] = []string{form.Get(name), form.Get(name) + "2"}
		if a := person.submit("/invoices", form); a.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %v", name, a)
		} else {
			b.page(a).says("came twice")
		}
	}
	for _, name := range []string{"email", "name"} {
		form := change(customer)
		form.Add(name, "another")
		if a := person.submit("/customers", form); a.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %v", name, a)
		} else {
			b.page(a).says("came twice")
		}
	}
	for _, path := range []string{"/invoices", "/customers", "/invoices/form"} {
		for _, name := range []string{"idempotency_key", "fresh_key"} {
			form := url.Values{"idempotency_key": {key}, name: {key, "another"}}
			if a := person.submit(path, form); a.status != http.StatusBadRequest {
				t.Errorf("two of %s to %s: %v", name, path, a)
			}
		}
	}
	fresh := change(invoice, "fresh_key", "fresh")
	if a := person.with("Idempotency-Key", key).submit("/invoices", fresh); a.status != http.StatusBadRequest {
		t.Errorf("a header that disagrees with the fresh key: %v", a)
	}
	b.wantRows(rows{})
	for _, query := range []string{"limit=1&limit=2", "cursor=" + key + "&cursor=" + key} {
		if a := b.program(b.site, b.acme).get("/api/v1/invoices?" + query); a.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %v", query, a)
		}
	}
}

// TestStrangersGetLittleBack: who is not logged in gets a small form back, and an honest page for a large one.
func TestStrangersGetLittleBack(t *testing.T) {
	b := setup(t)
	stranger := b.browser(b.site)
	small := change(invoices().command, "idempotency_key", key, "notes", strings.Repeat(`"`, 4000))
	p := b.page(stranger.submit("/invoices", small)).says("Nothing you typed is lost")
	if got := p.typed().Get("notes"); got != small.Get("notes") {
		t.Errorf("notes came back as %.100q", got)
	}
	button := url.Values{"idempotency_key": {key}} // nothing is typed there
	p = b.page(stranger.submit("/customers/"+uuid.NewString()+"/archive", button)).says("try again")
	if strings.Contains(p.text(), "you typed") {
		t.Error("a button has kept what was typed")
	}
	for _, size := range []int{20 << 10, 1<<20 - 500, 1 << 20} {
		large := withLines(1).Encode() + "&notes=" + strings.Repeat(`"`, size)
		for _, path := range []string{"/invoices", "/customers", "/invoices/form"} {
			a := stranger.with("Content-Type", "application/x-www-form-urlencoded").post(path, large)
			if a.status != http.StatusUnauthorized || len(a.body) > 16<<10 {
				t.Fatalf("%d bytes to %s: %d bytes, %v", size, path, len(a.body), a)
			}
			b.page(a).says("Nothing was saved", "Log in", "Back").leadsTo("/login")
		}
		a := stranger.with("Content-Type", "application/x-www-form-urlencoded").post("/login", "email="+large)
		if a.status != http.StatusRequestEntityTooLarge || len(a.body) > 16<<10 {
			t.Errorf("%d bytes to /login: %d bytes, %v", size, len(a.body), a)
		}
	}
	multipart := b.browser(b.site).with("Content-Type", `multipart/form-data; boundary=x`)
	if a := multipart.post("/login", "--x\r\nContent-Disposition: form-data; name=email\r\n\r\n"+
		b.acme.email+"\r\n--x--"); a.status != http.StatusUnprocessableEntity {
		t.Errorf("a login as multipart: %v", a)
	}
	b.wantRows(rows{})
}

// TestLongAddresses are refused before they are looked at.
func TestLongAddresses(t *testing.T) {
	b := setup(t)
	long := "?a=" + strings.Repeat("&a=", 4000)
	for path, c := range map[string]*client{
		"/invoices": b.stranger(b.site), "/invoices/new": b.person(b.site, b.acme), "/api/v1/invoices": b.program(b.site, b.acme),
		"/login": b.stranger(b.site), "/healthz": b.stranger(b.site), "/nowhere": b.stranger(b.site),
	} {
		if a := c.get(path + long); a.status != http.StatusRequestURITooLong {
			t.Errorf("%s: %v", path, a)
		}
	}
	// One that is allowed, and grows by being quoted, does not lead into a dead end.
	a := b.browser(b.site).get("/invoices/new?customer=" + strings.Repeat("<", 7000))
	if a.status != http.StatusSeeOther || b.stranger(b.site).get(a.location()).status != http.StatusOK {
		t.Errorf("%v", a)
	}
}

package site_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// TestFormsBeyondTheBounds are answered with a page that explains where the typed values are still available.
func TestFormsBeyondTheBounds(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.acme)
	usual := change(customers().command, "idempotency_key", key).Encode()
	for name, body := range map[string]string{
		"more than 500 of a field":   usual + strings.Repeat("&name=x", 501),
		"very many fields":           usual + strings.Repeat("&a=", 3000),
		"a million fields":           usual + strings.Repeat("&a=", 300_000),
		"very many fields, no names": usual + strings.Repeat("&", 900_000),
		"more than 1 MiB":            usual + "&x=" + strings.Repeat("x", 1<<20),
	} {
		a := person.with("Content-Type", "application/x-www-form-urlencoded").post("/customers", body)
		if a.status != http.StatusRequestEntityTooLarge || len(a.body) > 16<<10 {
			t.Fatalf("%s: %d bytes, %v", name, len(a.body), a)
		}
		b.page(a).says("Nothing was saved", "Back")
	}
	b.wantRows(rows{})
}

// TestFieldsInDoubt: a field that comes twice is refused, because the server can't decide which one was meant.
func TestFieldsInDoubt(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.acme)
	customer := change(customers().command, "idempotency_key", key)
	for _, name := range []string{"email", "name"} {
		form := change(customer)
		form.Add(name, "another")
		if a := person.submit("/customers", form); a.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %v", name, a)
		} else {
			b.page(a).says("was sent twice")
		}
	}
	for _, name := range []string{"idempotency_key", "fresh_key"} {
		form := url.Values{"idempotency_key": {key}, name: {key, "another"}}
		if a := person.submit("/customers", form); a.status != http.StatusBadRequest {
			t.Errorf("two of %s: %v", name, a)
		}
	}
	b.wantRows(rows{})
	for _, query := range []string{"limit=1&limit=2", "cursor=" + key + "&cursor=" + key} {
		if a := b.program(b.replica, b.acme).get("/api/v1/customers?" + query); a.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %v", query, a)
		}
	}
}

// TestStrangersGetLittleBack: a visitor who isn't logged in gets a small form back, and for a large one a page without the
// values.
func TestStrangersGetLittleBack(t *testing.T) {
	b := setup(t)
	stranger := b.browser(b.replica)
	small := change(customers().command, "idempotency_key", key, "address", strings.Repeat(`"`, 4000))
	p := b.page(stranger.submit("/customers", small)).says("What you typed is kept")
	if got := p.typed().Get("address"); got != small.Get("address") {
		t.Errorf("the address came back as %.100q", got)
	}
	button := url.Values{"idempotency_key": {key}} // nothing is typed there
	p = b.page(stranger.submit("/customers/"+uuid.NewString()+"/archive", button)).says("try again")
	if strings.Contains(p.text(), "you typed") {
		t.Error("a button has kept what was typed")
	}
	for _, size := range []int{20 << 10, 1<<20 - 500, 1 << 20} {
		large := customers().command.Encode() + "&address=" + strings.Repeat(`"`, size)
		a := stranger.with("Content-Type", "application/x-www-form-urlencoded").post("/customers", large)
		if a.status != http.StatusUnauthorized || len(a.body) > 16<<10 {
			t.Fatalf("%d bytes: %d bytes, %v", size, len(a.body), a)
		}
		b.page(a).says("Nothing was saved", "Log in", "Back").leadsTo("/login")
		a = stranger.with("Content-Type", "application/x-www-form-urlencoded").post("/login", "email="+large)
		if a.status != http.StatusRequestEntityTooLarge || len(a.body) > 16<<10 {
			t.Errorf("%d bytes to /login: %d bytes, %v", size, len(a.body), a)
		}
	}
	multipart := b.browser(b.replica).with("Content-Type", `multipart/form-data; boundary=x`)
	if a := multipart.post("/login", "--x\r\nContent-Disposition: form-data; name=email\r\n\r\n"+
		b.acme.email+"\r\n--x--"); a.status != http.StatusUnprocessableEntity {
		t.Errorf("a login as multipart: %v", a)
	}
	b.wantRows(rows{})
}

// TestLongAddresses are refused before they are parsed.
func TestLongAddresses(t *testing.T) {
	b := setup(t)
	long := "?a=" + strings.Repeat("&a=", 4000)
	for path, c := range map[string]*client{
		"/customers": b.stranger(b.replica), "/customers/new": b.person(b.replica, b.acme),
		"/api/v1/customers": b.program(b.replica, b.acme),
		"/login":            b.stranger(b.replica), "/healthz": b.stranger(b.replica), "/nowhere": b.stranger(b.replica),
	} {
		if a := c.get(path + long); a.status != http.StatusRequestURITooLong {
			t.Errorf("%s: %v", path, a)
		}
	}
	// An allowed address that grows by escaping must not lead into a dead end.
	a := b.browser(b.replica).get("/customers/new?of=" + strings.Repeat("<", 7000))
	if a.status != http.StatusSeeOther || b.stranger(b.replica).get(a.location()).status != http.StatusOK {
		t.Errorf("%v", a)
	}
}

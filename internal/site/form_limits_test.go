package site_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

// TestFormsBeyondTheBounds are answered with a page that explains where the typed values are still available.
func TestFormsBeyondTheBounds(t *testing.T) {
	b := setup(t)
	person := b.Person(b.Replica, b.Acme)
	usual := sitetest.Change(customercases.Customers().Command, "idempotency_key", sitetest.Key).Encode()
	for name, body := range map[string]string{
		"more than 500 of a field":   usual + strings.Repeat("&name=x", 501),
		"very many fields":           usual + strings.Repeat("&a=", 3000),
		"a million fields":           usual + strings.Repeat("&a=", 300_000),
		"very many fields, no names": usual + strings.Repeat("&", 900_000),
		"more than 1 MiB":            usual + "&x=" + strings.Repeat("x", 1<<20),
	} {
		a := person.With("Content-Type", "application/x-www-form-urlencoded").Post("/customers", body)
		must.Thatf(t, a.Status == http.StatusRequestEntityTooLarge && len(a.Body) <= 16<<10, "%s: %d bytes, %v", name, len(a.Body), a)
		b.Page(a).Says("Nothing was saved", "Back")
	}
	b.WantRows(sitetest.Rows{})
}

// TestFieldsInDoubt: a field that comes twice is refused, because the server can't decide which one was meant.
func TestFieldsInDoubt(t *testing.T) {
	b := setup(t)
	person := b.Person(b.Replica, b.Acme)
	customer := sitetest.Change(customercases.Customers().Command, "idempotency_key", sitetest.Key)
	for _, name := range []string{"email", "name"} {
		form := sitetest.Change(customer)
		form.Add(name, "another")
		if a := person.Submit("/customers", form); a.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %v", name, a)
		} else {
			b.Page(a).Says("was sent twice")
		}
	}
	for _, name := range []string{"idempotency_key", "fresh_key"} {
		form := url.Values{"idempotency_key": {sitetest.Key}, name: {sitetest.Key, "another"}}
		a := person.Submit("/customers", form)
		assert.Thatf(t, a.Status == http.StatusBadRequest, "two of %s: %v", name, a)
	}
	b.WantRows(sitetest.Rows{})
	for _, query := range []string{"limit=1&limit=2", "cursor=" + sitetest.Key + "&cursor=" + sitetest.Key} {
		a := b.Program(b.Replica, b.Acme).Get("/api/v1/customers?" + query)
		assert.Thatf(t, a.Status == http.StatusUnprocessableEntity, "%s: %v", query, a)
	}
}

// TestStrangersGetLittleBack: a visitor who isn't logged in gets a small form back, and for a large one a page without the
// values.
func TestStrangersGetLittleBack(t *testing.T) {
	b := setup(t)
	stranger := b.Browser(b.Replica)
	small := sitetest.Change(customercases.Customers().Command, "idempotency_key", sitetest.Key, "address", strings.Repeat(`"`, 4000))
	p := b.Page(stranger.Submit("/customers", small)).Says("What you typed is kept")
	got := p.Typed().Get("address")
	assert.Thatf(t, got == small.Get("address"), "the address came back as %.100q", got)
	button := url.Values{"idempotency_key": {sitetest.Key}} // nothing is typed there
	p = b.Page(stranger.Submit("/customers/"+uuid.NewString()+"/archive", button)).Says("try again")
	assert.Thatf(t, !strings.Contains(p.Text(), "you typed"), "a button has kept what was typed")
	for _, size := range []int{20 << 10, 1<<20 - 500, 1 << 20} {
		large := customercases.Customers().Command.Encode() + "&address=" + strings.Repeat(`"`, size)
		a := stranger.With("Content-Type", "application/x-www-form-urlencoded").Post("/customers", large)
		must.Thatf(t, a.Status == http.StatusUnauthorized && len(a.Body) <= 16<<10, "%d bytes: %d bytes, %v", size, len(a.Body), a)
		b.Page(a).Says("Nothing was saved", "Log in", "Back").LeadsTo("/login")
		a = stranger.With("Content-Type", "application/x-www-form-urlencoded").Post("/login", "email="+large)
		assert.Thatf(t, a.Status == http.StatusRequestEntityTooLarge && len(a.Body) <= 16<<10,
			"%d bytes to /login: %d bytes, %v", size, len(a.Body), a)
	}
	multipart := b.Browser(b.Replica).With("Content-Type", `multipart/form-data; boundary=x`)
	if a := multipart.Post("/login", "--x\r\nContent-Disposition: form-data; name=email\r\n\r\n"+
		b.Acme.Email+"\r\n--x--"); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("a login as multipart: %v", a)
	}
	b.WantRows(sitetest.Rows{})
}

// TestLongAddresses are refused before they are parsed.
func TestLongAddresses(t *testing.T) {
	b := setup(t)
	long := "?a=" + strings.Repeat("&a=", 4000)
	for path, c := range map[string]*sitetest.Client{
		"/customers": b.Stranger(b.Replica), "/customers/new": b.Person(b.Replica, b.Acme),
		"/api/v1/customers": b.Program(b.Replica, b.Acme),
		"/login":            b.Stranger(b.Replica), "/healthz": b.Stranger(b.Replica), "/nowhere": b.Stranger(b.Replica),
	} {
		a := c.Get(path + long)
		assert.Thatf(t, a.Status == http.StatusRequestURITooLong, "%s: %v", path, a)
	}
	// An allowed address that grows by escaping must not lead into a dead end.
	a := b.Browser(b.Replica).Get("/customers/new?of=" + strings.Repeat("<", 7000))
	assert.Thatf(t, a.Status == http.StatusSeeOther && b.Stranger(b.Replica).Get(a.Location()).Status == http.StatusOK, "%v", a)
}

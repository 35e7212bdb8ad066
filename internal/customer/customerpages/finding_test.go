package customerpages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
	"onlyonce/migrations"
)

// TestCustomersAreSearched by the beginnings of the words of their names and emails, archived or not.
func TestCustomersAreSearched(t *testing.T) {
	b := sitetest.Setup(t)
	for i, name := range []string{"Łukasz Żak", "Lukas Meyer", "Ada Lovelace"} {
		b.Exec(`INSERT INTO customers (tenant_id, id, email, name, archived_at) VALUES ($1, gen_random_uuid(), $2, $3, $4)`,
			b.Acme.ID, fmt.Sprintf("p%d@studio.example", i), name, map[bool]any{true: time.Now()}[i == 2])
	}
	b.Program(b.Replica, b.Globex).
		Create(customercases.Customers(), sitetest.Key, sitetest.Change(customercases.Customers().Command, "name", "Luka Person"))
	program := b.Program(b.Replica, b.Acme)
	for query, want := range map[string]int{
		"q=luk": 2, "q=LUKASZ": 1, "q=zak+luk": 1, "q=p1%40studio": 1, "q=studio": 2, "q=studio&archived=1": 1,
		"q=ada": 0, "q=ada&archived=1": 1,
		"q=person": 0, "q=ukasz": 0,
	} {
		page := sitetest.Decode[struct {
			Customers []struct{} `json:"customers"`
		}](b, program.Get("/api/v1/customers?"+query))
		assert.Thatf(t, len(page.Customers) == want, "%s finds %d, want %d", query, len(page.Customers), want)
	}
}

// TestCustomersAreFoundByDetails checks that customers are found by their tax ID, with or without its spaces, contact, reference and
// address, also those of earlier versions, and no longer by details that were changed.
func TestCustomersAreFoundByDetails(t *testing.T) {
	b := sitetest.Setup(t)
	b.DB.Spoil(t)
	b.Exec(`
		INSERT INTO customers (tenant_id, id, email, name, tax_id, contact, reference, address)
		VALUES ($1, gen_random_uuid(), 'ap@studio.example', 'Studio', 'DE 136 695.976', 'Zoë Żak', 'PO-4711', E'Am Wall 5\n28195 Bremen')`,
		b.Acme.ID)
	program := b.Program(b.Replica, b.Acme)
	finds := func(query string, want int) {
		t.Helper()
		page := sitetest.Decode[struct {
			Customers []struct{} `json:"customers"`
		}](b, program.Get("/api/v1/customers?q="+url.QueryEscape(query)))
		assert.Thatf(t, len(page.Customers) == want, "%s finds %d, want %d", query, len(page.Customers), want)
	}
	all := []string{"DE136695976", "de 136 695 976", "136695", "zoe zak", "po-4711", "4711 studio", "bremen", "wall 28195"}
	for _, query := range all[:2] {
		finds(query, 1)
	}
	const words = `SELECT string_agg(word, ' ' ORDER BY word) FROM customer_words`
	after := sitetest.Get[string](b, words)
	text, err := migrations.FS.ReadFile("00230_customers_found_by_address.sql")
	must.OK(t, err)
	_, filling, _ := strings.Cut(string(text), "DO $$")
	filling, _, _ = strings.Cut(filling, "END $$;")
	b.Exec(`DELETE FROM customer_words WHERE word NOT IN ('ap', 'studio', 'example')`)
	b.Exec(`DO $$` + filling + `END $$`)
	assert.Equal(t, sitetest.Get[string](b, words), after)
	for _, query := range all {
		finds(query, 1)
	}
	b.Exec(`UPDATE customers SET tax_id = '', contact = 'Studio', reference = '', address = ''`)
	for _, query := range all {
		finds(query, 0)
	}
	finds("studio", 1)
}

// TestHostileSearches find nothing, or are refused in a sentence, and the form keeps the typed text.
func TestHostileSearches(t *testing.T) {
	b := sitetest.Setup(t)
	program, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	searched := []sitetest.Resource{customercases.Customers()}
	for _, of := range searched {
		program.Create(of, sitetest.Key, of.Command)
	}
	for _, c := range []struct {
		q      string
		status int
	}{
		{"%", 200}, {"_", 200}, {"\\", 200}, {"'", 200}, {`"`, 200}, {"' OR true --", 200}, {"%%%___", 200}, {"$1 @q @tenant_id", 200},
		{"a b c d e f g h i j k l", 200}, {strings.Repeat("x", 200), 200}, {strings.Repeat("x", 201), 422},
		{strings.Repeat("x ", 3000), 422},
		{"\xff", 422}, {"a\u202eb", 422}, {"a\x00b", 422}, {strings.Repeat("x", 10_000), 414},
	} {
		for _, of := range searched {
			list := of.Path[1:]
			path := "/" + list + "?q=" + url.QueryEscape(c.q)
			if a := program.Get("/api/v1" + path); a.Status != c.status || c.status == 200 && strings.Contains(a.Body, `"id"`) {
				t.Errorf("%.20q in %s: %v", c.q, list, a)
			}
			a := person.Get(path)
			a.Want(t, c.status, c.q, list)
			if c.status == 200 {
				b.Page(a).Says("No " + list + " found")
			}
			if c.status == 422 {
				b.Page(a).Says("Check your filters")
			}
		}
	}
}

// TestExternalUpdate: a program that may not create a record again updates it with PUT, from the version that it has seen. Its
// next sync then finds its own content. Later changes by people stay.
func TestExternalUpdate(t *testing.T) {
	b := sitetest.Setup(t)
	of := customercases.Customers().Called("1")
	program, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	made := program.Create(of, "first", of.Command)
	address := made.Location()
	edited := sitetest.Change(of.Command, "name", "Ada King")
	put := func(key, tag string) sitetest.Answer {
		c := program.With("Idempotency-Key", key).With("If-Match", tag)
		return c.Must(c.Send(t.Context(), http.MethodPut, address, of.API.Encode(edited)))
	}
	program.Create(of, "edited", edited).Want(t, http.StatusConflict)
	put("stale", sitetest.ETag(2)).Want(t, http.StatusPreconditionFailed)
	if a := put("update", sitetest.ETag(1)); a.Status != http.StatusOK || !strings.Contains(a.Body, "Ada King") {
		t.Errorf("%v", a)
	}
	program.Create(of, "edited", edited).Want(t, http.StatusOK)
	program.Create(of, "outdated", of.Command).Want(t, http.StatusConflict)
	byHand := sitetest.Change(of.Command, "name", "Countess Ada", "idempotency_key", "by hand", "version", "2")
	person.Submit(strings.TrimPrefix(address, "/api/v1")+"/edit", byHand).Want(t, http.StatusSeeOther)
	if a := program.Create(of, "again", edited); a.Status != http.StatusOK || !strings.Contains(a.Body, "Countess Ada") ||
		!strings.Contains(a.Body, `"external_id":"1"`) {
		t.Errorf("%v", a)
	}
	b.WantRows(sitetest.Rows{"customers": 1, "intents": 5})
}

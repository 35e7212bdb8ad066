package site_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestCustomersAreSearched by the beginnings of the words of their names and emails, archived or not.
func TestCustomersAreSearched(t *testing.T) {
	b := setup(t)
	for i, name := range []string{"Łukasz Żak", "Lukas Meyer", "Ada Lovelace"} {
		b.exec(`INSERT INTO customers (tenant_id, id, email, name, archived_at) VALUES ($1, gen_random_uuid(), $2, $3, $4)`,
			b.acme.id, fmt.Sprintf("p%d@studio.example", i), name, map[bool]any{true: time.Now()}[i == 2])
	}
	b.program(b.replica, b.globex).create(customers(), key, change(customers().command, "name", "Luka Person"))
	program := b.program(b.replica, b.acme)
	for query, want := range map[string]int{
		"q=luk": 2, "q=LUKASZ": 1, "q=zak+luk": 1, "q=p1%40studio": 1, "q=studio": 2, "q=studio&archived=1": 1,
		"q=ada": 0, "q=ada&archived=1": 1,
		"q=person": 0, "q=ukasz": 0,
	} {
		page := decode[struct {
			Customers []struct{} `json:"customers"`
		}](b, program.get("/api/v1/customers?"+query))
		if len(page.Customers) != want {
			t.Errorf("%s finds %d, want %d", query, len(page.Customers), want)
		}
	}
}

// TestHostileSearches find nothing, or are refused in a sentence, and the form keeps the typed text.
func TestHostileSearches(t *testing.T) {
	b := setup(t)
	program, person := b.program(b.replica, b.acme), b.person(b.replica, b.acme)
	searched := []resource{customers()}
	for _, of := range searched {
		program.create(of, key, of.command)
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
			list := of.path[1:]
			path := "/" + list + "?q=" + url.QueryEscape(c.q)
			if a := program.get("/api/v1" + path); a.status != c.status || c.status == 200 && strings.Contains(a.body, `"id"`) {
				t.Errorf("%.20q in %s: %v", c.q, list, a)
			}
			a := person.get(path)
			if a.status != c.status {
				t.Errorf("%.20q in the page of %s: %v", c.q, list, a)
			}
			if c.status == 200 {
				b.page(a).says("No " + list + " found")
			}
			if c.status == 422 {
				b.page(a).says("Check your filters")
			}
		}
	}
}

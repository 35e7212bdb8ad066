package site_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"testing"

	"onlyonce/internal/invoice/series"
)

func nextNumbers() resource {
	command := url.Values{"number": {"2026-0139"}}
	return resource{
		name: "next number", path: "/next-numbers", words: words{verb: "set", past: "set", button: "Set next number"}, command: command,
		label:  "2026-0139",
		leaves: rows{"next_numbers": 1, "invoice_number_starts": 1, "intents": 1},
		other:  change(command, "number", "2027-0139"),
		fields: []field{{"number", "2026-0140", "soon", "/number"}},
		api:    api{func(form url.Values) string { return encode(map[string]any{"number": form.Get("number")}) }, series.Input{}},
	}
}

// everyNextNumber returns the requests of the routes of next numbers.
func (b *bundle) everyNextNumber(program, person *client) map[string][]request {
	of := nextNumbers()
	post := func(path string, forms ...url.Values) (all []request) {
		for _, form := range forms {
			all = append(all, request{path, 0, func() answer { return person.submit(path, form) }})
		}
		return all
	}
	routes := everyEvent(program, person, "/next-numbers/{id}/events", "/next-numbers/"+rowID(1)+"/events")
	maps.Copy(routes, map[string][]request{
		"GET /next-numbers":             gets(person, "/next-numbers", "/next-numbers?limit=100"),
		"GET /next-numbers/new":         gets(person, "/next-numbers/new?key=fresh"),
		"GET /next-numbers/{id}":        gets(person, "/next-numbers/"+rowID(1), "/next-numbers/"+nobody),
		"GET /api/v1/next-numbers":      gets(program, "/api/v1/next-numbers"),
		"GET /api/v1/next-numbers/{id}": gets(program, "/api/v1/next-numbers/"+rowID(1)),
		"POST /next-numbers": post("/next-numbers", change(of.command, "number", "2026-99990", "idempotency_key", "next"),
			change(of.command, "number", "CN-2026-99990", "idempotency_key", "next credit"),
			change(of.command, "number", "2026-0001", "idempotency_key", "taken")),
		"POST /api/v1/next-numbers": {
			{"next number", 0, func() answer { return program.create(of, "next", change(of.command, "number", "2026-99991")) }},
		},
	})
	return routes
}

// TestNextNumbers: a series continues with the number that was set, for invoices and for credit notes.
func TestNextNumbers(t *testing.T) {
	b := setup(t)
	program, person := b.program(b.replica, b.acme), b.person(b.replica, b.acme)
	times := 0
	set := func(number string, want int, says string) {
		t.Helper()
		times++
		a := person.submit("/next-numbers", url.Values{"number": {number}, "idempotency_key": {fmt.Sprint("set ", times)}})
		if a.status != want {
			t.Errorf("%s: %v, want %d", number, a, want)
		}
		if says != "" {
			b.page(a).says(says)
		}
	}
	inv := b.prepared(b.acme, "first", invoices(), invoices().command, "issue")
	set("2026-0001", http.StatusUnprocessableEntity, "2026-0001 can't be the next number: it's taken, or behind one that is. "+
		"Without a change, the next is 2026-0002.")
	set("２０２６–0138", http.StatusSeeOther, "")
	for _, want := range []string{"2026-0138", "2026-0139"} {
		if a := program.create(invoices(), want, change(invoices().command, "notes", want)); decode[created](b, a).Number != want {
			t.Errorf("%v, want %s", a, want)
		}
	}
	of := creditNotes()
	of.parent.id = inv.ID
	note := func(key string) string {
		return get[string](b, `SELECT number FROM credit_notes WHERE id = $1`, decode[created](b, program.create(of, key, of.command)).ID)
	}
	first := note("first")
	set(first, http.StatusUnprocessableEntity, "it's taken")
	set(first[:8]+"0012", http.StatusSeeOther, "")
	set(first[:8]+"0011", http.StatusSeeOther, "") // 12 is not taken yet
	if got := note("second"); got != first[:8]+"0011" {
		t.Errorf("the credit note is %s", got)
	}
	set(first[:8]+"0005", http.StatusUnprocessableEntity, "Without a change, the next is "+first[:8]+"0012.")
}

// TestTypedAhead: if a typed number is ahead of its series, a form asks once where the series continues, and the API doesn't.
func TestTypedAhead(t *testing.T) {
	for answer, want := range map[string]string{"Go on with 2026-0139": "2026-0139", "Go on with 2026-0001": "2026-0001"} {
		t.Run(answer, func(t *testing.T) {
			b := setup(t)
			program, person := b.program(b.replica, b.acme), b.person(b.replica, b.acme)
			b.prepared(b.globex, "theirs", invoices(), change(invoices().command, "number", "2026-0138"))
			asked := b.page(person.submit("/invoices", change(invoices().command, "number", "2026-0138", "idempotency_key", key))).says(
				"2026-0138 is ahead of the next number, 2026-0001.")
			if a := person.press(asked, answer); a.status != http.StatusSeeOther {
				t.Fatalf("%v", a)
			}
			again := change(invoices().command, "number", "2026-0500", "notes", "again", "line_quantity", "7", "idempotency_key", "other")
			if a := person.submit("/invoices", again); a.status != http.StatusSeeOther {
				t.Errorf("asked again: %v", a)
			}
			a := program.create(invoices(), "allocated", invoices().command)
			if got := decode[created](b, a).Number; got != want {
				t.Errorf("%v, want %s", a, want)
			}
			theirs := b.program(b.replica, b.globex).create(invoices(), "next", invoices().command)
			if next := decode[created](b, theirs).Number; next != "2026-0001" {
				t.Errorf("a program that says nothing: %s", next)
			}
		})
	}
}

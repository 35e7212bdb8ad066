package invoicepages_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitetest"
)

// everyNextNumber returns the requests of the routes of next numbers.
func everyNextNumber(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	of := invoicecases.NextNumbers()
	post := func(path string, forms ...url.Values) (all []sitetest.Request) {
		for _, form := range forms {
			all = append(all, sitetest.Request{What: path, Want: 0, Send: func() sitetest.Answer { return person.Submit(path, form) }})
		}
		return all
	}
	routes := sitetest.EveryEvent(program, person, "/next-numbers/{id}/events", "/next-numbers/"+sitetest.RowID(1)+"/events")
	maps.Copy(routes, map[string][]sitetest.Request{
		"GET /next-numbers":             sitetest.Gets(person, "/next-numbers", "/next-numbers?limit=100"),
		"GET /next-numbers/new":         sitetest.Gets(person, "/next-numbers/new?key=fresh"),
		"GET /next-numbers/{id}":        sitetest.Gets(person, "/next-numbers/"+sitetest.RowID(1), "/next-numbers/"+sitetest.Nobody),
		"GET /api/v1/next-numbers":      sitetest.Gets(program, "/api/v1/next-numbers"),
		"GET /api/v1/next-numbers/{id}": sitetest.Gets(program, "/api/v1/next-numbers/"+sitetest.RowID(1)),
		"POST /next-numbers": post("/next-numbers", sitetest.Change(of.Command, "number", "2026-99990", "idempotency_key", "next"),
			sitetest.Change(of.Command, "number", "CN-2026-99990", "idempotency_key", "next credit"),
			sitetest.Change(of.Command, "number", "2026-0001", "idempotency_key", "taken")),
		"POST /api/v1/next-numbers": {
			{What: "next number", Want: 0, Send: func() sitetest.Answer {
				return program.Create(of, "next", sitetest.Change(of.Command, "number", "2026-99991"))
			}},
		},
	})
	pattern, first := invoicecases.NumberPatterns(), "/number-patterns/"+sitetest.RowID(1)
	maps.Copy(routes, sitetest.EveryEvent(program, person, "/number-patterns/{id}/events", first+"/events"))
	maps.Copy(routes, map[string][]sitetest.Request{
		"GET /number-patterns":             sitetest.Gets(person, "/number-patterns", "/number-patterns?limit=100"),
		"GET /number-patterns/new":         sitetest.Gets(person, "/number-patterns/new?key=fresh"),
		"GET /number-patterns/{id}":        sitetest.Gets(person, first, "/number-patterns/"+sitetest.Nobody),
		"GET /api/v1/number-patterns":      sitetest.Gets(program, "/api/v1/number-patterns"),
		"GET /api/v1/number-patterns/{id}": sitetest.Gets(program, "/api/v1"+first),
		"POST /number-patterns": post("/number-patterns", sitetest.Change(pattern.Command, "idempotency_key", "pattern"),
			sitetest.Change(pattern.Command, "pattern", "{YYYY}-{NNN}", "idempotency_key", "same form")),
		"POST /api/v1/number-patterns": {
			{What: "number pattern", Want: 0, Send: func() sitetest.Answer {
				return program.Create(pattern, "pattern", sitetest.Change(pattern.Command, "pattern", "{YYYY}-{NNNN}"))
			}},
		},
	})
	return routes
}

// TestNextNumbers: a series continues with the number that was set, for invoices and for credit notes.
func TestNextNumbers(t *testing.T) {
	b := sitetest.Setup(t)
	program, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	times := 0
	set := func(number string, want int, says string) {
		t.Helper()
		times++
		a := person.Submit("/next-numbers", url.Values{"number": {number}, "idempotency_key": {fmt.Sprint("set ", times)}})
		a.Want(t, want, number)
		if says != "" {
			b.Page(a).Says(says)
		}
	}
	inv := b.Prepared(b.Acme, "first", invoicecases.Invoices(), invoicecases.Invoices().Command, "issue")
	set("2026-0001", http.StatusUnprocessableEntity, "2026-0001 can't be the next number: it's taken, or behind one that is. "+
		"Without a change, the next is 2026-0002.")
	set("２０２６–0138", http.StatusSeeOther, "")
	for _, want := range []string{"2026-0138", "2026-0139"} {
		a := program.Create(invoicecases.Invoices(), want, sitetest.Change(invoicecases.Invoices().Command, "notes",
			want))
		assert.Thatf(t, sitetest.Decode[sitetest.Created](
			b,
			a,
		).Number == want, "%v, want %s", a, want)
	}
	of := invoicecases.CreditNotes()
	of.Parent.ID = inv.ID
	note := func(key string) string {
		return sitetest.Get[string](b, `SELECT number FROM credit_notes WHERE id = $1`,
			sitetest.Decode[sitetest.Created](b, program.Create(of, key, of.Command)).ID)
	}
	first := note("first")
	set(first, http.StatusUnprocessableEntity, "it's taken")
	set(first[:8]+"0012", http.StatusSeeOther, "")
	set(first[:8]+"0011", http.StatusSeeOther, "") // 12 is not taken yet
	assert.Equal(t, note("second"), first[:8]+"0011", "the credit note")
	set(first[:8]+"0005", http.StatusUnprocessableEntity, "Without a change, the next is "+first[:8]+"0012.")
}

// TestTypedAhead: if a typed number is ahead of its series, a form asks once where the series continues, and the API doesn't.
func TestTypedAhead(t *testing.T) {
	for answer, want := range map[string]string{"Go on with 2026-0139": "2026-0139", "Go on with 2026-0001": "2026-0001"} {
		t.Run(answer, func(t *testing.T) {
			b := sitetest.Setup(t)
			program, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
			b.Prepared(b.Globex, "theirs", invoicecases.Invoices(), sitetest.Change(invoicecases.Invoices().Command, "number", "2026-0138"))
			asked := b.Page(person.Submit("/invoices", sitetest.Change(invoicecases.Invoices().Command, "number", "2026-0138",
				"idempotency_key", sitetest.Key))).
				Says(
					"2026-0138 is ahead of the next number, 2026-0001.")
			person.Press(asked, answer).Want(t, http.StatusSeeOther)
			again := sitetest.Change(invoicecases.Invoices().Command, "number", "2026-0500", "notes", "again", "line_quantity", "7",
				"idempotency_key", "other")
			person.Submit("/invoices", again).Want(t, http.StatusSeeOther, "asked again")
			a := program.Create(invoicecases.Invoices(), "allocated", invoicecases.Invoices().Command)
			assert.Equal(t, sitetest.Decode[sitetest.Created](b, a).Number, want, a)
			theirs := b.Program(b.Replica, b.Globex).Create(invoicecases.Invoices(), "next", invoicecases.Invoices().Command)
			assert.Equal(t, sitetest.Decode[sitetest.Created](b, theirs).Number, "2026-0001", "a program that says nothing")
		})
	}
}

// TestNumberPatterns: a continuous pattern with a space applies to suggestions, the question about a number ahead, and next numbers.
func TestNumberPatterns(t *testing.T) {
	b := sitetest.Setup(t)
	program, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	of := invoicecases.Invoices()
	b.Prepared(b.Acme, "pattern", invoicecases.NumberPatterns(), url.Values{"pattern": {"RE {NN}"}})
	b.Page(person.Get(person.Get("/invoices/new").Location())).Says("Leave blank for the next number. In 2026 it is RE 01.")
	asked := b.Page(person.Submit("/invoices", sitetest.Change(of.Command, "number", "re 05", "idempotency_key", sitetest.Key))).
		Says("re 05 is ahead of the next number, RE 01.")
	person.Press(asked, "Go on with RE 06").Want(t, http.StatusSeeOther)
	b.Page(person.Submit("/next-numbers", url.Values{"number": {"2026-0139"}, "idempotency_key": {"default"}})).
		Says("Enter the whole number, like RE 06 for an invoice or CN-2026-0012 for a credit note.")
	b.Prepared(b.Acme, "next", invoicecases.NextNumbers(), url.Values{"number": {"re 120"}})
	for i, issued := range []string{"2026-11-21", "2027-01-01"} {
		a := program.Create(of, issued, sitetest.Change(of.Command, "issue_date", issued, "due_date", "2027-12-31"))
		assert.Equal(t, sitetest.Decode[sitetest.Created](b, a).Number, fmt.Sprint("RE ", 120+i), a)
	}
}

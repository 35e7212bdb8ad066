package site_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/invoice/duplicate"
)

func invoiceDistinctions() resource {
	var four []reference
	for _, id := range []string{referred, second, third, fourth} {
		four = append(four, reference{invoices(), id})
	}
	both := func(ids ...string) string { return strings.Join(ids, " ") }
	return resource{
		name: "invoice distinction", path: "/invoice-distinctions", words: words{verb: "remember", past: "remembered", button: "Remember distinction"},
		command: url.Values{"invoices": {both(referred, second)}}, label: "2026-0001, 2026-0002",
		leaves: rows{"invoice_distinctions": 1, "invoice_distinct_pairs": 1, "intent_effects": 2, "intents": 1},
		other:  url.Values{"invoices": {both(third, fourth)}},
		refers: four,
		fields: []field{{"invoices", both(referred, third), referred, "/invoice_ids"}},
		api: api{func(form url.Values) string {
			return encode(map[string]any{"invoice_ids": strings.Fields(form.Get("invoices"))})
		}, duplicate.ApartInput{}},
	}
}

// growInvoiceDistinctions inserts distinctions for acme, and gives two invoices the same amounts.
func (b *bundle) growInvoiceDistinctions() {
	b.Helper()
	b.exec(fmt.Sprintf(`
		SET LOCAL session_replication_role = replica;
		UPDATE invoices SET (subtotal, total) = (1, 1) WHERE id IN ('%[3]s', '%[4]s');
		INSERT INTO invoice_distinctions (tenant_id, id, invoice_ids)
		SELECT '%[1]s', pg_temp.id(n), ARRAY[pg_temp.id(n), pg_temp.id(n + 1)] FROM generate_series(1, %[2]d) AS n;
		INSERT INTO invoice_distinct_pairs (tenant_id, one_id, other_id)
		SELECT '%[1]s', pg_temp.id(n), pg_temp.id(n + 1) FROM generate_series(1, %[2]d) AS n`,
		b.acme.id, many, rowID(many-500), rowID(many-200)))
}

// everyDuplicateInvoice returns the requests of the routes of duplicate invoices, and of their distinctions.
func (b *bundle) everyDuplicateInvoice(program, person *client) map[string][]request {
	routes := b.everyPair(program, person, invoiceDistinctions(), func(n int) url.Values {
		return url.Values{"invoices": {rowID(n) + " " + rowID(n+2)}}
	})
	for prefix, caller := range map[string]*client{"": person, "/api/v1": program} {
		groups, from := prefix+"/duplicate-invoices", rowID(1)+" 2026-03-01 "+rowID(900)
		found := request{"groups", http.StatusOK, func() answer {
			a := caller.get(groups)
			if !strings.Contains(a.body, rowID(many-200)) {
				b.Errorf("the two that are alike are not found: %v", a)
			}
			return a
		}}
		routes["GET "+groups] = []request{found, asking(caller, at(groups+"?limit=1", from, from, false))}
	}
	return routes
}

// TestDuplicateInvoices: the page shows why the invoices are likely duplicates. A button voids one as a duplicate of the other,
// and both refer to each other in pages, in the API and in their histories. Invoices that are marked as distinct aren't shown
// again.
func TestDuplicateInvoices(t *testing.T) {
	b := setup(t)
	program, person := b.program(b.replica, b.acme), b.person(b.replica, b.acme)
	of := invoices()
	b.page(person.get("/duplicate-invoices")).says("No duplicates")
	kept, twice := b.prepared(b.acme, "kept", of, of.command), b.prepared(b.acme, "twice", of, of.command)
	third := b.prepared(b.acme, "third", of, change(of.command, "issue_date", "2026-11-23"))
	groups := decode[struct {
		Rows []struct {
			Days, Count int
			Invoices    []struct{ ID, Total string }
		} `json:"duplicate_invoices"`
	}](b, program.get("/api/v1/duplicate-invoices")).Rows
	if len(groups) != 1 || groups[0].Days != 2 || groups[0].Count != 3 || groups[0].Invoices[0].ID != kept.ID ||
		groups[0].Invoices[2].ID != third.ID || groups[0].Invoices[0].Total != "135.77" {
		t.Errorf("%+v", groups)
	}
	p := b.page(person.get("/duplicate-invoices")).says("Ada Lovelace: same lines and total, 2 days apart",
		"Void 2026-0001 as duplicate of 2026-0002")
	ask := "/invoices/" + twice.ID + "/void?duplicate_of=" + kept.ID
	p.leadsTo(ask)
	asked := b.page(person.get(ask + "&key=" + key)).says("It is voided as a duplicate of 2026-0001, which stays.")
	pressed := person.pressAny(asked, "Void invoice")
	if pressed.location() != "/invoices/"+twice.ID {
		t.Fatalf("%v", pressed)
	}
	b.page(person.get(pressed.location())).says("Invoice 2026-0002 voided.", "Void: duplicate of 2026-0001.",
		"Voided as duplicate of 2026-0001").leadsTo("/invoices/" + kept.ID)
	b.page(person.get("/invoices/"+kept.ID)).says("2026-0002 was voided as its duplicate.", "2026-0002 voided as its duplicate").
		leadsTo("/invoices/" + twice.ID)
	type voided struct {
		Status      string
		DuplicateOf string `json:"duplicate_of"`
	}
	if got := decode[voided](b, program.get("/api/v1/invoices/"+twice.ID)); got != (voided{"void", kept.ID}) {
		t.Errorf("%+v", got)
	}

	void := func(id, body, etag string) answer {
		return program.with("If-Match", etag).post("/api/v1/invoices/"+id+"/void", body)
	}
	for body, want := range map[string]string{
		`{"duplicate_of": "nobody"}`: "invalid", `{"duplicate_of": "` + twice.ID + `"}`: "not-a-duplicate", `{"of": ""}`: "malformed",
	} {
		if p := decode[problem](b, void(third.ID, body, `"v1"`)); !strings.HasSuffix(p.Type, "/"+want) {
			t.Errorf("%s: %+v", body, p)
		}
	}
	if a := void(third.ID, `{"duplicate_of": "`+kept.ID+`"}`, `"v2"`); a.status != http.StatusPreconditionFailed {
		t.Errorf("%v", a)
	}
	p = b.page(person.get("/duplicate-invoices"))
	p.leadsTo("/invoice-distinctions/new?invoices=" + kept.ID + "+" + third.ID)
	opened := person.get(person.get("/invoice-distinctions/new?invoices=" + kept.ID + "+" + third.ID).location())
	if said := person.press(b.page(opened).says("2026-0001", "2026-0003"), "Remember distinction"); said.status != http.StatusSeeOther {
		t.Errorf("%v", said)
	}
	b.page(person.get("/duplicate-invoices")).says("No duplicates")
	if a := void(third.ID, `{"duplicate_of": "`+kept.ID+`"}`, `"v1"`); decode[voided](b, a) != (voided{"void", kept.ID}) {
		t.Errorf("%v", a)
	}
}

// TestInvoiceSaysWhichScheduleBilledIt with a link to the schedule.
func TestInvoiceSaysWhichScheduleBilledIt(t *testing.T) {
	b := setup(t)
	period := b.prepared(b.acme, "period", periods(), periods().command)
	of := get[string](b, `SELECT schedule_id::text FROM schedule_periods`)
	b.page(b.person(b.replica, b.acme).get("/invoices/" + period.ID)).
		says("Billed by the schedule Grace Hopper, every month for the period of").leadsTo("/schedules/" + of)
}

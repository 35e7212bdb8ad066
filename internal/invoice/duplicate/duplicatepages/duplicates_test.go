package duplicatepages_test

import (
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

func TestMain(m *testing.M) { sitetest.Main(m) }

// TestDuplicateInvoices: the page shows why the invoices are likely duplicates. A button voids one as a duplicate of the other,
// and both refer to each other in pages, in the API and in their histories. Invoices that are marked as distinct aren't shown
// again.
func TestDuplicateInvoices(t *testing.T) {
	b := sitetest.Setup(t)
	program, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	of := invoicecases.Invoices()
	b.Page(person.Get("/duplicate-invoices")).Says("No duplicates")
	kept, twice := b.Prepared(b.Acme, "kept", of, of.Command), b.Prepared(b.Acme, "twice", of, of.Command)
	third := b.Prepared(b.Acme, "third", of, sitetest.Change(of.Command, "issue_date", "2026-11-23"))
	groups := sitetest.Decode[struct {
		Rows []struct {
			Days, Count int
			Invoices    []struct{ ID, Total string }
		} `json:"duplicate_invoices"`
	}](b, program.Get("/api/v1/duplicate-invoices")).Rows
	assert.Thatf(t, len(groups) == 1 && groups[0].Days == 2 && groups[0].Count == 3 && groups[0].Invoices[0].ID == kept.ID &&
		groups[0].Invoices[2].ID == third.ID && groups[0].Invoices[0].Total == "135.77", "%+v", groups)
	p := b.Page(person.Get("/duplicate-invoices")).Says("Ada Lovelace: same lines and total, 2 days apart",
		"Void 2026-0001 as duplicate of 2026-0002")
	ask := "/invoices/" + twice.ID + "/void?duplicate_of=" + kept.ID
	p.LeadsTo(ask)
	asked := b.Page(person.Get(ask + "&key=" + sitetest.Key)).Says("It is voided as a duplicate of 2026-0001, which stays.")
	pressed := person.PressAny(asked, "Void invoice")
	must.Thatf(t, pressed.Location() == "/invoices/"+twice.ID, "%v", pressed)
	b.Page(person.Get(pressed.Location())).Says("Invoice 2026-0002 voided.", "Void: duplicate of 2026-0001.",
		"Voided as duplicate of 2026-0001").LeadsTo("/invoices/" + kept.ID)
	b.Page(person.Get("/invoices/"+kept.ID)).Says("2026-0002 was voided as its duplicate.", "2026-0002 voided as its duplicate").
		LeadsTo("/invoices/" + twice.ID)
	type voided struct {
		Status      string
		DuplicateOf string `json:"duplicate_of"`
	}
	assert.Equal(t, sitetest.Decode[voided](b, program.Get("/api/v1/invoices/"+twice.ID)), voided{"void", kept.ID})

	void := func(id, body, etag string) sitetest.Answer {
		return program.With("If-Match", etag).Post("/api/v1/invoices/"+id+"/void", body)
	}
	for body, want := range map[string]string{
		`{"duplicate_of": "nobody"}`: "invalid", `{"duplicate_of": "` + twice.ID + `"}`: "not-a-duplicate", `{"of": ""}`: "malformed",
	} {
		p := sitetest.Decode[sitetest.Problem](b, void(third.ID, body, `"v1"`))
		assert.Thatf(t, strings.HasSuffix(p.Type, "/"+want), "%s: %+v", body, p)
	}
	void(third.ID, `{"duplicate_of": "`+kept.ID+`"}`, `"v2"`).Want(t, http.StatusPreconditionFailed)
	p = b.Page(person.Get("/duplicate-invoices"))
	p.LeadsTo("/invoice-distinctions/new?invoices=" + kept.ID + "+" + third.ID)
	opened := person.Get(person.Get("/invoice-distinctions/new?invoices=" + kept.ID + "+" + third.ID).Location())
	person.Press(b.Page(opened).Says("2026-0001", "2026-0003"), "Remember distinction").Want(t, http.StatusSeeOther)
	b.Page(person.Get("/duplicate-invoices")).Says("No duplicates")
	a := void(third.ID, `{"duplicate_of": "`+kept.ID+`"}`, `"v1"`)
	assert.Thatf(t, sitetest.Decode[voided](b, a) == (voided{"void", kept.ID}), "%v", a)
}

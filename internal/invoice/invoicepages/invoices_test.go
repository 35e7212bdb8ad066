package invoicepages_test

import (
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

// TestCustomerOfAnInvoiceIsReused: two invoices share one customer, and its email and name keep their first capitalisation.
func TestCustomerOfAnInvoiceIsReused(t *testing.T) {
	t.Parallel()
	for _, f := range sitetest.Formats() {
		t.Run(f.Name(), func(t *testing.T) {
			x := sitetest.Setup(t).Case(invoicecases.Invoices(), f)
			x.Format.Done(x, x.Ask(x.Command))
			hit := x.Under("another", sitetest.Change(x.Other, "customer_email", "ADA@example.com", "customer_name", "ada LOVELACE"))
			x.Label = "2026-0002"
			x.Format.Done(x, hit)
			ada := sitetest.Get[string](x.Bundle, `SELECT concat_ws(' ', email, name, version) FROM customers`)
			assert.Thatf(x, ada == "ada@example.com Ada Lovelace 1", "the customer was changed: %s", ada)
		})
	}
}

// TestReplayIsAsOverdueAsTheFirstAnswer: whether an invoice is overdue depends on the day, and the first answer is replayed on
// another day too. The test can't move the day, so it moves the due date of the stored result.
func TestReplayIsAsOverdueAsTheFirstAnswer(t *testing.T) {
	x := sitetest.Setup(t).Case(invoicecases.Invoices(), sitetest.JSON{})
	today := day(0)
	made := x.Caller.Create(x.Resource, sitetest.Key, sitetest.Change(x.Command, "issue_date", today, "due_date", today))
	issue := "/api/v1/invoices/" + sitetest.Decode[sitetest.Created](x.Bundle, made).ID + "/issue"
	asker := x.Caller.With("Idempotency-Key", sitetest.Key)
	first := asker.Post(issue, "")
	must.Thatf(t, first.Status == http.StatusOK && strings.Contains(first.Body, `"overdue":false`), "%v", first)
	x.Exec(`UPDATE intents SET result = replace(result::text, $1, $2)::json WHERE operation = 'invoice.issue'`,
		`"due_date" : "`+today, `"due_date" : "`+day(-1))
	x.Store.Forget()
	again := asker.Post(issue, "")
	want := strings.Replace(first.Body, `"due_date":"`+today, `"due_date":"`+day(-1), 1)
	assert.Thatf(t, again.Body == want && want != first.Body, "%s\nand not %s", again.Body, want)
}

// TestOverdue: an invoice is overdue from the day after its due date, on its page and in the list, except as a draft.
func TestOverdue(t *testing.T) {
	x := sitetest.Setup(t).Case(invoicecases.Invoices(), sitetest.JSON{})
	for i, due := range []string{day(-1), day(0)} {
		made := x.Caller.Create(x.Resource, due, sitetest.Change(x.Command, "issue_date", day(-1), "due_date", due))
		draft := made.Body
		path := "/api/v1/invoices/" + sitetest.Decode[sitetest.Created](x.Bundle, made).ID
		issued := x.Caller.With("Idempotency-Key", due).Post(path+"/issue", "").Body
		want := `"overdue":` + []string{"true", "false"}[i]
		found := x.Caller.Get(path).Body
		assert.Thatf(t, strings.Contains(draft, `"overdue":false`) && strings.Contains(issued, want) && found == issued,
			"due %s: %s\n%s\n%s", due, draft, issued, found)
	}
	list := x.Caller.Get("/api/v1/invoices?status=overdue").Body
	assert.Thatf(t, strings.Count(list, `"overdue":true`) == 1, "%v", list)
}

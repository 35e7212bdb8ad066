package torture

import (
	"strings"

	"onlyonce/internal/customer"
	"onlyonce/internal/customer/erasure"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/must"
	"onlyonce/internal/value/date"
)

const erasedText = "programxerasex0x1x1"

// erasedRecords creates a customer with a void draft, an archived schedule and a paid invoice, edits and archives it, and erases it. The
// paid invoice keeps its texts.
func erasedRecords(b *invoicetest.Bundle) {
	b.Helper()
	key := strings.ReplaceAll(erasedText, "x", "-")
	person := customer.Draft{Email: erasedText + "@example.com", Name: erasedText}
	made, err := customer.Upsert.Do(b.Context(), b.Store, b.Intent(key), person)
	must.OK(b, err)
	lines := []invoice.LineInput{{Description: erasedText, Quantity: "1", UnitPrice: "90.00", TaxRate: "0"}}
	body, err := invoice.Input{
		CustomerID: made.Value.ID.String(), IssueDate: "2026-11-21", DueDate: "2026-12-21", Currency: "EUR",
		Notes: erasedText, Lines: lines,
	}.Draft()
	must.OK(b, err)
	draft, err := invoice.Create.Do(b.Context(), b.Store, b.Intent("draft"), body)
	must.OK(b, err)
	must.OK(b, b.Void("void", draft.Value))
	billed, err := invoice.Create.Do(b.Context(), b.Store, b.Intent("paid"), body)
	must.OK(b, err)
	b.OK(invoice.Issue.Do(b.Context(), b.Store, b.Of("paid", billed.Value.ID, 0), invoice.IssueDraft{}))
	b.OK(b.Pay("paid", billed.Value, "90"))
	b.Exec(`UPDATE mails SET state = 'sent', sent_at = now(), body = 'Dear ` + erasedText + `'`)
	b.Exec(`DELETE FROM river.river_job`)
	repeated, err := schedule.Input{
		CustomerID: made.Value.ID.String(), Currency: "EUR", Every: "1", Unit: schedule.Week, FirstDay: date.Today().AddDays(14).String(),
		BillAs: schedule.AsIssued, Missed: schedule.Each, Notes: erasedText, Lines: lines,
	}.Draft()
	must.OK(b, err)
	scheduled, err := schedule.Create.Do(b.Context(), b.Store, b.Intent("schedule"), repeated)
	must.OK(b, err)
	b.OK(schedule.Archive.Do(b.Context(), b.Store, b.Of("schedule", scheduled.Value.ID, 0), struct{}{}))
	person.Name += " edited"
	b.OK(customer.Edit.Do(b.Context(), b.Store, b.Of("edit", made.Value.ID, 1), person))
	b.OK(customer.Archive.Do(b.Context(), b.Store, b.Of("archive", made.Value.ID, 0), struct{}{}))
	b.OK(erasure.Erase.Do(b.Context(), b.Store, b.Intent("erase"), erasure.Draft{Customer: made.Value.ID, Reason: "Asked"}))
}

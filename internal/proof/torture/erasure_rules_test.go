package torture

import (
	"strings"
	"testing"

	"onlyonce/internal/customer"
	"onlyonce/internal/customer/erasure"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/must"
	"onlyonce/internal/value/date"
)

// TestRulesOfErasures checks that each rule about erased customers finds its violation. The paid invoice keeps its texts.
func TestRulesOfErasures(t *testing.T) {
	t.Parallel()
	eachBreaks(t, erasedRecords, []sabotage{
		{"a customer is erased once", `
			DELETE FROM intent_effects WHERE effect = 'personal data erased';
			UPDATE customers SET version = version - 1 WHERE erased_at IS NOT NULL`},
		{"a customer is erased once", `
			ALTER TABLE customer_erasures DROP CONSTRAINT erasures_customer_once;
			INSERT INTO customer_erasures (tenant_id, id, customer_id, reason)
			SELECT tenant_id, gen_random_uuid(), customer_id, '' FROM customer_erasures;
			INSERT INTO intents
			SELECT o.tenant_id, operation, 'again', fingerprint, attempt_id, e.id, 'created', actor, at, changes, NULL, expires_at
			FROM intents o, customer_erasures e WHERE operation = 'customer.erase' AND record_id <> e.id`},
		{"one intent for each creation", `UPDATE intents SET outcome = 'reused' WHERE operation = 'customer.erase'`},
		{"no intent without its record", strangerOf(`erase`)},
		{"nothing is done for an erased customer", `UPDATE schedules SET archived_at = NULL`},
		{"nothing is done for an erased customer", `UPDATE intents SET at = now() + interval '1 hour' WHERE key = 'edit'`},
		{"an erased customer has left no text", left(`
			intents SET changes = changes || '{"name": ["?", "Erased customer"]}' WHERE key = 'edit'`)},
		{"an erased customer has left no text", left(`invoice_lines SET description = '?' WHERE description = 'Erased'`)},
		{"an erased customer has left no text", left(`intents SET actor = '?'`)},
		{"an erased customer has left no text", `
			INSERT INTO customer_words (tenant_id, word, customer_id)
			SELECT tenant_id, '` + erasedText + `', id FROM customers WHERE erased_at IS NOT NULL`},
		{"a version for each change", `UPDATE schedules SET version = version - 1`},
		{"a transition changes what was not so", `UPDATE intents SET changes = changes - 'archived_at' WHERE key = 'archive'`},
	})
}

const erasedText = "programxerasex0x1x1"

// left returns an UPDATE that leaves the text of an erased customer.
func left(set string) string {
	return `UPDATE ` + strings.ReplaceAll(set, "?", "Of "+erasedText+"@example.com")
}

// erasedRecords creates a customer with a void draft, an archived schedule and a paid invoice, edits and archives it, and erases it.
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

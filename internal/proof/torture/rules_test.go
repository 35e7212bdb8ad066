package torture

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer"
	"onlyonce/internal/invoice"
	creditnotes "onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/mail"
	"onlyonce/internal/invoice/payment"
	refunds "onlyonce/internal/invoice/refund"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const (
	standingRule = "the sums are those of the invoices and payments"
	taxRule      = "the tax of each issued, voided and credited amount is entered once"
)

// TestRules checks that each rule finds its violation. Constraints that would prevent it are removed before.
func TestRules(t *testing.T) {
	t.Parallel()
	eachBreaks(t, someRecords, []sabotage{
		{"", `UPDATE intents SET changes = changes || '{"overdue": [false, true]}' WHERE key = 'issue'`},
		{"no number twice", `
			ALTER TABLE invoices DROP CONSTRAINT invoices_number_once_per_year;
			UPDATE invoices SET number = '2026-0001' WHERE number LIKE '2026-%';
			UPDATE invoice_number_runs SET last = 1`},
		{"no gap in a run of numbers", `UPDATE invoice_number_runs SET last = 4`},
		{"no number of a series outside of its runs", `UPDATE invoice_number_runs SET last = 1`},
		{"every line is quantity times price", `
			UPDATE invoice_lines SET quantity = quantity + 1
			WHERE position = 1 AND invoice_id IN (SELECT id FROM invoices WHERE status = 'draft')`},
		{"the lines add up to the header", `UPDATE invoices SET subtotal = subtotal + 1, total = total + 1 WHERE number = '2026-0001'`},
		{"the lines add up to the header", `
			DELETE FROM invoice_lines
			WHERE position = 1 AND invoice_id IN (SELECT id FROM invoices WHERE status = 'draft')`},
		{"no customer twice", `
			DROP INDEX customers_email_once;
			INSERT INTO customers (tenant_id, id, email, name)
			SELECT tenant_id, '00000000-0000-4000-8000-000000000001', upper(email), name FROM customers;
			INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
			SELECT tenant_id, '00000000-0000-4000-8000-000000000001', operation, key, effect FROM intent_effects
			WHERE effect = 'customer created'`},
		{"no intent twice", `
			ALTER TABLE intent_effects DROP CONSTRAINT intent_effects_intent;
			ALTER TABLE intents DROP CONSTRAINT intents_pkey;
			INSERT INTO intents
			SELECT tenant_id, operation, key, fingerprint, attempt_id, record_id, 'reused', actor, at, changes, result, expires_at
			FROM intents WHERE outcome = 'created'`},
		{"no intent without its record", `UPDATE intents SET result = '{"id": ""}' WHERE key = 'k1'`},
		{"no intent without its record", `
			UPDATE intents SET record_id = '00000000-0000-4000-8000-000000000001', outcome = 'reused', result = NULL WHERE key = 'k2';
			DELETE FROM invoice_lines WHERE invoice_id IN (SELECT id FROM invoices WHERE number = '2026-0002');
			DELETE FROM invoices WHERE number = '2026-0002';
			UPDATE invoice_number_runs SET last = 1`},
		{"one intent for each creation", `DELETE FROM intents WHERE key = 'k2'`},
		{"one intent for each creation", `UPDATE intents SET outcome = 'reused' WHERE outcome = 'created'`},
		{"one intent for each creation", `DELETE FROM intent_effects WHERE effect = 'customer created'`},
		{"a version for each change", `UPDATE intents SET outcome = 'unchanged', changes = NULL WHERE key = 'k5'`},
		{"a version for each change", `
			INSERT INTO intents
			SELECT tenant_id, operation, 'again', fingerprint, attempt_id, record_id, outcome, actor, at, '{}', result, expires_at
			FROM intents WHERE key = 'k3'`},
		{"a version for each change", `UPDATE customers SET version = version + 1`},
		{"a version for each change", `UPDATE invoices SET version = version + 1 WHERE number = '2026-0001'`},
		{"what was changed is said", `UPDATE intents SET changes = NULL WHERE key = 'k3'`},
		{"what was changed is said", `UPDATE intents SET changes = '{}' WHERE key = 'k6'`},
		{"each change begins where another one ended", `UPDATE intents SET changes = '{"name": ["Ada", "Ada Byron"]}' WHERE key = 'k4'`},
		{"each change begins where another one ended", `UPDATE customers SET name = 'Ada King'`},
		{"each change begins where another one ended", `UPDATE intents SET changes = '{"notes": ["", "another"]}' WHERE key = 'issue'`},
		{"a version for each change", `UPDATE payments SET version = 2 WHERE reference = 'R-1'`},
		{"a version for each change", `UPDATE invoices SET version = version - 1 WHERE paid > 0`},
		{"one intent for each creation", `DELETE FROM intents WHERE key = 'half'`},
		{"no intent without its record", `
			DELETE FROM postings USING payments WHERE id = source_id AND reference = 'R-1';
			UPDATE invoices SET paid = paid - p.amount, version = invoices.version - 1
			FROM payments p WHERE p.invoice_id = invoices.id AND reference = 'R-1';
			DELETE FROM payments WHERE reference = 'R-1';
			UPDATE intents SET outcome = 'reused' WHERE key = 'half'`},
		{"what is paid is the sum of the payments and refunds, and of their postings", `
			UPDATE invoices SET paid = paid + 1 WHERE paid > 0`},
		{standingRule, `DELETE FROM standing WHERE kind = 'paid_month'`},
		{standingRule, `UPDATE standing SET amount = amount + 1`},
		{taxRule, `UPDATE invoice_taxes SET tax = tax + 1 WHERE kind = 'invoice'`},
		{taxRule, `DELETE FROM invoice_taxes WHERE kind = 'credit'`},
		{"no more is paid, credited and written off than the total", `
			ALTER DOMAIN minor_units DROP CONSTRAINT minor_units_check;
			UPDATE invoices SET paid = paid + 100000 WHERE paid > 0;
			UPDATE postings SET amount = amount + 100000 WHERE source_id = (SELECT id FROM payments WHERE reference = 'R-1');
			UPDATE payments SET amount = amount + 100000 WHERE reference = 'R-1'`},
		{"each payment, removal of one, refund, credit note, write-off and reversal of one is posted once", `
			UPDATE postings SET source_id = gen_random_uuid() WHERE source_id = (SELECT id FROM payments WHERE reference = 'R-1')`},
		{"only what is issued is paid, credited or written off", `
			UPDATE invoices SET status = 'draft', issued_at = NULL, bill_to = NULL, seller = NULL WHERE paid > 0;
			UPDATE intents SET outcome = 'unchanged', changes = NULL WHERE key = 'issue';
			UPDATE invoices SET version = version - 1 WHERE paid > 0`},
		{"no reference twice", `
			DROP INDEX payments_reference_once;
			UPDATE payments SET reference = 'R-1', provider = 'Bank'`},
		{"only what is issued is paid, credited or written off", `
			UPDATE invoices SET status = 'void', voided_at = now(), version = version + 1 WHERE paid > 0;
			INSERT INTO intents
			SELECT tenant_id, 'invoice.void', 'again', fingerprint, attempt_id, record_id, outcome, actor, at, '{}', result, expires_at
			FROM intents WHERE key = 'issue'`},
		{"no intent without its record", strangerOf("back")},
		{"no intent without its record", strangerOf("credit")},
		{"one intent for each creation", `DELETE FROM intents WHERE key = 'back'`},
		{"one intent for each creation", `DELETE FROM intents WHERE key = 'credit'`},
		{"a version for each change", `UPDATE payments SET version = 1`},
		{"a version for each change", `UPDATE refunds SET version = 2`},
		{"a version for each change", `UPDATE credit_notes SET version = 2`},
		{"what is refunded of a payment is the sum of its refunds", `UPDATE payments SET refunded = refunded + 1`},
		{"what is credited is the sum of the credit notes, and of their postings", `
			UPDATE invoices SET credited = credited + 1 WHERE credited > 0`},
		{"no more is refunded than was paid", `
			ALTER DOMAIN minor_units DROP CONSTRAINT minor_units_check;
			UPDATE refunds SET amount = amount + 100;
			UPDATE payments SET refunded = refunded + 100 WHERE refunded > 0;
			UPDATE postings SET amount = amount - 100 WHERE kind = 'refund';
			UPDATE invoices SET paid = paid - 100 WHERE paid > 0`},
		{"each payment, removal of one, refund, credit note, write-off and reversal of one is posted once", `
			UPDATE postings SET kind = 'payment' WHERE kind = 'refund'`},
		{"each payment, removal of one, refund, credit note, write-off and reversal of one is posted once", `
			UPDATE postings SET source_id = gen_random_uuid() WHERE kind = 'credit'`},
		{"no number of a credit note twice", `
			ALTER TABLE credit_notes DROP CONSTRAINT credit_notes_number_once;
			UPDATE credit_notes SET number = (SELECT min(number) FROM credit_notes);
			UPDATE credit_note_series SET last = 1`},
		{"the numbers of credit notes are consecutive", `UPDATE credit_note_series SET last = last + 1`},
		{"the numbers of credit notes are consecutive", `UPDATE credit_note_series SET last = last - 1`},
		{"no more is credited of a line than it bills", `UPDATE credit_note_lines SET quantity = 2 WHERE position = 3`},
		{"the lines add up to the credit note", `UPDATE credit_notes SET subtotal = subtotal + 1`},
		{"the parts that are credited add up to what would be credited at once", `
			UPDATE credit_note_lines l SET net = net + CASE position WHEN 1 THEN -1 ELSE 1 END
			WHERE EXISTS (SELECT FROM credit_note_lines o WHERE o.credit_note_id = l.credit_note_id AND position = 3)`},
		{"the parts that are credited add up to what would be credited at once", `
			UPDATE credit_notes SET subtotal = subtotal - 1, tax_total = tax_total + 1;
			UPDATE credit_note_lines SET net = net - 1 WHERE position < 3`},
		{"each state of an invoice was made once", `UPDATE invoices SET bill_to = NULL WHERE paid > 0`},
		{"each state of an invoice was made once", `
			UPDATE invoices SET status = 'draft' WHERE status = 'void';
			UPDATE intents SET changes = changes - 'voided_at' WHERE key = 'void'`},
		{"an issued invoice has its mail, and one for each that was sent again", `
			SET session_replication_role = origin;
			INSERT INTO mails (tenant_id, id, invoice_id) SELECT tenant_id, gen_random_uuid(), invoice_id FROM mails`},
		{"an issued invoice has its mail, and one for each that was sent again", `
			DELETE FROM mails WHERE id NOT IN (SELECT record_id FROM intents)`},
		{"a mail that was sent again is said of its invoice", `UPDATE intent_effects SET key = 'another' WHERE operation = 'mail.send'`},
		{"an issued invoice names the business as it was once called", `UPDATE settings SET name = 'Somebody else'`},
		{"a queued mail has its job", `DELETE FROM river.river_job`},
		{"a queued mail has its job", `UPDATE river.river_job SET state = 'completed', finalized_at = now()`},
		{"what was issued does not change", `UPDATE intents SET at = now() + interval '1 hour' WHERE key = 'redraft'`},
		{"a transition changes what was not so", `
			UPDATE customers SET archived_at = NULL;
			UPDATE intents SET changes = '{"archived_at": ["2026-11-21T00:00:00+00:00", null]}' WHERE key = 'k5'`},
	})
}

// sabotage is SQL that breaks one rule, or none for "". It runs without triggers and foreign keys, unless it sets
// session_replication_role.
type sabotage struct{ broken, sql string }

// eachBreaks checks that each sabotage of a database with these records breaks exactly its rule, and that none is broken before.
func eachBreaks(t *testing.T, records func(*invoicetest.Bundle), all []sabotage) {
	t.Helper()
	for _, s := range append(all, sabotage{"", `SELECT`}) {
		t.Run(s.broken, func(t *testing.T) { s.finds(t, records) })
	}
}

func (s sabotage) finds(t *testing.T, records func(*invoicetest.Bundle)) {
	t.Helper()
	b := invoicetest.Setup(t)
	b.DB.Spoil(t)
	records(b)
	conn, err := pgx.Connect(t.Context(), b.DB.AdminURL+"&timezone=UTC")
	must.OK(t, err)
	defer conn.Close(context.Background())
	sql := `SET session_replication_role = replica; ` + s.sql
	if s.broken != standingRule { // it would break with many other rules whose triggers are removed
		sql += `; DELETE FROM standing;
			INSERT INTO standing (tenant_id, of_id, kind, day, currency, amount, invoices)
			SELECT tenant_id, of_id, kind, day, currency, amount, invoices FROM standing_by_the_books()`
	}
	must.Exec(t, conn, sql)
	found, err := broken(t.Context(), conn, allRules(), nil)
	must.OK(t, err)
	for _, v := range found {
		if v.Rule != s.broken && (v.Rule != taxRule || s.broken == "") { // it breaks with other rules too
			t.Errorf("unexpected: %v", v)
		}
	}
	assert.Thatf(t, s.broken == "" || len(found) != 0, "nothing was found")
}

// strangerOf adds a copy of the intent with this key, about a record that does not exist.
func strangerOf(key string) string {
	return `
		INSERT INTO intents
		SELECT tenant_id, operation, 'stranger', fingerprint, attempt_id, gen_random_uuid(), 'reused', actor, at, changes, NULL, expires_at
		FROM intents WHERE key = '` + key + `'`
}

// someRecords creates invoices for one customer, who was renamed and archived twice. The third invoice was edited, issued twice, paid
// in part, credited in two parts, partly refunded, and sent again. The fourth was voided.
func someRecords(b *invoicetest.Bundle) {
	b.Helper()
	draft, err := invoice.Input{
		Customer:  &customer.Input{Email: "ada@example.com", Name: "Ada"},
		IssueDate: "2026-11-21", DueDate: "2026-12-21", Currency: "EUR",
		Lines: []invoice.LineInput{
			{Description: "Design", Quantity: "1.5", UnitPrice: "33.33", TaxRate: "23"},
			{Description: "Paper", Quantity: "3", UnitPrice: "0.05", TaxRate: "7.5"},
			{Description: "Sample", Quantity: "1", UnitPrice: "0.00", TaxRate: "0"},
		},
	}.Draft()
	must.OK(b, err)
	var made []invoice.Invoice
	for _, key := range []string{"k1", "k2", "third", "fourth"} {
		done, err := invoice.Create.Do(b.Context(), b.Store, b.Intent(key), draft)
		must.OK(b, err)
		made = append(made, done.Value)
		draft.Number = invoice.Number(map[string]string{"k2": "T-1", "third": "T-2"}[key])
	}
	draft.Number, draft.Notes = "", "Edited"
	live(b, made[2].ID, draft)
	must.OK(b, b.Void("void", made[3]))
	ada := made[0].Customer.ID
	for seen, key := range []string{"k3", "k4"} {
		named := customer.Draft{Email: "ada@example.com", Name: []string{"Ada King", "Ada Lovelace"}[seen]}
		b.OK(customer.Edit.Do(b.Context(), b.Store, b.Of(key, ada, 1+seen), named))
	}
	for _, key := range []string{"k5", "k6"} {
		b.OK(customer.Archive.Do(b.Context(), b.Store, b.Of(key, ada, 0), struct{}{}))
	}
}

// live edits, issues, pays, refunds, credits and sends an invoice.
func live(b *invoicetest.Bundle, id uuid.UUID, d invoice.Draft) {
	b.Helper()
	edited, err := invoice.Edit.Do(b.Context(), b.Store, b.Of("redraft", id, 1), d)
	must.OK(b, err)
	for _, key := range []string{"issue", "again"} {
		b.OK(invoice.Issue.Do(b.Context(), b.Store, b.Of(key, id, 0), invoice.IssueDraft{}))
	}
	half, err := payment.Input{
		Amount: "20", Date: "2026-11-22", Method: "card", Provider: "Bank", Reference: "R-1",
	}.Draft(id, edited.Value.Currency)
	must.OK(b, err)
	b.OK(payment.Create.Do(b.Context(), b.Store, b.Intent("half"), half))
	less, err := b.Pay("less", edited.Value, "1")
	must.OK(b, err)
	back, err := refunds.Input{Amount: "0.40", Date: "2026-11-22"}.Draft(less)
	must.OK(b, err)
	b.OK(refunds.Create.Do(b.Context(), b.Store, b.Intent("back"), back))
	for key, lines := range map[string][]creditnotes.LineInput{
		"credit": {{Position: 1, Quantity: "0.5"}, {Position: 3, Quantity: "1"}}, "another": {{Position: 2, Quantity: "1"}},
	} {
		part, err := creditnotes.Input{Lines: lines}.Draft(edited.Value)
		must.OK(b, err)
		b.OK(creditnotes.Create.Do(b.Context(), b.Store, b.Intent(key), part))
	}
	b.OK(mail.Send.Do(b.Context(), b.Store, b.Intent("send"), mail.Draft{InvoiceID: id, Recipient: "books@example.com"}))
}

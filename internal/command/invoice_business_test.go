package command

import (
	"fmt"
	"regexp"
	"strings"

	"onlyonce/internal/must"
	"onlyonce/internal/people/business"
)

// fillTablesOfInvoices is fillTables for tables of invoices.
func (b *bundle) fillTablesOfInvoices(tenant string) {
	b.Helper()
	must.Exec(b, b.Admin(), fmt.Sprintf(`
		SELECT set_config('onlyonce.tenant_id', '%[1]s', true);
		INSERT INTO repayments (tenant_id, id, receipt_id, amount, repaid_on)
		SELECT tenant_id, new_id(), id, 1, received_on FROM receipts WHERE tenant_id = '%[1]s' AND left_amount > 0 LIMIT 1;
		SET LOCAL session_replication_role = replica;
		CREATE TEMPORARY TABLE billed ON COMMIT DROP AS
		SELECT min(id::text)::uuid AS one, max(id::text)::uuid AS other FROM invoices WHERE tenant_id = '%[1]s';
		UPDATE mails SET state = 'queued', sent_at = NULL WHERE tenant_id = '%[1]s' AND state = 'sent' AND id = (
			SELECT id FROM mails WHERE tenant_id = '%[1]s' AND state = 'sent' LIMIT 1);
		INSERT INTO attachments (tenant_id, id, invoice_id, file_name, file_digest)
		SELECT '%[1]s', one, one AS invoice, 'a.txt', digest FROM billed, file_contents WHERE tenant_id = '%[1]s';
		INSERT INTO logos (tenant_id, id, file_name, file_digest)
		SELECT '%[1]s', one, 'a.png', digest FROM billed, file_contents WHERE tenant_id = '%[1]s';
		INSERT INTO closings (tenant_id, id, through) SELECT '%[1]s', one, '2000-01-01' FROM billed;
		INSERT INTO invoice_distinctions (tenant_id, id, invoice_ids) SELECT '%[1]s', one, ARRAY[one, other] FROM billed;
		INSERT INTO invoice_distinct_pairs (tenant_id, one_id, other_id) SELECT '%[1]s', one, other FROM billed;
		INSERT INTO invoice_batches (tenant_id, id, action, no_email, e_invoice, asked_by)
		SELECT '%[1]s', one, 'send', false, true, 'ada@example.com' FROM billed;
		INSERT INTO invoice_batch_items (tenant_id, batch_id, invoice_id) SELECT '%[1]s', one, other FROM billed;
		INSERT INTO invoice_reminder_batches (tenant_id, id) SELECT '%[1]s', one FROM billed;
		INSERT INTO invoice_reminder_outcomes (tenant_id, batch_id, invoice_id, level, outcome)
		SELECT '%[1]s', one, other, 1, 'not_next' FROM billed;
		INSERT INTO invoice_number_patterns (tenant_id, settings_id, pattern) VALUES ('%[1]s', '%[1]s', '{YYYY}-{NNNN}');
		INSERT INTO invoice_number_starts (tenant_id, year, first) VALUES ('%[1]s', 3000, 1);
		INSERT INTO number_patterns (tenant_id, id, pattern) SELECT '%[1]s', one, '{YYYY}-{NNNN}' FROM billed;
		INSERT INTO next_numbers (tenant_id, id, number) SELECT '%[1]s', one, '2099-0001' FROM billed;
		INSERT INTO reminder_plans (tenant_id, id, first_after) SELECT '%[1]s', one, 7 FROM billed;
		INSERT INTO credit_note_words (tenant_id, word, credit_note_id)
		SELECT tenant_id, 'damaged', id FROM credit_notes WHERE tenant_id = '%[1]s';
		INSERT INTO webhook_sources (tenant_id, id, name, scheme) SELECT '%[1]s', one, 'Bank', 'standard' FROM billed;
		INSERT INTO webhook_events (tenant_id, id, source_id, event_id, digest, type, state)
		SELECT '%[1]s', one, one AS source, 'evt 1', sha256(''), 'x', 'kept' FROM billed;
		INSERT INTO webhook_bodies (tenant_id, event_id, body) SELECT tenant_id, id, '{}' FROM webhook_events WHERE tenant_id = '%[1]s'`,
		tenant))
}

// settledOfInvoices returns conditions on rows of invoices that a copy doesn't have, by table.
func settledOfInvoices() map[string]string {
	return map[string]string{
		"mails":               "state = 'queued'",
		"schedules":           "paused_at IS NULL AND archived_at IS NULL",
		"schedule_clocks":     "due_day IS NOT NULL",
		"reminder_plans":      "removed_at IS NULL",
		"invoice_batch_items": "outcome = 'waiting'",
	}
}

// listsOfInvoices returns the lists of the API, below its path.
func listsOfInvoices() []string {
	return []string{"invoices", "payments", "credit-notes", "receipts", "schedules", "tax-summary?from=2026-01-01&to=2026-12-31"}
}

// refusedOfInvoices returns changes of files whose digests fit and whose sums don't.
func refusedOfInvoices() map[string]struct {
	change func(map[string]string, *business.Manifest)
	want   string
} {
	return map[string]struct {
		change func(map[string]string, *business.Manifest)
		want   string
	}{
		"other totals": {replace("invoices", ",180000,41400,221400,", ",180001,41400,221401,"), "is not that of its lines"},
		"other amount": {func(c map[string]string, _ *business.Manifest) {
			first := regexp.MustCompile(`(?m)^([0-9a-f-]{36},[0-9a-f-]{36},\d+)`).FindString(c["payments.csv"])
			c["payments.csv"] = strings.Replace(c["payments.csv"], first, first+"0", 1)
		}, "are not its paid amount"},
		"no postings": {empty("postings"), "the ledger of invoice"},
		"no entries":  {empty("account_entries"), " of the books"},
		"no sums":     {empty("standing"), " is not that of the books"},
	}
}

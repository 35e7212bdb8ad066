package invoicecases

import (
	"fmt"
	"image/color"

	"onlyonce/internal/site/sitetest"
)

// growWebhooks inserts sources of acme. The first source has most of the secrets and half of the events, and the first events
// are payments that can be applied.
func growWebhooks(b *sitetest.Bundle) {
	b.Helper()
	b.Exec(fmt.Sprintf(`
		SET LOCAL session_replication_role = replica; -- the triggers would do it one by one
		INSERT INTO webhook_sources (tenant_id, id, name, scheme)
		SELECT '%[1]s', pg_temp.id(n), CASE n WHEN 1 THEN 'Bank' ELSE 'Source ' || n END, 'standard' FROM generate_series(1, %[2]d) AS n;
		INSERT INTO webhook_secrets (tenant_id, id, source_id, sealed, ends_at)
		SELECT '%[1]s', pg_temp.id(n), pg_temp.id(greatest(1, n - %[2]d)), sha256(n::text::bytea) || sha256(''),
			CASE WHEN n BETWEEN 2 AND %[2]d THEN now() ELSE 'infinity' END
		FROM generate_series(1, 2 * %[2]d) AS n;
		INSERT INTO webhook_events (tenant_id, id, source_id, event_id, digest, type, kind, invoice, reference, amount, currency, day,
			state, payment_id)
		SELECT '%[1]s', pg_temp.id(n), pg_temp.id(1 + n %% 2 * n), 'evt ' || n, sha256(''), 'payment.received',
			CASE WHEN state <> 'kept' THEN 'payment' END,
			pg_temp.id(%[3]d + n), 'hook ' || n, 1, 'EUR', '2026-01-02', state, CASE state WHEN 'applied' THEN pg_temp.id(n) END
		FROM generate_series(1, %[2]d) AS n, LATERAL (SELECT CASE WHEN n < 200 THEN 'undecided'
			ELSE (ARRAY['undecided', 'waiting', 'dismissed', 'kept', 'applied'])[1 + n %% 5] END AS state) AS of;
		INSERT INTO webhook_events (tenant_id, id, source_id, event_id, first_id, digest, type, state)
		SELECT '%[1]s', pg_temp.id(%[2]d + n), pg_temp.id(1), 'evt 2', pg_temp.id(2), sha256(n::text::bytea), 'x', 'apart'
		FROM generate_series(1, %[2]d) AS n;
		INSERT INTO webhook_bodies (tenant_id, event_id, body, created_at)
		SELECT tenant_id, id, '{}', now() - row_number() OVER (ORDER BY id) * '1 minute'::interval FROM webhook_events`,
		b.Acme.ID, sitetest.Many, Drafts))
}

// BilledOften is the place of the schedule with half of the periods. Each of the others has one.
const BilledOften = 21

// growPeriods inserts periods of the invoices, for schedules that are inserted later.
func growPeriods(b *sitetest.Bundle) {
	b.Helper()
	b.Exec(fmt.Sprintf(`
		SET LOCAL session_replication_role = replica;
		INSERT INTO schedule_periods (tenant_id, id, schedule_id, period)
		SELECT tenant_id, id, CASE WHEN id < '%s' THEN '%s' ELSE id END, '1990-01-01'::date + row_number() OVER (ORDER BY id)::integer
		FROM invoices`, sitetest.RowID(sitetest.Many/2), sitetest.RowID(BilledOften)))
}

// growInvoiceDistinctions inserts distinctions for acme, and makes the lines and amounts of two invoices equal.
func growInvoiceDistinctions(b *sitetest.Bundle) {
	b.Helper()
	b.Exec(fmt.Sprintf(`
		SET LOCAL session_replication_role = replica;
		UPDATE invoices SET (subtotal, total) = (2, 2) WHERE id IN ('%[3]s', '%[4]s');
		UPDATE invoice_lines SET (unit_price, net) = (2, 2) WHERE invoice_id IN ('%[3]s', '%[4]s');
		INSERT INTO invoice_distinctions (tenant_id, id, invoice_ids)
		SELECT '%[1]s', pg_temp.id(n), ARRAY[pg_temp.id(n), pg_temp.id(n + 1)] FROM generate_series(1, %[2]d) AS n;
		INSERT INTO invoice_distinct_pairs (tenant_id, one_id, other_id)
		SELECT '%[1]s', pg_temp.id(n), pg_temp.id(n + 1) FROM generate_series(1, %[2]d) AS n`,
		b.Acme.ID, sitetest.Many, sitetest.RowID(sitetest.Many-500), sitetest.RowID(sitetest.Many-200)))
}

// Drafts is the number of draft invoices. The others are issued, partly paid, credited and written off; the first issued one has as many
// payments, credit notes, write-offs and mails as all the others together, and its first payment as many refunds. The first receipt has as
// many payments and repayments as the others, and the second has credit.
const Drafts = 100

// GrowInvoices inserts invoices of acme and their parts, for the customers that grow makes.
func GrowInvoices(b *sitetest.Bundle) {
	b.Helper()
	growImports(b)
	b.Exec(fmt.Sprintf(`
		CREATE OR REPLACE FUNCTION pg_temp.id(n bigint) RETURNS uuid LANGUAGE sql AS
			$$ SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$;
		INSERT INTO invoices (tenant_id, id, number, customer_id, currency, issue_date, due_date, notes, subtotal, tax_total,
			total, source, external_id, external_digest, created_at)
		SELECT '%[1]s', pg_temp.id(n), '2026-' || lpad((n * 2)::text, 4, '0'), pg_temp.id(1 + n %% 2), 'EUR',
			'2026-01-01'::date + (n %% 300)::integer, '2026-01-31'::date + (n %% 300)::integer, '', 100000 + n, 0, 100000 + n,
			'Shop', n, sha256(''), now() - interval '1 day'
		FROM generate_series(1, %[2]d) AS n;
		SET LOCAL session_replication_role = replica; -- the triggers would refuse it, or do the same one by one
		UPDATE invoices SET status = 'issued', issued_at = now(), seller = json_build_object('name', 'Acme'),
			bill_to = json_build_object('id', customer_id, 'email', '', 'name', 'Customer')
		WHERE tenant_id = '%[1]s' AND id > pg_temp.id(%[3]d);
		INSERT INTO invoice_lines (tenant_id, invoice_id, position, description, quantity, unit_price, tax_rate, net)
		SELECT tenant_id, id, 1, 'Design', 1, subtotal, 0, subtotal FROM invoices;
		INSERT INTO invoice_words (tenant_id, word, issue_date, invoice_id)
		SELECT tenant_id, unnest(search_words(number_text(number)) || ARRAY[
			'design', CASE WHEN number_folded < '2026-0100' THEN 'rare' ELSE 'common' END]),
			issue_date, id FROM invoices;
		INSERT INTO payments (tenant_id, id, invoice_id, amount, paid_on, method, provider, reference, source, external_id, external_digest)
		SELECT '%[1]s', pg_temp.id(n), pg_temp.id(%[3]d + greatest(1, n - %[2]d)), 1, '2026-01-02', 'cash', 'Bank', 'TX ' || n,
			'Shop', n, sha256('')
		FROM generate_series(1, 2 * %[2]d - %[3]d) AS n;
		INSERT INTO mails (tenant_id, id, invoice_id, recipient, subject, state)
		SELECT tenant_id, id, invoice_id, 'ada@example.com', 'Invoice', 'failed' FROM payments;
		INSERT INTO invoice_reminders (tenant_id, id, invoice_id, level, sent_on)
		SELECT tenant_id, id, id AS invoice_id, 1, '2026-02-01' FROM invoices;
		INSERT INTO mails (tenant_id, id, invoice_id, kind, recipient, subject)
		SELECT tenant_id, overlay(id::text placing '018' from 1)::uuid, invoice_id, 'reminder_1', 'ada@example.com', 'Reminder'
		FROM invoice_reminders;
		INSERT INTO invoice_reminder_batches (tenant_id, id) SELECT '%[1]s', pg_temp.id(n) FROM generate_series(1, %[2]d) AS n;
		INSERT INTO invoice_reminder_outcomes (tenant_id, batch_id, invoice_id, level, outcome)
		SELECT tenant_id, id, invoice_id, level, 'sent' FROM invoice_reminders;
		INSERT INTO invoice_batches (tenant_id, id, action, no_email, e_invoice, asked_by)
		SELECT '%[1]s', pg_temp.id(n), 'send', false, true, 'ada@example.com' FROM generate_series(1, %[2]d) AS n;
		INSERT INTO invoice_batch_items (tenant_id, batch_id, invoice_id)
		SELECT tenant_id, id, invoice_id FROM invoice_reminders;
		INSERT INTO reminder_plans (tenant_id, id, first_after, removed_at)
		SELECT '%[1]s', pg_temp.id(n), 7, CASE WHEN n < %[2]d THEN now() END FROM generate_series(1, %[2]d) AS n;
		INSERT INTO closings (tenant_id, id, through, reopened_at)
		SELECT '%[1]s', pg_temp.id(n), '2000-01-01', CASE WHEN n > 1 THEN now() END FROM generate_series(1, %[2]d) AS n;
		INSERT INTO refunds (tenant_id, id, payment_id, invoice_id, amount, refunded_on, refunded)
		SELECT tenant_id, pg_temp.id(n), p.id, invoice_id, 1, '2026-01-03', CASE WHEN n > %[2]d THEN 1 ELSE n END
		FROM generate_series(1, 2 * %[2]d - %[3]d) AS n JOIN payments p ON p.id = pg_temp.id(CASE WHEN n > %[2]d THEN n ELSE 1 END);
		UPDATE payments p SET (amount, refunded) = (
			SELECT max(refunded) + CASE max(refunded) WHEN %[2]d THEN %[2]d ELSE 1 END, max(refunded)
			FROM refunds f WHERE f.tenant_id = p.tenant_id AND payment_id = p.id)
		WHERE id IN (SELECT payment_id FROM refunds);
		INSERT INTO attachments (tenant_id, id, invoice_id, file_name, file_digest)
		SELECT '%[1]s', pg_temp.id(n), pg_temp.id(greatest(1, n - %[2]d + 1)), n || '.txt',
			sha256((1 + (n - 1) %% %[2]d)::text::bytea)
		FROM generate_series(1, 2 * %[2]d - 1) AS n;
		INSERT INTO file_contents (tenant_id, digest, type, content) VALUES ('%[1]s', sha256('\x%[4]x'), 'image/png', '\x%[4]x');
		INSERT INTO logos (tenant_id, id, file_name, file_digest, removed_at)
		SELECT '%[1]s', pg_temp.id(n), n || '.png', sha256('\x%[4]x'), CASE WHEN n < %[2]d THEN now() END
		FROM generate_series(1, %[2]d) AS n;
		INSERT INTO credit_note_series (tenant_id, year, last) SELECT '%[1]s', 3000 + n, n FROM generate_series(1, %[2]d) AS n;
		INSERT INTO invoice_number_starts (tenant_id, year, first) SELECT '%[1]s', 3000 + n, n FROM generate_series(1, %[2]d) AS n;
		INSERT INTO next_numbers (tenant_id, id, number)
		SELECT '%[1]s', pg_temp.id(n), '2099-' || 10000 + n FROM generate_series(1, %[2]d) AS n;
		INSERT INTO invoice_number_patterns (tenant_id, settings_id, pattern)
		SELECT tenant_id, id, '{YYYY}-{NNNN}' FROM settings;
		INSERT INTO number_patterns (tenant_id, id, pattern)
		SELECT '%[1]s', pg_temp.id(n), '{YYYY}-{NNNN}' FROM generate_series(1, %[2]d) AS n;
		INSERT INTO credit_notes (tenant_id, id, invoice_id, issue_date, number, reason, subtotal, tax_total, total, taxes)
		SELECT '%[1]s', pg_temp.id(n), pg_temp.id(%[3]d + greatest(1, n - %[2]d)), '2026-01-02', 'CN-1-' || n,
			CASE WHEN n < 9 THEN 'Damaged goods' ELSE 'Goods returned' END, 0, 0, 0, '[{"rate": "0", "net": 0, "tax": 0}]'
		FROM generate_series(1, 2 * %[2]d - %[3]d) AS n;
		INSERT INTO credit_note_words (tenant_id, word, credit_note_id)
		SELECT tenant_id, unnest(search_words(reason)), id FROM credit_notes;
		INSERT INTO invoice_taxes (tenant_id, invoice_id, source_id, kind, tax_rate, treatment, day, billed_on, currency, net, tax)
		SELECT tenant_id, id, id AS source_id, 'invoice', 0,
			CASE extract(isodow FROM issue_date) WHEN 1 THEN 'reverse_charge' ELSE 'zero' END, issue_date AS day,
			issue_date AS billed_on, currency, subtotal, 0
		FROM invoices WHERE issued_at IS NOT NULL
		UNION ALL SELECT tenant_id, invoice_id, id, 'credit', 0, 'zero', issue_date, '2026-01-01', 'EUR', 0, 0 FROM credit_notes;
		INSERT INTO credit_note_lines (tenant_id, credit_note_id, invoice_id, position, quantity, ordinal, credited, net)
		SELECT tenant_id, id, invoice_id, 1, 0.0001, n, 0.0001 * n, 0
		FROM (
			SELECT tenant_id, id, invoice_id, row_number() OVER (PARTITION BY invoice_id ORDER BY id) AS n FROM credit_notes) AS notes;
		INSERT INTO write_offs (tenant_id, id, invoice_id, amount, reason, written_off_on, reversed_at)
		SELECT tenant_id, id, invoice_id, 1, 'bad_debt', issue_date, CASE WHEN invoice_id = pg_temp.id(%[3]d + 3) THEN now() END
		FROM credit_notes; -- of one invoice, all that is left can be credited
		INSERT INTO receipts (tenant_id, id, customer_id, currency, amount, allocated, received_on, repaid, method, provider, reference)
		SELECT '%[1]s', pg_temp.id(n), pg_temp.id(1 + n %% 2), 'EUR', CASE n WHEN 1 THEN 2 * %[2]d WHEN 2 THEN 1000000 ELSE 2 END,
			part, '2026-01-02', part, 'cash', 'Bank', 'RX ' || n
		FROM generate_series(1, %[2]d) AS n,
			LATERAL (SELECT CASE WHEN n = 1 THEN %[2]d WHEN n BETWEEN 10 AND 99 THEN 0 ELSE 1 END AS part) AS of;
		INSERT INTO payments (tenant_id, id, receipt_id, invoice_id, amount, paid_on, method)
		SELECT '%[1]s', pg_temp.id(4 * %[2]d + n), r.id,
			pg_temp.id(%[3]d + 2 + n %% (%[2]d / 2)), 1, '2026-01-02', 'cash'
		FROM generate_series(1, 2 * %[2]d - 1) AS n JOIN receipts r ON r.id = pg_temp.id(greatest(1, n - %[2]d + 1)) AND allocated > 0;
		INSERT INTO repayments (tenant_id, id, receipt_id, amount, repaid_on, repaid)
		SELECT '%[1]s', pg_temp.id(n), r.id, 1, '2026-01-03', CASE WHEN n > %[2]d THEN 1 ELSE n END
		FROM generate_series(1, 2 * %[2]d - 1) AS n JOIN receipts r ON r.id = pg_temp.id(greatest(1, n - %[2]d + 1)) AND repaid > 0;
		INSERT INTO payment_references (tenant_id, source_id, provider_folded, reference)
		SELECT tenant_id, id, provider_folded, reference FROM payments WHERE reference IS NOT NULL
		UNION ALL SELECT '%[1]s', pg_temp.id(8 * %[2]d + n), 'bank', 'RX ' || n FROM generate_series(1, %[2]d) AS n;
		INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount, position, paid, credited, written_off)
		SELECT tenant_id, invoice_id, id, kind, amount, row_number() OVER before, sum(paid) OVER before, 0, sum(amount - paid) OVER before
		FROM (
			SELECT tenant_id, invoice_id, id, 'payment' AS kind, amount::bigint, amount::bigint AS paid FROM payments
			UNION ALL SELECT tenant_id, invoice_id, id, 'refund', -amount::bigint, -amount::bigint FROM refunds
			UNION ALL SELECT tenant_id, invoice_id, id, 'credit', 0, 0 FROM credit_notes
			UNION ALL SELECT tenant_id, invoice_id, id, 'write_off', amount, 0 FROM write_offs WHERE reversed_at IS NULL) AS posted
		WINDOW before AS (PARTITION BY invoice_id ORDER BY kind = 'refund', id);
		UPDATE invoices i SET (paid, written_off) = (
			SELECT COALESCE(sum(left_amount), 0), (
				SELECT COALESCE(sum(amount), 0) FROM write_offs w
				WHERE w.tenant_id = i.tenant_id AND w.invoice_id = i.id AND reversed_at IS NULL)
			FROM payments p WHERE p.tenant_id = i.tenant_id AND p.invoice_id = i.id);
		INSERT INTO account_entries (tenant_id, source_id, kind, of_id, customer_id, currency, day, amount)
		SELECT tenant_id, source_id, kind, of_id, customer_id, currency, day, amount FROM account_by_the_books();
		DELETE FROM standing;
		INSERT INTO standing (tenant_id, of_id, kind, day, currency, amount, invoices)
		SELECT tenant_id, of_id, kind, day, currency, amount, invoices FROM standing_by_the_books();
		INSERT INTO standing (tenant_id, of_id, kind, day, currency, amount, invoices)
		SELECT tenant_id, id, 'due_month', '2026-01-01', 'EUR', part, part FROM customers, unnest(ARRAY[-1, 1]) AS part
		WHERE tenant_id = '%[1]s'`,
		b.Acme.ID, sitetest.Many, Drafts, PNG(1, 1, color.White)))
	growPeriods(b)
	growInvoiceDistinctions(b)
	growWebhooks(b)
}

package invoiceroom

import "onlyonce/internal/people/business"

// copies returns the part of invoices in copies of a business. The exported business goes on, so its copy sends no email and bills no
// period by itself.
func copies() business.Part {
	return business.Part{
		LeftOut: map[string]string{"webhook_secrets": "sealed with the key of the program"},
		Sums: []string{`
			SELECT format('the total of invoice %s is not that of its lines', number) FROM invoices i, LATERAL (
				SELECT sum(net) AS net, sum(tax) AS tax FROM (
					SELECT sum(net) AS net, round(sum(net) * tax_rate / 100) AS tax FROM invoice_lines l
					WHERE l.tenant_id = i.tenant_id AND l.invoice_id = i.id GROUP BY tax_rate) AS taxed) AS lines
			WHERE i.tenant_id = $1 AND (i.subtotal, i.tax_total, i.total) IS DISTINCT FROM (lines.net, lines.tax, lines.net + lines.tax)`, `
			SELECT format('the payments of invoice %s are not its paid amount', number) FROM invoices i
			WHERE i.tenant_id = $1 AND paid <> (
				SELECT COALESCE(sum(amount), 0) FROM payments p
				WHERE p.tenant_id = i.tenant_id AND p.invoice_id = i.id AND removed_at IS NULL
			) - (
				SELECT COALESCE(sum(amount), 0) FROM refunds f
				WHERE f.tenant_id = i.tenant_id AND f.invoice_id = i.id AND removed_at IS NULL
			) - (
				SELECT COALESCE(sum(became_credit), 0) FROM credit_notes n WHERE n.tenant_id = i.tenant_id AND n.invoice_id = i.id)`, `
			SELECT format('the credit notes of invoice %s are not its credited amount', number) FROM invoices i
			WHERE i.tenant_id = $1 AND credited <> (
				SELECT COALESCE(sum(total), 0) FROM credit_notes n WHERE n.tenant_id = i.tenant_id AND n.invoice_id = i.id)`, `
			SELECT format('the ledger of invoice %s is not what was paid, credited and written off', number) FROM invoices i
			WHERE i.tenant_id = $1 AND paid + credited + written_off <> (
				SELECT COALESCE(sum(amount), 0) FROM postings p WHERE p.tenant_id = i.tenant_id AND p.invoice_id = i.id)`, `
			SELECT format('the sum %s of %s on %s is not that of the books', kind, of_id, day)
			FROM (
				SELECT of_id, kind, day, currency, sum(amount) AS amount, sum(invoices) AS invoices FROM standing
				WHERE tenant_id = $1 GROUP BY 1, 2, 3, 4 HAVING sum(amount) <> 0 OR sum(invoices) <> 0
			) AS kept FULL JOIN (SELECT * FROM standing_by_the_books() WHERE tenant_id = $1) AS books USING (of_id, kind, day, currency)
			WHERE (kept.amount, kept.invoices) IS DISTINCT FROM (books.amount, books.invoices)`, `
			SELECT format('the entry of %s %s in an account is not that of the books', kind, source_id)
			FROM (SELECT * FROM account_entries WHERE tenant_id = $1) AS kept
				FULL JOIN (SELECT * FROM account_by_the_books() WHERE tenant_id = $1) AS books
				USING (source_id, kind, of_id, customer_id, currency, amount)
			WHERE kept.tenant_id IS NULL OR books.tenant_id IS NULL`}, // not their days, which depend on the time zone of then
		Settle: []string{`
			UPDATE mails SET state = 'failed', reason = 'The business was imported before this email was sent.'
			WHERE tenant_id = $1 AND state = 'queued'`,
			`UPDATE schedules SET paused_at = now() WHERE tenant_id = $1 AND paused_at IS NULL AND archived_at IS NULL`,
			`UPDATE reminder_plans SET removed_at = now() WHERE tenant_id = $1 AND removed_at IS NULL`, `
			UPDATE invoice_batch_items SET outcome = 'refused', reason = 'The business was imported before this was done.'
			WHERE tenant_id = $1 AND outcome = 'waiting'`},
	}
}

package torture

// ledgerRules are about invoices and their postings.
func ledgerRules() []rule {
	return []rule{
		{"what is paid is the sum of the payments and refunds, and of their postings", `
			SELECT format('invoice %s: paid %s, payments %s, refunds %s, postings %s', id, paid, payments, refunds, postings)
			FROM invoices i,
				LATERAL (SELECT COALESCE(sum(amount), 0) AS payments FROM payments p
					WHERE p.tenant_id = i.tenant_id AND p.invoice_id = i.id AND removed_at IS NULL) AS p,
				LATERAL (SELECT COALESCE(sum(amount), 0) AS refunds FROM refunds f
					WHERE f.tenant_id = i.tenant_id AND f.invoice_id = i.id) AS f,
				LATERAL (SELECT COALESCE(sum(amount), 0) AS postings FROM postings l
					WHERE l.tenant_id = i.tenant_id AND l.invoice_id = i.id AND kind IN ('payment', 'refund', 'removal')) AS l
			WHERE paid <> payments - refunds OR paid <> postings`},
		{"what is refunded of a payment is the sum of its refunds", `
			SELECT format('payment %s: refunded %s, refunds %s', id, refunded, refunds)
			FROM payments p, LATERAL (
				SELECT COALESCE(sum(amount), 0) AS refunds FROM refunds f WHERE f.tenant_id = p.tenant_id AND f.payment_id = p.id) AS f
			WHERE refunded <> refunds`},
		{"a payment is removed whole, by one intent", `
			SELECT format('payment %s: refunded %s, removed %s, %s times', id, refunded, removed_at, times)
			FROM payments p, LATERAL (
				SELECT count(*) AS times FROM intents o
				WHERE o.tenant_id = p.tenant_id AND record_id = id AND operation = 'payment.remove' AND outcome = 'changed') AS o
			WHERE times <> (removed_at IS NOT NULL)::int OR removed_at IS NOT NULL AND (refunded, left_amount) <> (0, 0)`},
		{"what is credited is the sum of the credit notes, and of their postings", `
			SELECT format('invoice %s: credited %s, credit notes %s, postings %s', id, credited, summed, postings)
			FROM invoices i,
				LATERAL (SELECT COALESCE(sum(n.total), 0) AS summed FROM credit_notes n
					WHERE n.tenant_id = i.tenant_id AND n.invoice_id = i.id) AS n,
				LATERAL (SELECT COALESCE(sum(amount), 0) AS postings FROM postings l
					WHERE l.tenant_id = i.tenant_id AND l.invoice_id = i.id AND kind = 'credit') AS l
			WHERE credited <> summed OR credited <> postings`},
		{"the sums are those of the invoices and payments", `
			SELECT format('%s of %s, %s %s: %s of %s invoices, not %s of %s', kind, of_id, day, currency, k.amount, k.invoices,
				b.amount, b.invoices)
			FROM (
				SELECT tenant_id, of_id, kind, day, currency, sum(amount) AS amount, sum(invoices) AS invoices
				FROM standing GROUP BY 1, 2, 3, 4, 5 HAVING sum(amount) <> 0 OR sum(invoices) <> 0
			) AS k FULL JOIN standing_by_the_books() AS b USING (tenant_id, of_id, kind, day, currency)
			WHERE (k.amount, k.invoices) IS DISTINCT FROM (b.amount, b.invoices)`},
		{"the tax of each issued, voided and credited amount is entered once", `
			WITH document AS (
				SELECT tenant_id, id AS source_id, 'invoice' AS kind, issue_date AS day, subtotal, tax_total FROM invoices
				WHERE issued_at IS NOT NULL
				UNION ALL SELECT tenant_id, id, 'void', greatest(issue_date, (voided_at AT TIME ZONE 'UTC')::date), subtotal, tax_total
				FROM invoices WHERE issued_at IS NOT NULL AND status = 'void'
				UNION ALL SELECT tenant_id, id, 'credit', issue_date, subtotal, tax_total FROM credit_notes
			)
			SELECT format('%s %s on %s: %s and tax %s, entered %s and %s', kind, source_id, day, subtotal, tax_total, net, tax)
			FROM document FULL JOIN (
				SELECT tenant_id, source_id, kind::text, day, sum(net) AS net, sum(tax) AS tax FROM invoice_taxes GROUP BY 1, 2, 3, 4
			) AS entered USING (tenant_id, source_id, kind, day)
			WHERE (net, tax) IS DISTINCT FROM (subtotal, tax_total)`},
		{"no more is paid, credited and written off than the total", `
			SELECT format('invoice %s: %s, %s and %s of %s', id, paid, credited, written_off, total)
			FROM invoices WHERE paid + credited + written_off > total`},
		{"no more is refunded than was paid", `
			SELECT format('payment %s: %s of %s', id, refunded, amount) FROM payments WHERE refunded > amount`},
		{"each payment, removal of one, refund, credit note, write-off and reversal of one is posted once", `
			WITH source AS (
				SELECT tenant_id, invoice_id, id AS source_id, 'payment' AS kind, amount FROM payments
				UNION ALL SELECT tenant_id, invoice_id, id, 'removal', -amount FROM payments WHERE removed_at IS NOT NULL
				UNION ALL SELECT tenant_id, invoice_id, id, 'refund', -amount FROM refunds
				UNION ALL SELECT tenant_id, invoice_id, id, 'credit', total FROM credit_notes
				UNION ALL SELECT tenant_id, invoice_id, id, 'write_off', amount FROM write_offs
				UNION ALL SELECT tenant_id, invoice_id, id, 'reversal', -amount FROM write_offs WHERE reversed_at IS NOT NULL
			)
			SELECT format('%s %s: %s, posted %s', kind, source_id, s.amount, l.amount)
			FROM source s FULL JOIN (SELECT tenant_id, invoice_id, source_id, kind::text, amount FROM postings) AS l
				USING (tenant_id, invoice_id, source_id, kind)
			WHERE s.amount IS DISTINCT FROM l.amount`},
		{"only what is issued is paid, credited or written off", `
			SELECT format('%s of invoice %s, which is %s', what, invoice_id, status)
			FROM (
				SELECT tenant_id, invoice_id, 'payment ' || id AS what, left_amount > 0 AS counts FROM payments
				UNION ALL SELECT tenant_id, invoice_id, number, true FROM credit_notes
				UNION ALL SELECT tenant_id, invoice_id, 'write-off ' || id, reversed_at IS NULL FROM write_offs
			) AS posted JOIN invoices i ON i.tenant_id = posted.tenant_id AND i.id = invoice_id
			-- A payment that was removed, or refunded in full, does not keep its invoice from being voided, nor does a write-off that
			-- was taken back.
			WHERE status = 'draft' OR status = 'void' AND counts`},
		{"no number of a credit note twice", `
			SELECT format('%s times %s', count(*), number) FROM credit_notes GROUP BY tenant_id, number HAVING count(*) > 1`},
		{"the numbers of credit notes are consecutive", `
			SELECT format('wanted %s, there is %s', wanted.number, n.number)
			FROM (
				SELECT tenant_id, year, format('CN-%s-%s', year, lpad(place::text, greatest(4, length(place::text)), '0')) AS number
				FROM credit_note_series, generate_series(1, last) AS place
			) AS wanted FULL JOIN credit_notes n
			ON n.tenant_id = wanted.tenant_id AND n.number = wanted.number AND extract(year FROM issue_date) = year
			WHERE wanted.number IS NULL OR n.number IS NULL`},
		{"no more is credited of a line than it bills", `
			SELECT format('line %s of invoice %s: %s of %s', position, invoice_id, sum(c.quantity), l.quantity)
			FROM credit_note_lines c JOIN invoice_lines l USING (tenant_id, invoice_id, position)
			GROUP BY tenant_id, invoice_id, position, l.quantity HAVING sum(c.quantity) > l.quantity`},
		{"the lines add up to the credit note", `
			SELECT format('%s: %s and tax %s are %s, lines %s', number, subtotal, tax_total, total, net)
			FROM credit_notes n, LATERAL (
				SELECT sum(net) AS net FROM credit_note_lines c WHERE c.tenant_id = n.tenant_id AND credit_note_id = n.id) AS c
			WHERE subtotal IS DISTINCT FROM net OR total <> subtotal + tax_total`},
		{"the parts that are credited add up to what would be credited at once", `
			WITH line AS (
				SELECT tenant_id, invoice_id, position, tax_rate, round(unit_price * sum(c.quantity)) AS whole, sum(c.net) AS parts
				FROM credit_note_lines c JOIN invoice_lines l USING (tenant_id, invoice_id, position)
				GROUP BY tenant_id, invoice_id, position, unit_price, tax_rate
			), tax AS (
				SELECT tenant_id, invoice_id, sum(tax) AS whole FROM (
					SELECT tenant_id, invoice_id, round(sum(whole) * tax_rate / 100) AS tax
					FROM line GROUP BY tenant_id, invoice_id, tax_rate) AS by_rate GROUP BY 1, 2
			)
			SELECT format('line %s of invoice %s: %s, not %s', position, invoice_id, parts, whole) FROM line WHERE parts <> whole
			UNION ALL
			SELECT format('tax of invoice %s: %s, not %s', invoice_id, sum(tax_total), whole)
			FROM tax JOIN credit_notes USING (tenant_id, invoice_id)
			GROUP BY tenant_id, invoice_id, whole HAVING sum(tax_total) <> whole`},
		{"no reference twice", `
			SELECT format('%s times %s of %s', count(*), reference, lower(provider))
			FROM payments WHERE reference IS NOT NULL GROUP BY tenant_id, lower(provider), reference HAVING count(*) > 1`},
		{"each state of an invoice was made once", `
			SELECT format('invoice %s: %s, issued %s times, voided %s times', id, status, issued, voided)
			FROM invoices i, LATERAL (
				SELECT count(*) FILTER (WHERE operation IN ('invoice.issue', 'schedule.bill', 'schedule.bill_due')) AS issued,
					count(*) FILTER (WHERE operation = 'invoice.void') AS voided
				FROM intents o
				WHERE o.tenant_id = i.tenant_id AND record_id = id
					AND outcome = CASE WHEN operation LIKE 'schedule.bill%' THEN 'created' ELSE 'changed' END
					AND NOT (operation LIKE 'schedule.bill%' AND EXISTS (
						SELECT FROM schedule_periods p JOIN schedules s ON s.tenant_id = p.tenant_id AND s.id = schedule_id
						WHERE p.tenant_id = i.tenant_id AND p.id = i.id AND bill_as = 'draft'))
			) AS made
			WHERE (issued, voided) <> ((issued_at IS NOT NULL)::int, (status = 'void')::int)
				OR (issued_at IS NULL) <> (bill_to IS NULL) OR (issued_at IS NULL) <> (seller IS NULL)
				OR (status = 'issued' AND issued_at IS NULL)`},
		{"an issued invoice has its mail, and one for each that was sent again", `
			SELECT format('invoice %s: %s mails, sent again %s times', i.id, mails, again)
			FROM invoices i,
				LATERAL (SELECT count(*) AS mails FROM mails m
					WHERE m.tenant_id = i.tenant_id AND m.invoice_id = i.id AND kind NOT LIKE 'reminder%') AS m,
				LATERAL (SELECT count(*) AS again FROM intent_effects e
					WHERE e.tenant_id = i.tenant_id AND e.record_id = i.id AND operation = 'mail.send') AS e
			WHERE issued_at IS NOT NULL AND mails <> again + 1`},
		{"a mail that was sent again is said of its invoice", `
			SELECT format('mail %s of invoice %s', m.id, m.invoice_id)
			FROM mails m JOIN intents o ON o.tenant_id = m.tenant_id AND o.record_id = m.id AND o.operation = 'mail.send'
			WHERE NOT EXISTS (
				SELECT FROM intent_effects e
				WHERE (e.tenant_id, e.record_id, e.operation, e.key) = (o.tenant_id, m.invoice_id, o.operation, o.key))`},
		{"an issued invoice names the business as it was once called", `
			SELECT format('invoice %s: %s', id, seller->>'name')
			FROM invoices i
			WHERE issued_at IS NOT NULL AND NOT EXISTS (
				SELECT FROM settings s WHERE s.tenant_id = i.tenant_id AND s.name = seller->>'name'
				UNION ALL
				SELECT FROM intents e
				WHERE e.tenant_id = i.tenant_id AND e.operation = 'settings.edit' AND changes->'name'->>0 = seller->>'name')`},
		{"a queued mail has its job", `
			SELECT format('mail %s: %s jobs', id, jobs)
			FROM mails, LATERAL (
				SELECT count(*) AS jobs FROM river.river_job
				WHERE kind = 'mail' AND finalized_at IS NULL AND args->>'mail' = mails.id::text) AS j
			WHERE state = 'queued' AND jobs <> 1`},
		{"what was issued does not change", `
			SELECT format('invoice %s: %s', e.record_id, e.key)
			FROM intents e JOIN intents o USING (tenant_id, record_id)
			WHERE e.operation = 'invoice.edit' AND e.outcome = 'changed'
				AND o.operation IN ('invoice.issue', 'invoice.void') AND o.outcome = 'changed' AND e.at > o.at`},
	}
}

-- The promises about the database at rest. Each query returns the violations, one line of text each.

-- rule: no number twice
SELECT format('%s times %s in %s', count(*), min(number), issue_year)
FROM invoices GROUP BY tenant_id, issue_year, number_folded HAVING count(*) > 1

-- rule: no gap in a run of numbers
SELECT format('%s is missing, the last is %s', wanted, s.last)
FROM invoice_number_runs s, generate_series(s.first, s.last) AS n, invoice_number_pattern(s.tenant_id) AS its,
    lower(number_by_pattern(its, s.year, n)) AS wanted
WHERE NOT EXISTS (
    SELECT FROM invoices i
    WHERE i.tenant_id = s.tenant_id AND s.year IN (0, i.issue_year) AND i.number_folded = wanted)

-- rule: no number of a series outside of its runs
SELECT number
FROM invoices i, invoice_number_pattern(i.tenant_id) AS its, place_by_pattern(number_folded, its) AS place
WHERE place IS NOT NULL AND series_by_pattern(number_folded, its) = series_of_year(its, issue_year) AND NOT EXISTS (
    SELECT FROM invoice_number_runs s
    WHERE s.tenant_id = i.tenant_id AND s.year = series_of_year(its, issue_year) AND place BETWEEN s.first AND s.last)

-- rule: every line is quantity times price, less the discount
SELECT format('invoice %s line %s', invoice_id, position)
FROM invoice_lines WHERE net <> round(quantity * (unit_price + price_fraction)) - discount

-- rule: the lines add up to the header
WITH taxed AS (
    SELECT tenant_id, invoice_id, sum(net) AS net, round(sum(net) * tax_rate / 100) AS tax
    FROM invoice_lines GROUP BY tenant_id, invoice_id, tax_rate
), summed AS (
    SELECT tenant_id, invoice_id AS id, sum(net) AS subtotal, sum(tax) AS tax FROM taxed GROUP BY 1, 2
)
SELECT format('invoice %s', id)
FROM invoices i LEFT JOIN summed s USING (tenant_id, id)
WHERE (i.subtotal, i.tax_total, i.total) IS DISTINCT FROM (s.subtotal, s.tax, s.subtotal + s.tax)

-- rule: no customer twice
SELECT format('%s times %s %s', count(*), email_folded, name_folded)
FROM customers WHERE email IS NOT NULL AND merged_into IS NULL
GROUP BY tenant_id, email_folded, name_folded HAVING count(*) > 1

-- rule: no intent twice
SELECT format('%s times %s %s', count(*), operation, key)
FROM intents GROUP BY tenant_id, operation, key HAVING count(*) > 1

-- rule: no intent without its record
SELECT format('%s %s: %s', operation, key, record_id)
FROM intents o
WHERE result->>'id' <> record_id::text OR NOT EXISTS (
    SELECT FROM (
        SELECT 'invoice.%' AS operations, tenant_id, id FROM invoices
        UNION ALL SELECT 'customer.%', tenant_id, id FROM customers
        UNION ALL SELECT 'customer.%merge', tenant_id, id FROM customer_merges
        UNION ALL SELECT 'customer.erase', tenant_id, id FROM customer_erasures
        UNION ALL SELECT 'customer_import.%', tenant_id, id FROM imports
        UNION ALL SELECT 'webhook.receive', tenant_id, id FROM webhook_events
        UNION ALL SELECT 'settings.%', tenant_id, id FROM settings
        UNION ALL SELECT 'payment.%', tenant_id, id FROM payments
        UNION ALL SELECT 'user.%', tenant_id, id FROM users
        UNION ALL SELECT 'refund.%', tenant_id, id FROM refunds
        UNION ALL SELECT 'credit_note.%', tenant_id, id FROM credit_notes
        UNION ALL SELECT 'mail.send', tenant_id, id FROM mails
        UNION ALL SELECT 'schedule.%', tenant_id, id FROM schedules
        UNION ALL SELECT 'schedule.bill%', tenant_id, id FROM schedule_periods
        UNION ALL SELECT 'attachment.%', tenant_id, id FROM attachments
        UNION ALL SELECT 'logo.%', tenant_id, id FROM logos
        UNION ALL SELECT 'sign_up.%', tenant_id, id FROM sign_ups
        UNION ALL SELECT 'reminder.send', tenant_id, id FROM invoice_reminders
        UNION ALL SELECT 'reminder.send_batch', tenant_id, id FROM invoice_reminder_batches
        UNION ALL SELECT 'invoice_batch.create', tenant_id, id FROM invoice_batches
        UNION ALL SELECT 'reminder_plan.%', tenant_id, id FROM reminder_plans
        UNION ALL SELECT 'write_off.%', tenant_id, id FROM write_offs
        UNION ALL SELECT 'closing.%', tenant_id, id FROM closings
        UNION ALL SELECT 'receipt.%', tenant_id, id FROM receipts
        UNION ALL SELECT 'receipt.apply', tenant_id, id FROM payments
        UNION ALL SELECT 'repayment.%', tenant_id, id FROM repayments
        UNION ALL SELECT 'number_pattern.set', tenant_id, id FROM number_patterns
        UNION ALL SELECT 'next_number.set', tenant_id, id FROM next_numbers
    ) AS r
    WHERE o.operation LIKE operations AND r.tenant_id = o.tenant_id AND r.id = record_id)

-- rule: one event for each intent since the feed was started
WITH said AS (
    SELECT tenant_id, operation, key FROM intents JOIN tenants t ON t.id = tenant_id
    WHERE outcome IN ('created', 'changed') AND at > events_since + interval '5 seconds' -- those before may have been under way
), noted AS (
    SELECT tenant_id, operation, key, count(*) AS times FROM events GROUP BY 1, 2, 3
)
SELECT format('%s %s: %s events', operation, key, COALESCE(times, 0))
FROM said LEFT JOIN noted USING (tenant_id, operation, key)
WHERE times IS DISTINCT FROM 1
UNION ALL
SELECT format('%s %s: an event without its intent', operation, key)
FROM events e
WHERE NOT EXISTS (
    SELECT FROM intents i
    WHERE i.tenant_id = e.tenant_id AND i.operation = e.operation AND i.key = e.key AND outcome IN ('created', 'changed'))

-- rule: events are in the order of the changes of their record
SELECT format('%s: event %s is of an earlier version than event %s', record_id, n, before)
FROM (
    SELECT record_id, n, lag(n) OVER later AS before, (changes -> 'version' ->> 1)::integer AS version,
        lag((changes -> 'version' ->> 1)::integer) OVER later AS version_before
    FROM events JOIN intents USING (tenant_id, operation, key)
    WHERE outcome = 'changed'
    WINDOW later AS (PARTITION BY tenant_id, record_id ORDER BY n)) AS changed
WHERE version <= version_before

-- rule: one intent for each creation
WITH created AS (
    SELECT tenant_id, record_id AS id, count(*) AS times
    FROM (
        -- Mails have a separate rule.
        SELECT tenant_id, record_id FROM intents WHERE outcome = 'created' AND operation <> 'mail.send'
        UNION ALL
        SELECT tenant_id, record_id FROM intent_effects WHERE effect IN ('customer created', 'recorded with a receipt', 'credit of a credit note')
        UNION ALL
        SELECT tenant_id, CASE kind WHEN 'payment' THEN payment_id ELSE refund_id END FROM webhook_events
        WHERE state = 'applied' AND reason = ''
        UNION ALL
        SELECT tenant_id, r.id FROM invoice_reminder_outcomes o JOIN invoice_reminders r USING (tenant_id, invoice_id, level)
        WHERE outcome = 'sent'
    ) AS said GROUP BY 1, 2
), there AS (
    SELECT tenant_id, id, count(*) AS times
    FROM (
        SELECT tenant_id, id FROM invoices
        UNION ALL SELECT tenant_id, id FROM customers
        UNION ALL SELECT tenant_id, id FROM payments
        UNION ALL SELECT tenant_id, id FROM refunds
        UNION ALL SELECT tenant_id, id FROM credit_notes
        UNION ALL SELECT tenant_id, id FROM schedules
        UNION ALL SELECT tenant_id, id FROM webhook_events
        UNION ALL SELECT tenant_id, id FROM customer_merges
        UNION ALL SELECT tenant_id, id FROM customer_erasures
        UNION ALL SELECT tenant_id, id FROM imports
        UNION ALL SELECT tenant_id, id FROM attachments
        UNION ALL SELECT tenant_id, id FROM logos
        UNION ALL SELECT tenant_id, id FROM sign_ups
        UNION ALL SELECT tenant_id, id FROM invoice_reminders
        UNION ALL SELECT tenant_id, id FROM invoice_reminder_batches
        UNION ALL SELECT tenant_id, id FROM invoice_batches
        UNION ALL SELECT tenant_id, id FROM reminder_plans
        UNION ALL SELECT tenant_id, id FROM write_offs
        UNION ALL SELECT tenant_id, id FROM closings
        UNION ALL SELECT tenant_id, id FROM receipts
        UNION ALL SELECT tenant_id, id FROM repayments
        UNION ALL SELECT tenant_id, id FROM number_patterns
        UNION ALL SELECT tenant_id, id FROM next_numbers
        UNION ALL SELECT tenant_id, id FROM users WHERE email ~ '^(sales|moved)-' -- not the users of the demo
    ) AS record GROUP BY 1, 2
)
SELECT format('%s: created %s times, there %s times', id, COALESCE(created.times, 0), COALESCE(there.times, 0))
FROM there FULL JOIN created USING (tenant_id, id)
WHERE created.times IS DISTINCT FROM there.times

-- rule: a version for each change
SELECT format('%s: version %s, %s changes', id, version, times)
FROM (
        SELECT tenant_id, id, version FROM invoices
        UNION ALL SELECT tenant_id, id, version FROM customers
        UNION ALL SELECT tenant_id, id, version FROM payments
        UNION ALL SELECT tenant_id, id, version FROM refunds
        UNION ALL SELECT tenant_id, id, version FROM credit_notes
        UNION ALL SELECT tenant_id, id, version FROM schedules
        UNION ALL SELECT tenant_id, id, version FROM settings
        UNION ALL SELECT tenant_id, id, version FROM imports
        UNION ALL SELECT tenant_id, id, version FROM attachments
        UNION ALL SELECT tenant_id, id, version FROM logos
        UNION ALL SELECT tenant_id, id, version FROM sign_ups
        UNION ALL SELECT tenant_id, id, version FROM closings
        UNION ALL SELECT tenant_id, id, version FROM receipts
        UNION ALL SELECT tenant_id, id, version FROM repayments
        UNION ALL SELECT tenant_id, id, version FROM write_offs) AS record,
    LATERAL (
        SELECT count(*) AS times FROM (
            SELECT FROM intents o WHERE o.tenant_id = record.tenant_id AND record_id = record.id AND outcome = 'changed'
            UNION ALL
            SELECT FROM payments p, generate_series(0, (removed_at IS NOT NULL)::int) -- also its removal
            WHERE p.tenant_id = record.tenant_id AND record.id IN (p.invoice_id, p.receipt_id)
            UNION ALL
            SELECT FROM repayments b, generate_series(0, (removed_at IS NOT NULL)::int)
            WHERE b.tenant_id = record.tenant_id AND b.receipt_id = record.id
            UNION ALL
            SELECT FROM refunds f, generate_series(0, (removed_at IS NOT NULL)::int)
            WHERE f.tenant_id = record.tenant_id AND record.id IN (f.invoice_id, f.payment_id)
            UNION ALL
            SELECT FROM credit_notes n WHERE n.tenant_id = record.tenant_id AND n.invoice_id = record.id
            UNION ALL
            SELECT FROM write_offs w, generate_series(0, (reversed_at IS NOT NULL)::int) -- also its reversal
            WHERE w.tenant_id = record.tenant_id AND w.invoice_id = record.id
            UNION ALL
            SELECT FROM intent_effects e WHERE e.tenant_id = record.tenant_id AND e.record_id = record.id
                AND operation IN ('customer.merge', 'customer.undo_merge', 'customer.erase', 'customer_import.reverse',
                    'logo.create', 'receipt.remove', 'credit_note.reverse')
            UNION ALL -- an erasure empties what was not issued
            SELECT FROM invoices i JOIN customers c ON c.tenant_id = i.tenant_id AND c.id = customer_id
            WHERE i.tenant_id = record.tenant_id AND i.id = record.id AND issued_at IS NULL AND erased_at IS NOT NULL
            UNION ALL
            SELECT FROM schedules s JOIN customers c ON c.tenant_id = s.tenant_id AND c.id = customer_id
            WHERE s.tenant_id = record.tenant_id AND s.id = record.id AND erased_at IS NOT NULL
            UNION ALL -- an invoice of a schedule is issued as it is created
            SELECT FROM schedule_periods p JOIN schedules s ON s.tenant_id = p.tenant_id AND s.id = schedule_id
            WHERE p.tenant_id = record.tenant_id AND p.id = record.id AND bill_as = 'issued') AS change) AS changed
WHERE version <> 1 + times

-- rule: what was changed is said
SELECT format('%s %s: %s with %s', operation, key, outcome, COALESCE(changes::text, 'nothing'))
FROM intents WHERE (outcome = 'changed') <> (changes IS NOT NULL)

-- rule: each change begins where another one ended
-- If two changes begin at the same value, the first one's new value is neither changed later nor current.
WITH change AS (
    SELECT tenant_id, record_id, field.key AS field, field.value
    FROM intents, jsonb_each(changes - 'version') AS field -- the rule above is about versions
    -- Payments change the state of an invoice, too. The customer and the business of a draft change without an edit, lines
    -- are in another table, and whether it is overdue is in none.
    WHERE CASE
        WHEN operation LIKE 'invoice.%'
            THEN field.key NOT IN ('status', 'overdue', 'paid', 'open', 'customer', 'seller', 'lines')
        WHEN operation = 'customer.undo_merge' THEN false
        -- A merge archives customers too.
        WHEN operation IN ('customer.archive', 'customer.restore') THEN NOT EXISTS (
            SELECT FROM intent_effects e
            WHERE e.tenant_id = intents.tenant_id AND e.record_id = intents.record_id AND e.operation = 'customer.merge')
        -- Fields in no table, or in another one.
        WHEN operation LIKE 'schedule.%' THEN field.key NOT IN ('next_day', 'failure', 'customer')
        WHEN operation LIKE 'customer_import.%' THEN field.key NOT IN ('created', 'known', 'left_out', 'done')
        ELSE true END
), step AS (
    SELECT tenant_id, record_id, field, value->0 AS value, -1 AS times FROM change
    UNION ALL
    SELECT tenant_id, record_id, field, value->1, 1 FROM change
    UNION ALL
    SELECT tenant_id, id, field.key, field.value, -1
    FROM customers c, jsonb_each(to_jsonb(c) || jsonb_build_object('payment_days', COALESCE(payment_days::text, ''))) AS field
    UNION ALL
    SELECT tenant_id, id, field.key, field.value, -1
    FROM settings s, jsonb_each(to_jsonb(s) || jsonb_build_object(
        'payment_days', payment_days::text, 'tax_rate', COALESCE(tax_rate::text, ''))) AS field
    UNION ALL
    SELECT tenant_id, id, field.key, field.value, -1 FROM invoices AS r, jsonb_each(to_jsonb(r)) AS field
    UNION ALL SELECT tenant_id, id, field.key, field.value, -1 FROM imports AS r, jsonb_each(to_jsonb(r)) AS field
    UNION ALL SELECT tenant_id, id, field.key, field.value, -1 FROM schedules AS r, jsonb_each(to_jsonb(r)) AS field
    UNION ALL SELECT tenant_id, id, field.key, field.value, -1 FROM users AS r, jsonb_each(to_jsonb(r)) AS field
    UNION ALL SELECT tenant_id, id, field.key, field.value, -1 FROM sign_ups AS r, jsonb_each(to_jsonb(r)) AS field
    UNION ALL SELECT tenant_id, id, field.key, field.value, -1 FROM attachments AS r, jsonb_each(to_jsonb(r)) AS field
    UNION ALL SELECT tenant_id, id, field.key, field.value, -1 FROM logos AS r, jsonb_each(to_jsonb(r)) AS field
    UNION ALL SELECT tenant_id, id, field.key, field.value, -1 FROM write_offs AS r, jsonb_each(to_jsonb(r)) AS field
    UNION ALL SELECT tenant_id, id, field.key, field.value, -1 FROM refunds AS r, jsonb_each(to_jsonb(r)) AS field
    UNION ALL SELECT tenant_id, id, field.key, field.value, -1 FROM repayments AS r, jsonb_each(to_jsonb(r)) AS field
    UNION ALL SELECT tenant_id, id, field.key, field.value, -1 FROM closings AS r, jsonb_each(to_jsonb(r)) AS field
    UNION ALL SELECT tenant_id, id, field.key, field.value, -1
    FROM payments AS r, jsonb_each(to_jsonb(r) || jsonb_build_object('left', left_amount)) AS field
    UNION ALL SELECT tenant_id, id, field.key, field.value, -1
    FROM receipts AS r, jsonb_each(to_jsonb(r) || jsonb_build_object('left', left_amount)) AS field
)
SELECT format('%s: %s was made %s and is not', record_id, field, value)
FROM step GROUP BY tenant_id, record_id, field, value HAVING sum(times) > 0

-- rule: a transition changes what was not so
SELECT format('%s %s: %s', operation, key, changes)
FROM intents
WHERE outcome = 'changed' AND operation IN ('customer.archive', 'customer.restore') AND (
    changes - 'archived_at' - 'version' <> '{}'
    OR changes->'archived_at' IS DISTINCT FROM '[null, null]' AND ( -- not erased
        (changes->'archived_at'->>0 IS NULL) <> (operation = 'customer.archive')
        OR (changes->'archived_at'->>1 IS NULL) <> (operation = 'customer.restore')))

-- rule: what is paid is the sum of the payments and refunds, and of their postings
SELECT format('invoice %s: paid %s, payments %s, refunds %s, became credit %s, postings %s', id, paid, payments, refunds, became, postings)
FROM invoices i,
    LATERAL (SELECT COALESCE(sum(amount), 0) AS payments FROM payments p
        WHERE p.tenant_id = i.tenant_id AND p.invoice_id = i.id AND removed_at IS NULL) AS p,
    LATERAL (SELECT COALESCE(sum(amount), 0) AS refunds FROM refunds f
        WHERE f.tenant_id = i.tenant_id AND f.invoice_id = i.id AND removed_at IS NULL) AS f,
    LATERAL (SELECT COALESCE(sum(became_credit), 0) AS became FROM credit_notes n
        WHERE n.tenant_id = i.tenant_id AND n.invoice_id = i.id) AS n,
    LATERAL (SELECT COALESCE(sum(amount), 0) AS postings FROM postings l
        WHERE l.tenant_id = i.tenant_id AND l.invoice_id = i.id AND kind IN ('payment', 'refund', 'removal', 'to_credit')) AS l
WHERE paid <> payments - refunds - became OR paid <> postings

-- rule: what became credit is one receipt
SELECT format('credit note %s: %s became credit, receipt %s', n.id, became_credit, amount)
FROM credit_notes n JOIN invoices i ON i.tenant_id = n.tenant_id AND i.id = invoice_id
LEFT JOIN receipts r ON r.tenant_id = n.tenant_id AND credit_note_id = n.id
WHERE n.reverses_id IS NULL AND (
    COALESCE(amount, 0) <> became_credit OR became_credit > abs(n.total)
    OR removed_at IS NOT NULL <> EXISTS (SELECT FROM credit_notes o WHERE o.tenant_id = n.tenant_id AND o.reverses_id = n.id) AND amount > 0)
    OR (r.currency, received_on) <> (i.currency, n.issue_date)
    OR n.reverses_id IS NOT NULL AND amount IS NOT NULL

-- rule: a reversal takes back all of its credit note
SELECT format('%s of %s: %s, tax %s and %s, not of %s', n.number, o.number, n.total, n.tax_total, n.became_credit, o.total)
FROM credit_notes n LEFT JOIN credit_notes o ON o.tenant_id = n.tenant_id AND o.id = n.reverses_id AND o.invoice_id = n.invoice_id
WHERE (n.reverses_id IS NOT NULL OR n.total < 0) AND (n.subtotal, n.tax_total, n.total, n.became_credit)
    IS DISTINCT FROM (-o.subtotal, -o.tax_total, -o.total, -o.became_credit)

-- rule: what is refunded of a payment is the sum of its refunds
SELECT format('payment %s: refunded %s, refunds %s', id, refunded, refunds)
FROM payments p, LATERAL (
    SELECT COALESCE(sum(amount), 0) AS refunds FROM refunds f
    WHERE f.tenant_id = p.tenant_id AND f.payment_id = p.id AND removed_at IS NULL) AS f
WHERE refunded <> refunds

-- rule: a payment is removed whole, by one intent
SELECT format('payment %s: refunded %s, removed %s, %s times', id, refunded, removed_at, times)
FROM payments p, LATERAL (
    SELECT count(*) AS times FROM (
        SELECT FROM intents o
        WHERE o.tenant_id = p.tenant_id AND record_id = id AND operation = 'payment.remove' AND outcome = 'changed'
        UNION ALL
        SELECT FROM intent_effects e WHERE e.tenant_id = p.tenant_id AND record_id = id AND operation = 'receipt.remove') AS removal) AS o
WHERE times <> (removed_at IS NOT NULL)::int OR removed_at IS NOT NULL AND (refunded, left_amount) <> (0, 0)

-- rule: a refund, a repayment and a receipt are removed by one intent
SELECT format('%s %s: removed %s, %s times', what, id, removed_at, times)
FROM (
    SELECT 'refund' AS what, tenant_id, id, removed_at FROM refunds
    UNION ALL SELECT 'repayment', tenant_id, id, removed_at FROM repayments
    UNION ALL SELECT 'receipt', tenant_id, id, removed_at FROM receipts WHERE credit_note_id IS NULL -- without reversals
) AS r, LATERAL (
    SELECT count(*) AS times FROM intents o
    WHERE o.tenant_id = r.tenant_id AND record_id = id AND operation = what || '.remove' AND outcome = 'changed') AS o
WHERE times <> (removed_at IS NOT NULL)::int

-- rule: a receipt is what pays invoices, what was paid back and what is left
SELECT format('receipt %s of %s: allocated %s, payments %s, repaid %s, repayments %s, left %s', id, amount, allocated, payments, repaid,
    repayments, left_amount)
FROM receipts r,
    LATERAL (SELECT COALESCE(sum(amount), 0) AS payments FROM payments p
        WHERE p.tenant_id = r.tenant_id AND p.receipt_id = r.id AND removed_at IS NULL) AS p,
    LATERAL (SELECT COALESCE(sum(amount), 0) AS repayments FROM repayments b
        WHERE b.tenant_id = r.tenant_id AND b.receipt_id = r.id AND removed_at IS NULL) AS b
WHERE (allocated, repaid) <> (payments, repayments) OR left_amount < 0
    OR left_amount <> CASE WHEN removed_at IS NULL THEN amount - payments - repayments ELSE payments + repayments END

-- rule: what is credited is the sum of the credit notes, and of their postings
SELECT format('invoice %s: credited %s, credit notes %s, postings %s', id, credited, summed, postings)
FROM invoices i,
    LATERAL (SELECT COALESCE(sum(n.total), 0) AS summed FROM credit_notes n
        WHERE n.tenant_id = i.tenant_id AND n.invoice_id = i.id) AS n,
    LATERAL (SELECT COALESCE(sum(amount), 0) AS postings FROM postings l
        WHERE l.tenant_id = i.tenant_id AND l.invoice_id = i.id AND kind = 'credit') AS l
WHERE credited <> summed OR credited <> postings

-- rule: the sums are those of the invoices and payments
SELECT format('%s of %s, %s %s: %s of %s invoices, not %s of %s', kind, of_id, day, currency, k.amount, k.invoices,
    b.amount, b.invoices)
FROM (
    SELECT tenant_id, of_id, kind, day, currency, sum(amount) AS amount, sum(invoices) AS invoices
    FROM standing GROUP BY 1, 2, 3, 4, 5 HAVING sum(amount) <> 0 OR sum(invoices) <> 0
) AS k FULL JOIN standing_by_the_books() AS b USING (tenant_id, of_id, kind, day, currency)
WHERE (k.amount, k.invoices) IS DISTINCT FROM (b.amount, b.invoices)

-- rule: the accounts of customers have the entries of the books
SELECT format('%s %s of %s on %s: %s %s', kind, source_id, customer_id, day, amount, currency)
FROM (
    (SELECT tenant_id, source_id, kind, of_id, customer_id, currency, day, amount FROM account_entries
        EXCEPT SELECT * FROM account_by_the_books())
    UNION ALL
    (SELECT * FROM account_by_the_books()
        EXCEPT SELECT tenant_id, source_id, kind, of_id, customer_id, currency, day, amount FROM account_entries)) AS differing

-- rule: the tax of each issued, voided and credited amount is entered once
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
WHERE (net, tax) IS DISTINCT FROM (subtotal, tax_total)

-- rule: no more is paid, credited and written off than the total
SELECT format('invoice %s: %s, %s and %s of %s', id, paid, credited, written_off, total)
FROM invoices WHERE paid + credited + written_off > total

-- rule: no more is refunded than was paid
SELECT format('payment %s: %s of %s', id, refunded, amount) FROM payments WHERE refunded > amount

-- rule: each payment, removal of one, refund, credit note, write-off and reversal of one is posted once
WITH source AS (
    SELECT tenant_id, invoice_id, id AS source_id, 'payment' AS kind, amount FROM payments
    UNION ALL SELECT tenant_id, invoice_id, id, 'removal', -amount FROM payments WHERE removed_at IS NOT NULL
    UNION ALL SELECT tenant_id, invoice_id, id, 'refund', -amount FROM refunds
    UNION ALL SELECT tenant_id, invoice_id, id, 'removal', amount FROM refunds WHERE removed_at IS NOT NULL
    UNION ALL SELECT tenant_id, invoice_id, id, 'credit', total FROM credit_notes
    UNION ALL SELECT tenant_id, invoice_id, id, 'to_credit', -became_credit FROM credit_notes WHERE became_credit <> 0
    UNION ALL SELECT tenant_id, invoice_id, id, 'write_off', amount FROM write_offs
    UNION ALL SELECT tenant_id, invoice_id, id, 'reversal', -amount FROM write_offs WHERE reversed_at IS NOT NULL
)
SELECT format('%s %s: %s, posted %s', kind, source_id, s.amount, l.amount)
FROM source s FULL JOIN (SELECT tenant_id, invoice_id, source_id, kind::text, amount FROM postings) AS l
    USING (tenant_id, invoice_id, source_id, kind)
WHERE s.amount IS DISTINCT FROM l.amount

-- rule: only what is issued is paid, credited or written off
SELECT format('%s of invoice %s, which is %s', what, invoice_id, status)
FROM (
    SELECT tenant_id, invoice_id, 'payment ' || id AS what, left_amount > 0 AS counts FROM payments
    UNION ALL SELECT tenant_id, invoice_id, number, true FROM credit_notes
    UNION ALL SELECT tenant_id, invoice_id, 'write-off ' || id, reversed_at IS NULL FROM write_offs
) AS posted JOIN invoices i ON i.tenant_id = posted.tenant_id AND i.id = invoice_id
-- A payment that was removed, or refunded in full, does not keep its invoice from being voided, nor does a write-off that
-- was taken back.
WHERE status = 'draft' OR status = 'void' AND counts

-- rule: no number of a credit note twice
SELECT format('%s times %s', count(*), number) FROM credit_notes GROUP BY tenant_id, number HAVING count(*) > 1

-- rule: the numbers of credit notes are consecutive
SELECT format('wanted %s, there is %s', wanted.number, n.number)
FROM (
    SELECT tenant_id, year, format('CN-%s-%s', year, lpad(place::text, greatest(4, length(place::text)), '0')) AS number
    FROM credit_note_series, generate_series(1, last) AS place
) AS wanted FULL JOIN credit_notes n
ON n.tenant_id = wanted.tenant_id AND n.number = wanted.number AND extract(year FROM issue_date) = year
WHERE wanted.number IS NULL OR n.number IS NULL

-- rule: no more is credited of a line than it bills
SELECT format('line %s of invoice %s: %s of %s', position, invoice_id, sum(c.quantity), l.quantity)
FROM credit_note_lines c JOIN invoice_lines l USING (tenant_id, invoice_id, position)
GROUP BY tenant_id, invoice_id, position, l.quantity HAVING abs(sum(c.quantity)) > abs(l.quantity)

-- rule: the lines add up to the credit note
SELECT format('%s: %s and tax %s are %s, lines %s', number, subtotal, tax_total, total, net)
FROM credit_notes n, LATERAL (
    SELECT sum(net) AS net FROM credit_note_lines c WHERE c.tenant_id = n.tenant_id AND credit_note_id = n.id) AS c
WHERE subtotal IS DISTINCT FROM net OR total <> subtotal + tax_total

-- rule: the sums of what is credited of lines and rates are those of the credit notes
SELECT format('line %s of invoice %s: %s, not %s', position, invoice_id, last, parts)
FROM (
    SELECT tenant_id, invoice_id, position, sum(net) AS parts, (array_agg(net_credited ORDER BY ordinal DESC))[1] AS last
    FROM credit_note_lines GROUP BY tenant_id, invoice_id, position) AS line
WHERE parts <> last
UNION ALL
SELECT format('%s%% of invoice %s: %s and tax %s, not %s and %s', tax_rate, invoice_id, credited_net, credited_tax, net, tax)
FROM (
    SELECT tenant_id, invoice_id, tax_rate, treatment, sum(credited_net) AS credited_net, sum(credited_tax) AS credited_tax,
        COALESCE(sum(net) FILTER (WHERE kind = 'credit'), 0) AS net, COALESCE(sum(tax) FILTER (WHERE kind = 'credit'), 0) AS tax
    FROM invoice_taxes GROUP BY tenant_id, invoice_id, tax_rate, treatment) AS rate
WHERE (credited_net, credited_tax) IS DISTINCT FROM (net, tax)

-- rule: the parts that are credited add up to what would be credited at once
-- An amount is credited without quantities. A reversal of any but the last credit note leaves a rounding difference.
WITH line AS (
    SELECT
        tenant_id, invoice_id, position, tax_rate, sum(c.net) AS parts,
        round(CASE WHEN l.discount = 0 THEN (l.unit_price + l.price_fraction) * sum(c.quantity) ELSE l.net * sum(c.quantity) / l.quantity END) AS whole
    FROM credit_note_lines c JOIN invoice_lines l USING (tenant_id, invoice_id, position)
    WHERE NOT EXISTS (
        SELECT FROM credit_note_lines a WHERE a.tenant_id = c.tenant_id AND a.invoice_id = c.invoice_id AND (a.quantity = 0 OR a.reverses_id IS NOT NULL))
    GROUP BY tenant_id, invoice_id, position, l.unit_price, l.price_fraction, l.discount, l.net, l.quantity, tax_rate
), tax AS (
    SELECT tenant_id, invoice_id, sum(tax) AS whole FROM (
        SELECT tenant_id, invoice_id, round(sum(whole) * tax_rate / 100) AS tax
        FROM line GROUP BY tenant_id, invoice_id, tax_rate) AS by_rate GROUP BY 1, 2
)
SELECT format('line %s of invoice %s: %s, not %s', position, invoice_id, parts, whole) FROM line WHERE parts <> whole
UNION ALL
SELECT format('tax of invoice %s: %s, not %s', invoice_id, sum(tax_total), whole)
FROM tax JOIN credit_notes USING (tenant_id, invoice_id)
GROUP BY tenant_id, invoice_id, whole HAVING sum(tax_total) <> whole

-- rule: no reference twice
SELECT format('%s of %s: %s times, held %s times', reference, provider_folded, COALESCE(s.times, 0), COALESCE(h.times, 0))
FROM (
    SELECT tenant_id, provider_folded, reference, count(*) AS times FROM (
        SELECT tenant_id, provider_folded, reference FROM payments WHERE reference IS NOT NULL AND removed_at IS NULL
        UNION ALL
        SELECT tenant_id, provider_folded, reference FROM receipts WHERE reference IS NOT NULL AND removed_at IS NULL
    ) AS transfer GROUP BY 1, 2, 3
) AS s FULL JOIN (SELECT tenant_id, provider_folded, reference, count(*) AS times FROM payment_references GROUP BY 1, 2, 3) AS h
    USING (tenant_id, provider_folded, reference)
WHERE (s.times, h.times) IS DISTINCT FROM (1::bigint, 1::bigint)

-- rule: each state of an invoice was made once
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
    OR (status = 'issued' AND issued_at IS NULL)

-- rule: an issued invoice has its mail, and one for each that was sent again
SELECT format('invoice %s: %s mails, sent again %s times', i.id, mails, again)
FROM invoices i,
    LATERAL (SELECT count(*) AS mails FROM mails m
        WHERE m.tenant_id = i.tenant_id AND m.invoice_id = i.id AND kind NOT LIKE 'reminder%') AS m,
    LATERAL (SELECT count(*) AS again FROM intent_effects e
        WHERE e.tenant_id = i.tenant_id AND e.record_id = i.id AND operation = 'mail.send') AS e
WHERE issued_at IS NOT NULL AND mails <> again + 1

-- rule: a mail that was sent again is said of its invoice
SELECT format('mail %s of invoice %s', m.id, m.invoice_id)
FROM mails m JOIN intents o ON o.tenant_id = m.tenant_id AND o.record_id = m.id AND o.operation = 'mail.send'
WHERE NOT EXISTS (
    SELECT FROM intent_effects e
    WHERE (e.tenant_id, e.record_id, e.operation, e.key) = (o.tenant_id, m.invoice_id, o.operation, o.key))

-- rule: an issued invoice names the business as it was once called
SELECT format('invoice %s: %s', id, seller->>'name')
FROM invoices i
WHERE issued_at IS NOT NULL AND NOT EXISTS (
    SELECT FROM settings s WHERE s.tenant_id = i.tenant_id AND s.name = seller->>'name'
    UNION ALL
    SELECT FROM intents e
    WHERE e.tenant_id = i.tenant_id AND e.operation = 'settings.edit' AND changes->'name'->>0 = seller->>'name')

-- rule: a queued mail has its job
SELECT format('mail %s: %s jobs', id, jobs)
FROM mails, LATERAL (
    SELECT count(*) AS jobs FROM river.river_job
    WHERE kind = 'mail' AND finalized_at IS NULL AND args->>'mail' = mails.id::text) AS j
WHERE state = 'queued' AND jobs <> 1

-- rule: what was issued does not change
SELECT format('invoice %s: %s', e.record_id, e.key)
FROM intents e JOIN intents o USING (tenant_id, record_id)
WHERE e.operation = 'invoice.edit' AND e.outcome = 'changed'
    AND o.operation IN ('invoice.issue', 'invoice.void') AND o.outcome = 'changed' AND e.at > o.at

-- rule: no event twice
SELECT format('%s times %s', count(*), event_id)
FROM webhook_events WHERE first_id IS NULL GROUP BY tenant_id, source_id, event_id HAVING count(*) > 1
UNION ALL
SELECT format('%s times another content of %s', count(*), min(event_id))
FROM webhook_events WHERE first_id IS NOT NULL GROUP BY tenant_id, first_id, digest HAVING count(*) > 1

-- rule: an event did what it asked for, or nothing
SELECT format('event %s: %s %s, payment %s, refund %s', event_id, state, reason, e.payment_id, refund_id)
FROM webhook_events e JOIN webhook_sources s ON s.tenant_id = e.tenant_id AND s.id = e.source_id
LEFT JOIN payments p ON p.tenant_id = e.tenant_id AND p.id = e.payment_id
LEFT JOIN refunds f ON f.tenant_id = e.tenant_id AND f.id = refund_id
WHERE CASE
    WHEN state <> 'applied' THEN num_nonnulls(e.payment_id, refund_id) > 0 OR (state = 'apart') <> (first_id IS NOT NULL)
    WHEN first_id IS NOT NULL OR (p.provider_folded, p.reference) IS DISTINCT FROM (s.provider_folded, e.reference) THEN true
    WHEN e.kind = 'payment' THEN refund_id IS NOT NULL OR p.amount <> e.amount OR NOT EXISTS (
        SELECT FROM invoices i
        WHERE i.tenant_id = p.tenant_id AND i.id = p.invoice_id AND i.currency = e.currency
            AND e.invoice IN (i.id::text, i.number))
    -- Its amount is the total refunded so far.
    ELSE p.refunded < e.amount OR (refund_id IS NULL) <> (reason = 'recorded-before') OR f.payment_id <> p.id
END

-- rule: no event waits for a payment that is there
SELECT format('event %s: payment %s', event_id, p.id)
FROM webhook_events e JOIN webhook_sources s ON s.tenant_id = e.tenant_id AND s.id = e.source_id
JOIN payments p ON p.tenant_id = e.tenant_id AND p.provider_folded = s.provider_folded AND p.reference = e.reference
WHERE e.state = 'waiting'

-- rule: one invoice for each period of a schedule
SELECT format('schedule %s: %s times %s', schedule_id, count(*), period)
FROM schedule_periods GROUP BY tenant_id, schedule_id, period HAVING count(*) > 1

-- rule: no period is left out
SELECT format('schedule %s: next is %s, and %s was not billed', s.id, next_day, day::date)
FROM schedules s JOIN schedule_clocks c ON c.tenant_id = s.tenant_id AND c.schedule_id = s.id,
    generate_series(first_day, next_day - 1, every * interval '1 week') AS day
WHERE unit = 'week' AND missed = 'each' AND NOT EXISTS (
    SELECT FROM schedule_periods p WHERE p.tenant_id = s.tenant_id AND p.schedule_id = s.id AND p.period = day)

-- rule: a period is billed as its schedule was then
SELECT format('invoice %s of %s: %s, dated %s, notes %s, not %s', i.id, p.period, i.status, i.issue_date, i.notes, said.notes)
FROM schedule_periods p JOIN schedules s ON s.tenant_id = p.tenant_id AND s.id = p.schedule_id
JOIN invoices i ON i.tenant_id = p.tenant_id AND i.id = p.id
JOIN intents b ON b.tenant_id = p.tenant_id AND b.record_id = p.id AND b.operation LIKE 'schedule.bill%'
    AND b.outcome = 'created',
    LATERAL (SELECT COALESCE((
        SELECT changes->'notes'->>0 FROM intents e
        WHERE e.tenant_id = s.tenant_id AND e.record_id = s.id AND e.operation = 'schedule.edit' AND changes ? 'notes'
            AND e.at > b.at
        ORDER BY e.at LIMIT 1), s.notes) AS notes) AS said
WHERE (i.issue_date, i.notes, i.issued_at IS NOT NULL) <> (p.period, said.notes, s.bill_as = 'issued')

-- rule: a schedule is not billed while it is paused
SELECT format('schedule %s: %s', schedule_id, period)
FROM schedule_periods p
JOIN intents b ON b.tenant_id = p.tenant_id AND b.record_id = p.id AND b.operation LIKE 'schedule.bill%'
    AND b.outcome = 'created'
WHERE 'schedule.pause' = (
    SELECT operation FROM intents t
    WHERE t.tenant_id = p.tenant_id AND t.record_id = p.schedule_id AND t.operation IN ('schedule.pause', 'schedule.resume')
        AND t.outcome = 'changed' AND t.at < b.at
    ORDER BY t.at DESC LIMIT 1)

-- rule: nothing refers to a customer that was merged
SELECT format('%s refers to %s, which was merged into %s', what, c.id, c.merged_into)
FROM (
    SELECT tenant_id, customer_id, 'invoice ' || id AS what FROM invoices
    UNION ALL SELECT tenant_id, customer_id, 'schedule ' || id FROM schedules
    UNION ALL SELECT tenant_id, merged_into, 'customer ' || id FROM customers
) AS r JOIN customers c ON c.tenant_id = r.tenant_id AND c.id = r.customer_id
WHERE c.merged_into IS NOT NULL

-- rule: a customer is merged by one merge, and by none that was undone
SELECT format('customer %s: merged into %s, by %s merges', id, merged_into, merges)
FROM customers c, LATERAL (
    SELECT count(*) AS merges FROM customer_merges m
    WHERE m.tenant_id = c.tenant_id AND c.id = ANY (loser_ids) AND undone_at IS NULL) AS m
WHERE merges <> (merged_into IS NOT NULL)::int

-- rule: no external id twice
SELECT format('%s times %s of %s', count(*), external_id, what)
FROM (
    SELECT tenant_id, source_folded, external_id, 'a customer' AS what FROM customers
    UNION ALL SELECT tenant_id, source_folded, external_id, 'an invoice' FROM invoices
    UNION ALL SELECT tenant_id, source_folded, external_id, 'a payment' FROM payments
) AS known
WHERE external_id IS NOT NULL GROUP BY tenant_id, source_folded, external_id, what HAVING count(*) > 1

-- rule: a customer is erased once
SELECT format('customer %s: erased %s, by %s erasures, with %s effects', c.id, erased_at, erasures, effects)
FROM customers c,
    LATERAL (SELECT count(*) AS erasures FROM customer_erasures e
        WHERE e.tenant_id = c.tenant_id AND e.customer_id = COALESCE(c.merged_into, c.id)) AS e,
    LATERAL (SELECT count(*) AS effects FROM intent_effects f
        WHERE f.tenant_id = c.tenant_id AND f.record_id = c.id AND operation = 'customer.erase') AS f
WHERE NOT taken_back AND (erasures, effects) <> ((erased_at IS NOT NULL)::int, (erased_at IS NOT NULL)::int)

-- rule: nothing is done for an erased customer
WITH of_customer AS (
    SELECT tenant_id, customer_id, id, 'invoice ' || state AS what, state IN ('draft', 'issued', 'partially_paid') AS open
    FROM invoices
    UNION ALL SELECT tenant_id, customer_id, id, 'schedule', archived_at IS NULL FROM schedules
    UNION ALL SELECT m.tenant_id, customer_id, m.id, 'mail ' || m.state, m.state = 'queued'
    FROM mails m JOIN invoices i ON (i.tenant_id, i.id) = (m.tenant_id, invoice_id)
    UNION ALL SELECT tenant_id, winner_id, id, 'merge', false FROM customer_merges
    UNION ALL SELECT tenant_id, id AS customer_id, id, 'customer', archived_at IS NULL FROM customers
)
SELECT format('%s %s of customer %s, which was erased at %s', what, r.id, c.id, o.at)
FROM customers c JOIN customer_erasures e ON (e.tenant_id, e.customer_id) = (c.tenant_id, c.id)
JOIN intents o ON (o.tenant_id, o.record_id, o.outcome) = (e.tenant_id, e.id, 'created')
JOIN of_customer r ON (r.tenant_id, r.customer_id) = (c.tenant_id, c.id)
WHERE open OR EXISTS (
    SELECT FROM intents later
    WHERE (later.tenant_id, later.record_id) = (r.tenant_id, r.id) AND later.outcome IN ('created', 'changed')
        AND later.at > o.at)

-- rule: an erased customer has left no text
-- The text of each customer is the key of its creation, with x for -, so that it is one word: see [erasing]. This looks for all of them in
-- each row of each table, except for what belongs to an issued invoice, and for the content of files.
WITH erased AS (
    SELECT c.id, replace(key, '-', 'x') AS text
    FROM customers c JOIN intents o ON (o.tenant_id, o.record_id, o.operation) = (c.tenant_id, c.id, 'customer.upsert')
    WHERE erased_at IS NOT NULL AND starts_with(key, 'program-erase-')
), place AS (
    SELECT relname, query_to_xml(format($$
        SELECT DISTINCT (regexp_matches(line, 'programxerasex[0-9x]+', 'g'))[1] AS text
        FROM (SELECT lower(concat_ws(' ', %s)) AS line, to_jsonb(t) AS row FROM %I.%I AS t) AS t
        WHERE line ~ 'programxerasex[0-9x]+' AND NOT EXISTS (
            SELECT FROM invoices i
            WHERE issued_at IS NOT NULL AND i.id::text = COALESCE(row->>'invoice_id', row->>'id'))
        $$, string_agg(format('%I', attname), ', '), nspname, relname), false, true, '')::text AS found
    FROM pg_attribute JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
    WHERE nspname IN ('public', 'river') AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
        AND atttypid <> 'bytea'::regtype AND atttypid <> 'sha256_digest'::regtype
    GROUP BY nspname, relname
)
SELECT format('%s of customer %s in %s', text, id, relname) FROM erased JOIN place ON strpos(found, '>' || text || '<') > 0

-- rule: an import is counted as it was done
SELECT format('import %s, %s: %s of %s rows are done, %s created by %s intents, %s left out with %s problems', id, state, done, row_count,
    created, intents, left_out, problems)
FROM imports i,
    LATERAL (
        SELECT COALESCE(sum(created), 0) AS created, COALESCE(sum(left_out), 0) AS left_out,
            COALESCE(sum(created + known + left_out + more), 0) AS done
        FROM import_chunks c WHERE c.tenant_id = i.tenant_id AND import_id = id) AS c,
    LATERAL (SELECT count(*) AS problems FROM import_problems p WHERE p.tenant_id = i.tenant_id AND import_id = id) AS p,
    LATERAL (
        SELECT count(*) AS intents FROM intents o
        WHERE o.tenant_id = i.tenant_id AND operation = 'customer.upsert' AND outcome = 'created'
            AND starts_with(key, format('import %s ', id))) AS o
WHERE done > row_count OR state = 'uploaded' AND done + intents > 0 OR left_out <> problems
    OR CASE WHEN done = row_count THEN created <> intents ELSE created > intents END

-- rule: customers are taken back with their import
SELECT format('customer %s of import %s, which is %s: taken back %s', c.id, i.id, state, taken_back)
FROM imports i JOIN intents o ON o.tenant_id = i.tenant_id AND operation = 'customer.upsert' AND outcome = 'created'
    AND starts_with(key, format('import %s ', i.id))
JOIN customers c ON c.tenant_id = i.tenant_id AND c.id = record_id
WHERE taken_back <> (state = 'taken_back')

-- rule: an unfinished import has its job
SELECT format('import %s', id)
FROM imports i
WHERE state = 'running'
    AND row_count > (SELECT COALESCE(sum(created + known + left_out + more), 0) FROM import_chunks c WHERE import_id = id)
    AND NOT EXISTS (
        SELECT FROM river.river_job WHERE kind = 'import' AND finalized_at IS NULL AND args->>'import' = i.id::text)

-- rule: a file is attached once
SELECT format('%s times a file at invoice %s', count(*), invoice_id)
FROM attachments WHERE removed_at IS NULL GROUP BY tenant_id, invoice_id, file_digest HAVING count(*) > 1

-- rule: a file is removed once
SELECT format('attachment %s: removed at %s, by %s intents with %s effects', id, removed_at, intents, effects)
FROM attachments a,
    LATERAL (SELECT count(*) AS intents, count(f.key) AS effects
        FROM intents o LEFT JOIN intent_effects f
            ON (f.tenant_id, f.record_id, f.operation, f.key) = (o.tenant_id, a.invoice_id, o.operation, o.key)
        WHERE (o.tenant_id, o.record_id, o.operation, outcome) = (a.tenant_id, id, 'attachment.remove', 'changed')) AS o
WHERE (intents, effects) <> ((removed_at IS NOT NULL)::int, (removed_at IS NOT NULL)::int)

-- rule: every attachment has its content
SELECT format('attachment %s', id)
FROM attachments a LEFT JOIN file_contents c ON (c.tenant_id, c.digest) = (a.tenant_id, a.file_digest)
WHERE sha256(c.content) IS DISTINCT FROM a.file_digest

-- rule: a business has one logo
SELECT format('%s logos', count(*)) FROM logos WHERE removed_at IS NULL GROUP BY tenant_id HAVING count(*) > 1

-- rule: a logo is removed or replaced once
SELECT format('logo %s: version %s, removed at %s', id, version, removed_at)
FROM logos WHERE version <> 1 + (removed_at IS NOT NULL)::int

-- rule: every logo has its content
SELECT what FROM (
    SELECT tenant_id, 'logo ' || id AS what, file_digest AS digest FROM logos
    UNION ALL
    SELECT tenant_id, 'invoice ' || id, decode(seller->'logo'->>'sha256', 'hex') FROM invoices
    WHERE seller->'logo'->>'sha256' <> ''
) AS shown
WHERE NOT EXISTS (
    SELECT FROM file_contents c
    WHERE (c.tenant_id, c.digest, sha256(content)) = (shown.tenant_id, shown.digest, shown.digest))

-- rule: one sign-up for an email
SELECT format('%s times %s', count(*), email) FROM sign_ups GROUP BY tenant_id, email HAVING count(*) > 1

-- rule: a sign-up begins one business
SELECT format('sign-up of %s: %s businesses', s.email, count(u.id))
FROM sign_ups s LEFT JOIN tenants t ON t.sign_up_id = s.id LEFT JOIN users u ON u.tenant_id = t.id AND u.email = s.email
GROUP BY s.tenant_id, s.id HAVING count(u.id) <> (s.started_at IS NOT NULL)::integer
UNION ALL
SELECT format('business %s', id) FROM tenants
WHERE sign_up_id IS NOT NULL AND sign_up_id NOT IN (SELECT id FROM sign_ups)

-- rule: one mail about a sign-up in ten minutes
SELECT format('mails %s and %s', m.id, n.id)
FROM sign_up_mails m JOIN sign_up_mails n USING (tenant_id, sign_up_id)
WHERE m.id < n.id AND abs(extract(epoch FROM m.created_at - n.created_at)) < 600

-- rule: one reminder of each level
SELECT format('invoice %s: %s times level %s', invoice_id, count(*), level)
FROM invoice_reminders GROUP BY tenant_id, invoice_id, level HAVING count(*) > 1

-- rule: reminders in order, one a day
SELECT format('invoice %s: level %s on %s', r.invoice_id, r.level, r.sent_on)
FROM invoice_reminders r WHERE level > 1 AND NOT EXISTS (
    SELECT FROM invoice_reminders b
    WHERE b.tenant_id = r.tenant_id AND b.invoice_id = r.invoice_id AND b.level = r.level - 1 AND b.sent_on < r.sent_on)

-- rule: an invoice of a batch was issued or sent as its outcome is
SELECT format('batch %s, invoice %s: %s, and %s', batch_id, invoice_id, i.outcome, o.outcome)
FROM invoice_batch_items i JOIN invoice_batches b ON b.tenant_id = i.tenant_id AND b.id = batch_id
LEFT JOIN intents o ON o.tenant_id = i.tenant_id AND o.key = format('batch %s %s', batch_id, invoice_id)
    AND o.operation = CASE action WHEN 'issue' THEN 'invoice.issue' ELSE 'mail.send' END
WHERE i.outcome IN ('done', 'unchanged') AND o.outcome IS DISTINCT FROM CASE
    WHEN i.outcome = 'unchanged' THEN 'unchanged' WHEN action = 'issue' THEN 'changed' ELSE 'created' END

-- rule: a waiting invoice of a batch has the job of its batch
SELECT format('batch %s, invoice %s', batch_id, invoice_id)
FROM invoice_batch_items
WHERE outcome = 'waiting' AND NOT EXISTS (
    SELECT FROM river.river_job
    WHERE kind = 'invoice_batch' AND finalized_at IS NULL AND args->>'batch' = batch_id::text)

-- rule: a reminder has its mail, and a mail of a reminder its reminder
SELECT format('reminder %s, mail %s', r.id, m.id)
FROM invoice_reminders r FULL JOIN (SELECT * FROM mails WHERE kind LIKE 'reminder%') AS m
    ON (m.tenant_id, m.id, m.invoice_id, m.kind) = (r.tenant_id, r.id, r.invoice_id, 'reminder_' || r.level)
WHERE r.id IS NULL OR m.id IS NULL

-- rule: what is written off is the sum of the write-offs, and of their postings
SELECT format('invoice %s: written off %s, write-offs %s, postings %s', id, written_off, summed, postings)
FROM invoices i,
    LATERAL (SELECT COALESCE(sum(amount), 0) AS summed FROM write_offs w
        WHERE w.tenant_id = i.tenant_id AND w.invoice_id = i.id AND reversed_at IS NULL) AS w,
    LATERAL (SELECT COALESCE(sum(amount), 0) AS postings FROM postings l
        WHERE l.tenant_id = i.tenant_id AND l.invoice_id = i.id AND kind IN ('write_off', 'reversal')) AS l
WHERE written_off <> summed OR written_off <> postings

-- rule: a write-off is taken back by one intent
SELECT format('write-off %s: taken back %s, %s times', id, reversed_at, times)
FROM write_offs w, LATERAL (
    SELECT count(*) AS times FROM intents o
    WHERE o.tenant_id = w.tenant_id AND record_id = id AND operation = 'write_off.reverse' AND outcome = 'changed') AS o
WHERE times <> (reversed_at IS NOT NULL)::int

-- rule: nothing of a closed day is recorded after the closing
SELECT format('%s of %s, recorded at %s, closed through %s at %s', r.id, day, at, through, c.created_at)
FROM closings c JOIN (
    SELECT tenant_id, id, issue_date AS day, issued_at AS at FROM invoices WHERE issued_at IS NOT NULL
    UNION ALL SELECT tenant_id, id, issue_date, voided_at FROM invoices WHERE issued_at IS NOT NULL AND voided_at IS NOT NULL
    UNION ALL SELECT tenant_id, id, paid_on, created_at FROM payments
    UNION ALL SELECT tenant_id, id, paid_on, removed_at FROM payments WHERE removed_at IS NOT NULL
    UNION ALL SELECT tenant_id, id, received_on, created_at FROM receipts
    UNION ALL SELECT tenant_id, id, received_on, removed_at FROM receipts WHERE removed_at IS NOT NULL AND credit_note_id IS NULL
    UNION ALL SELECT tenant_id, id, repaid_on, created_at FROM repayments
    UNION ALL SELECT tenant_id, id, repaid_on, removed_at FROM repayments WHERE removed_at IS NOT NULL
    UNION ALL SELECT tenant_id, id, refunded_on, created_at FROM refunds
    UNION ALL SELECT tenant_id, id, refunded_on, removed_at FROM refunds WHERE removed_at IS NOT NULL
    UNION ALL SELECT tenant_id, id, issue_date, created_at FROM credit_notes
    UNION ALL SELECT tenant_id, id, written_off_on, created_at FROM write_offs) AS r USING (tenant_id)
WHERE reopened_at IS NULL AND day <= through AND at > c.created_at

-- Written by: make sql

-- credit_note.create of a line, with an email

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM lock_invoice($1, $2);

INSERT INTO credit_note_lines (tenant_id, credit_note_id, invoice_id, position, quantity)
SELECT $1, $2, $3, position, quantity::numeric
FROM unnest($4::int[], $5::text[]) AS wanted (position, quantity);

INSERT INTO credit_notes (tenant_id, id, invoice_id, issue_date, reason)
VALUES ($1, $2, $3, COALESCE($4::date, (
			SELECT greatest(issue_date, business_day()) FROM invoices WHERE tenant_id = $1 AND id = $3)), $5);

INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
SELECT tenant_id, id, $1, $2, 'credit of a credit note' FROM receipts
WHERE tenant_id = $3 AND credit_note_id = $4;

INSERT INTO mails (tenant_id, id, invoice_id, kind, credit_note_id, e_invoice)
SELECT tenant_id, $1, id, 'credit_note', $2, COALESCE((
		SELECT m.e_invoice
		FROM (
			SELECT id FROM invoices WHERE tenant_id = $3 AND customer_id = billed.customer_id
			ORDER BY issue_date DESC, id DESC LIMIT 10) AS last,
		LATERAL (
			SELECT id, e_invoice FROM mails WHERE tenant_id = $3 AND invoice_id = last.id AND kind = 'invoice'
			ORDER BY id DESC LIMIT 1) AS m
		ORDER BY m.id DESC LIMIT 1), false) FROM invoices billed
WHERE tenant_id = $3 AND id = $4 AND bill_to->>'email' <> '';

INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
SELECT tenant_id, unnest(ARRAY[invoice_id, id]), $1, $2, 'email queued' FROM mails
WHERE tenant_id = $3 AND id = $4;

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, CASE record.id WHEN $7
	THEN tell_repeat(record.id, made.result, $8) ELSE made.result END, now() + $9
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'invoice_id', r.invoice_id, 'number', r.number, 'date', r.issue_date, 'taxes', r.taxes, 'reason', r.reason,
			'subtotal', r.subtotal, 'tax_total', r.tax_total, 'total', r.total, 'became_credit', r.became_credit,
			'receipt_id', (SELECT c.id FROM receipts c WHERE c.tenant_id = r.tenant_id AND c.credit_note_id = r.id),
			'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
			'lines', (
				SELECT json_agg(json_build_object(
						'position', c.position, 'description', l.description, 'quantity', c.quantity::text, 'unit', l.unit,
						'unit_price', trim_scale(l.unit_price),
						'discount_rate', l.discount_rate::text,
						'discount', round(l.unit_price * c.credited) - round(l.unit_price * (c.credited - c.quantity)) - c.net,
						'tax_rate', l.tax_rate::text, 'tax_treatment', l.tax_treatment, 'net', c.net) ORDER BY c.position)
				FROM credit_note_lines c, LATERAL (
					SELECT description, unit, unit_price + price_fraction AS unit_price, discount_rate, tax_rate, tax_treatment FROM invoice_lines
					WHERE tenant_id = c.tenant_id AND invoice_id = c.invoice_id AND position = c.position LIMIT 1) AS l
				WHERE c.tenant_id = r.tenant_id AND c.credit_note_id = r.id)) FROM credit_notes r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- credit_note.create of all that is left

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM lock_invoice($1, $2);

INSERT INTO credit_note_lines (tenant_id, credit_note_id, invoice_id, position, quantity)
SELECT tenant_id, $1, invoice_id, position, uncredited
FROM (
	SELECT tenant_id, invoice_id, position, quantity - credited_quantity(tenant_id, invoice_id, position) AS uncredited
	FROM invoice_lines WHERE tenant_id = $2 AND invoice_id = $3) AS l
WHERE uncredited <> 0;

INSERT INTO credit_notes (tenant_id, id, invoice_id, issue_date, reason)
VALUES ($1, $2, $3, COALESCE($4::date, (
			SELECT greatest(issue_date, business_day()) FROM invoices WHERE tenant_id = $1 AND id = $3)), $5);

INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
SELECT tenant_id, id, $1, $2, 'credit of a credit note' FROM receipts
WHERE tenant_id = $3 AND credit_note_id = $4;

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, CASE record.id WHEN $7
	THEN tell_repeat(record.id, made.result, $8) ELSE made.result END, now() + $9
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'invoice_id', r.invoice_id, 'number', r.number, 'date', r.issue_date, 'taxes', r.taxes, 'reason', r.reason,
			'subtotal', r.subtotal, 'tax_total', r.tax_total, 'total', r.total, 'became_credit', r.became_credit,
			'receipt_id', (SELECT c.id FROM receipts c WHERE c.tenant_id = r.tenant_id AND c.credit_note_id = r.id),
			'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
			'lines', (
				SELECT json_agg(json_build_object(
						'position', c.position, 'description', l.description, 'quantity', c.quantity::text, 'unit', l.unit,
						'unit_price', trim_scale(l.unit_price),
						'discount_rate', l.discount_rate::text,
						'discount', round(l.unit_price * c.credited) - round(l.unit_price * (c.credited - c.quantity)) - c.net,
						'tax_rate', l.tax_rate::text, 'tax_treatment', l.tax_treatment, 'net', c.net) ORDER BY c.position)
				FROM credit_note_lines c, LATERAL (
					SELECT description, unit, unit_price + price_fraction AS unit_price, discount_rate, tax_rate, tax_treatment FROM invoice_lines
					WHERE tenant_id = c.tenant_id AND invoice_id = c.invoice_id AND position = c.position LIMIT 1) AS l
				WHERE c.tenant_id = r.tenant_id AND c.credit_note_id = r.id)) FROM credit_notes r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- Written by: make sql

-- credit_note.create of a line, with an email

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM lock_invoice($1, $2);

INSERT INTO credit_note_lines (tenant_id, credit_note_id, invoice_id, position, quantity)
SELECT $1, $2, $3, position, quantity::numeric
FROM unnest($4::int[], $5::text[]) AS wanted (position, quantity);

INSERT INTO credit_notes (tenant_id, id, invoice_id, total, issue_date, reason)
VALUES ($1, $2, $3, CASE WHEN $4 THEN (
		SELECT total - credited FROM invoices WHERE tenant_id = $1 AND id = $3) ELSE NULLIF($5::bigint, 0) END,
	COALESCE($6::date, (
			SELECT greatest(issue_date, business_day()) FROM invoices WHERE tenant_id = $1 AND id = $3)), $7);

INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
SELECT tenant_id, id, $1, $2, 'credit of a credit note' FROM receipts
WHERE tenant_id = $3 AND credit_note_id = $4;

INSERT INTO mails (tenant_id, id, invoice_id, kind, credit_note_id, e_invoice)
SELECT tenant_id, $1, billed.id, CASE WHEN n.reverses_id IS NULL THEN 'credit_note' ELSE 'reversal' END, n.id,
COALESCE((
		SELECT m.e_invoice
		FROM (
			SELECT id FROM invoices WHERE tenant_id = $2 AND customer_id = billed.customer_id
			ORDER BY issue_date DESC, id DESC LIMIT 10) AS last,
		LATERAL (
			SELECT id, e_invoice FROM mails WHERE tenant_id = $2 AND invoice_id = last.id AND kind = 'invoice'
			ORDER BY id DESC LIMIT 1) AS m
		ORDER BY m.id DESC LIMIT 1), false)
FROM credit_notes n JOIN invoices billed USING (tenant_id)
WHERE tenant_id = $2 AND n.id = $3 AND billed.id = n.invoice_id AND bill_to->>'email' <> '';

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
			'reverses', (
				SELECT json_build_object('id', o.id, 'name', o.number) FROM credit_notes o
				WHERE o.tenant_id = r.tenant_id AND o.id = r.reverses_id),
			'reversed_by', (
				SELECT json_build_object('id', o.id, 'name', o.number) FROM credit_notes o
				WHERE o.tenant_id = r.tenant_id AND o.reverses_id = r.id),
			'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
			'lines', (
				SELECT json_agg(json_build_object(
						'position', c.position, 'description', l.description, 'part', NOT (of.quantities AND of.usual),
						'quantity', (c.factor * CASE WHEN of.quantities THEN c.quantity ELSE sign(c.net) END)::text,
						'unit', CASE WHEN of.quantities THEN l.unit END,
						'unit_price', CASE WHEN of.quantities THEN trim_scale(l.unit_price) ELSE abs(c.net) END,
						'discount_rate', CASE WHEN of.usual THEN l.discount_rate::text END,
						'discount', c.factor * CASE WHEN of.quantities THEN l.gross - c.net ELSE 0 END,
						'tax_rate', l.tax_rate::text, 'tax_treatment', l.tax_treatment, 'net', c.factor * c.net) ORDER BY c.position)
				FROM (
					SELECT n.tenant_id, n.invoice_id, n.position, COALESCE(o.credited, n.credited) AS credited,
					COALESCE(o.quantity, n.quantity) AS quantity, COALESCE(o.net, n.net) AS net,
					CASE WHEN o.net IS NULL THEN 1 ELSE -1 END AS factor
					FROM credit_note_lines n LEFT JOIN LATERAL (
						SELECT credited, quantity, net FROM credit_note_lines
						WHERE tenant_id = n.tenant_id AND credit_note_id = n.reverses_id AND position = n.position LIMIT 1) AS o ON true
					WHERE n.tenant_id = r.tenant_id AND n.credit_note_id = r.id) AS c, LATERAL (
					SELECT description, unit, price AS unit_price, discount_rate, tax_rate, tax_treatment,
					round(price * c.credited) - round(price * (c.credited - c.quantity)) AS gross,
					credited_net(quantity, price, discount, net, c.credited)
					- credited_net(quantity, price, discount, net, c.credited - c.quantity) AS usual
					FROM invoice_lines, LATERAL (SELECT unit_price + price_fraction AS price) AS fraction
					WHERE tenant_id = c.tenant_id AND invoice_id = c.invoice_id AND position = c.position LIMIT 1) AS l,
				LATERAL (SELECT c.quantity <> 0 AND (l.gross - c.net) * sign(c.net) >= 0 AS quantities, l.usual = c.net AS usual) AS of)) FROM credit_notes r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- credit_note.create of all that is left

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM lock_invoice($1, $2);

INSERT INTO credit_note_lines (tenant_id, credit_note_id, invoice_id, position, quantity, net)
SELECT tenant_id, $1, invoice_id, position, uncredited, net
FROM (
	SELECT tenant_id, invoice_id, position, quantity - credited_quantity(tenant_id, invoice_id, position) AS uncredited,
	net - credited_amount(tenant_id, invoice_id, position) AS net
	FROM invoice_lines WHERE tenant_id = $2 AND invoice_id = $3) AS l
WHERE uncredited <> 0 OR net <> 0;

INSERT INTO credit_notes (tenant_id, id, invoice_id, total, issue_date, reason)
VALUES ($1, $2, $3, CASE WHEN $4 THEN (
		SELECT total - credited FROM invoices WHERE tenant_id = $1 AND id = $3) ELSE NULLIF($5::bigint, 0) END,
	COALESCE($6::date, (
			SELECT greatest(issue_date, business_day()) FROM invoices WHERE tenant_id = $1 AND id = $3)), $7);

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
			'reverses', (
				SELECT json_build_object('id', o.id, 'name', o.number) FROM credit_notes o
				WHERE o.tenant_id = r.tenant_id AND o.id = r.reverses_id),
			'reversed_by', (
				SELECT json_build_object('id', o.id, 'name', o.number) FROM credit_notes o
				WHERE o.tenant_id = r.tenant_id AND o.reverses_id = r.id),
			'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
			'lines', (
				SELECT json_agg(json_build_object(
						'position', c.position, 'description', l.description, 'part', NOT (of.quantities AND of.usual),
						'quantity', (c.factor * CASE WHEN of.quantities THEN c.quantity ELSE sign(c.net) END)::text,
						'unit', CASE WHEN of.quantities THEN l.unit END,
						'unit_price', CASE WHEN of.quantities THEN trim_scale(l.unit_price) ELSE abs(c.net) END,
						'discount_rate', CASE WHEN of.usual THEN l.discount_rate::text END,
						'discount', c.factor * CASE WHEN of.quantities THEN l.gross - c.net ELSE 0 END,
						'tax_rate', l.tax_rate::text, 'tax_treatment', l.tax_treatment, 'net', c.factor * c.net) ORDER BY c.position)
				FROM (
					SELECT n.tenant_id, n.invoice_id, n.position, COALESCE(o.credited, n.credited) AS credited,
					COALESCE(o.quantity, n.quantity) AS quantity, COALESCE(o.net, n.net) AS net,
					CASE WHEN o.net IS NULL THEN 1 ELSE -1 END AS factor
					FROM credit_note_lines n LEFT JOIN LATERAL (
						SELECT credited, quantity, net FROM credit_note_lines
						WHERE tenant_id = n.tenant_id AND credit_note_id = n.reverses_id AND position = n.position LIMIT 1) AS o ON true
					WHERE n.tenant_id = r.tenant_id AND n.credit_note_id = r.id) AS c, LATERAL (
					SELECT description, unit, price AS unit_price, discount_rate, tax_rate, tax_treatment,
					round(price * c.credited) - round(price * (c.credited - c.quantity)) AS gross,
					credited_net(quantity, price, discount, net, c.credited)
					- credited_net(quantity, price, discount, net, c.credited - c.quantity) AS usual
					FROM invoice_lines, LATERAL (SELECT unit_price + price_fraction AS price) AS fraction
					WHERE tenant_id = c.tenant_id AND invoice_id = c.invoice_id AND position = c.position LIMIT 1) AS l,
				LATERAL (SELECT c.quantity <> 0 AND (l.gross - c.net) * sign(c.net) >= 0 AS quantities, l.usual = c.net AS usual) AS of)) FROM credit_notes r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- credit_note.create of an amount

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM lock_invoice($1, $2);

SELECT FROM credit_amount($1, $2, $3, $4);

INSERT INTO credit_notes (tenant_id, id, invoice_id, total, issue_date, reason)
VALUES ($1, $2, $3, CASE WHEN $4 THEN (
		SELECT total - credited FROM invoices WHERE tenant_id = $1 AND id = $3) ELSE NULLIF($5::bigint, 0) END,
	COALESCE($6::date, (
			SELECT greatest(issue_date, business_day()) FROM invoices WHERE tenant_id = $1 AND id = $3)), $7);

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
			'reverses', (
				SELECT json_build_object('id', o.id, 'name', o.number) FROM credit_notes o
				WHERE o.tenant_id = r.tenant_id AND o.id = r.reverses_id),
			'reversed_by', (
				SELECT json_build_object('id', o.id, 'name', o.number) FROM credit_notes o
				WHERE o.tenant_id = r.tenant_id AND o.reverses_id = r.id),
			'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
			'lines', (
				SELECT json_agg(json_build_object(
						'position', c.position, 'description', l.description, 'part', NOT (of.quantities AND of.usual),
						'quantity', (c.factor * CASE WHEN of.quantities THEN c.quantity ELSE sign(c.net) END)::text,
						'unit', CASE WHEN of.quantities THEN l.unit END,
						'unit_price', CASE WHEN of.quantities THEN trim_scale(l.unit_price) ELSE abs(c.net) END,
						'discount_rate', CASE WHEN of.usual THEN l.discount_rate::text END,
						'discount', c.factor * CASE WHEN of.quantities THEN l.gross - c.net ELSE 0 END,
						'tax_rate', l.tax_rate::text, 'tax_treatment', l.tax_treatment, 'net', c.factor * c.net) ORDER BY c.position)
				FROM (
					SELECT n.tenant_id, n.invoice_id, n.position, COALESCE(o.credited, n.credited) AS credited,
					COALESCE(o.quantity, n.quantity) AS quantity, COALESCE(o.net, n.net) AS net,
					CASE WHEN o.net IS NULL THEN 1 ELSE -1 END AS factor
					FROM credit_note_lines n LEFT JOIN LATERAL (
						SELECT credited, quantity, net FROM credit_note_lines
						WHERE tenant_id = n.tenant_id AND credit_note_id = n.reverses_id AND position = n.position LIMIT 1) AS o ON true
					WHERE n.tenant_id = r.tenant_id AND n.credit_note_id = r.id) AS c, LATERAL (
					SELECT description, unit, price AS unit_price, discount_rate, tax_rate, tax_treatment,
					round(price * c.credited) - round(price * (c.credited - c.quantity)) AS gross,
					credited_net(quantity, price, discount, net, c.credited)
					- credited_net(quantity, price, discount, net, c.credited - c.quantity) AS usual
					FROM invoice_lines, LATERAL (SELECT unit_price + price_fraction AS price) AS fraction
					WHERE tenant_id = c.tenant_id AND invoice_id = c.invoice_id AND position = c.position LIMIT 1) AS l,
				LATERAL (SELECT c.quantity <> 0 AND (l.gross - c.net) * sign(c.net) >= 0 AS quantities, l.usual = c.net AS usual) AS of)) FROM credit_notes r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

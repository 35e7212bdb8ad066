-- Written by: make sql

-- invoice.edit

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM invoices r WHERE r.tenant_id = $1 AND r.id = $2 FOR UPDATE;

SELECT begin_change(r.version, $1, r.made, r.record)
FROM (SELECT) AS one LEFT JOIN (
	SELECT r.version, (false) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'number', r.number, 'status', r.state, 'paid', r.paid, 'credited', r.credited,
		'became_credit', (
			SELECT became_credit FROM postings p WHERE p.tenant_id = r.tenant_id AND p.invoice_id = r.id ORDER BY position DESC LIMIT 1),
		'written_off', r.written_off, 'open', CASE WHEN r.state IN ('draft', 'void') THEN 0 ELSE r.open_amount END, 'currency', r.currency,
		'overdue', r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()),
		'seller', COALESCE(r.seller, (
				SELECT json_build_object(
					'name', s.name, 'email', s.email, 'address', s.address, 'country', s.country, 'tax_id', s.tax_id,
					'account_holder', s.account_holder, 'account_number', s.account_number, 'bic', s.bic, 'footer', s.footer,
					'logo', (SELECT (SELECT json_build_object('name', r.file_name, 'type', c.type, 'size', c.size, 'sha256', encode(c.digest, 'hex'))
							FROM file_contents c WHERE c.tenant_id = r.tenant_id AND c.digest = r.file_digest) FROM logos r WHERE r.tenant_id = s.tenant_id AND r.settings_id = s.id))
				FROM settings s WHERE s.tenant_id = r.tenant_id AND s.id = r.tenant_id)),
		'customer', COALESCE(r.bill_to, (
				SELECT json_build_object('id', c.id, 'email', c.email, 'name', c.name, 'address', c.address, 'country', c.country, 'tax_id', c.tax_id,
					'contact', c.contact, 'reference', c.reference) FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id)),
		'issue_date', r.issue_date, 'due_date', r.due_date, 'notes', r.notes,
		'exemption_reason', r.exemption_reason, 'supplied_from', r.supplied_from, 'supplied_to', r.supplied_to,
		'lines', (
			SELECT json_agg(json_build_object(
					'description', l.description, 'quantity', l.quantity::text, 'unit', l.unit, 'unit_price', trim_scale(l.unit_price + l.price_fraction),
					'discount_rate', l.discount_rate::text, 'discount', l.discount,
					'tax_rate', l.tax_rate::text, 'tax_treatment', l.tax_treatment, 'net', l.net) ORDER BY l.position)
			FROM invoice_lines l WHERE l.tenant_id = r.tenant_id AND l.invoice_id = r.id),
		'subtotal', r.subtotal, 'tax_total', r.tax_total, 'total', r.total, 'issued_at', r.issued_at, 'voided_at', r.voided_at,
		'duplicate_of', (SELECT json_build_object('id', referred.id, 'name', referred.number) FROM invoices referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.duplicate_of),
		'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) AS record FROM invoices r WHERE r.tenant_id = $2 AND r.id = $3) AS r ON true;

SELECT require_rows(CASE WHEN (SELECT status = 'draft' FROM invoices WHERE tenant_id = $1 AND id = $2) THEN 1 ELSE 0 END, 1);

SELECT set_config('onlyonce.series', CASE WHEN $1 <> '' THEN $1 WHEN $2 THEN 'ask' ELSE '' END, true)
WHERE NOT EXISTS (
	SELECT FROM invoices
	WHERE tenant_id = $3 AND id = $4 AND number_folded = fold_invoice_number($5));

WITH customer AS MATERIALIZED (
	SELECT COALESCE(c.id, $1::uuid) AS id, c.payment_days
	FROM live_customer($2, $1::uuid) AS c
	WHERE $1::uuid <> $3::uuid
	UNION ALL
	SELECT id, payment_days FROM find_or_create_customer($2, $4, in_email => NULLIF($5, ''), in_name => $6, in_address => $7, in_country => $8, in_tax_id => $9, in_contact => $10, in_reference => $11, in_payment_days => NULLIF($12, '')::integer, in_copies_to => $13, in_same_email => $14)
	WHERE $1::uuid = $3::uuid
), wanted AS (
	SELECT
		CASE
		WHEN $15 <> '' THEN $15
		WHEN issue_year = extract(year FROM $16::date) OR NOT invoice_number_of_year($2, number_folded)
		THEN number
		END AS number,
		c.id AS customer_id, COALESCE($17::date, $16::date + COALESCE(c.payment_days, (
					SELECT s.payment_days FROM settings s WHERE s.tenant_id = $2 AND s.id = $2))) AS due_date,
		(SELECT array_agg(
				(description, quantity::numeric, unit::text, unit_price::bigint, price_fraction::numeric, discount_rate, discount,
					tax_rate::numeric, tax_treatment::text) ORDER BY position)
		FROM invoice_lines WHERE tenant_id = $2 AND invoice_id = $18) IS DISTINCT FROM
	(SELECT array_agg(
			(description, quantity::numeric, NULLIF(unit, ''), unit_price, price_fraction::numeric,
				NULLIF(discount_rate, '')::numeric, discount, tax_rate::numeric, NULLIF(tax_treatment, '')) ORDER BY position)
		FROM unnest(
			$19::text[], $20::text[], $21::text[], $22::bigint[], $23::text[],
			$24::text[], $25::bigint[], $26::text[], $27::text[], $28::bigint[]) WITH ORDINALITY
		AS typed (description, quantity, unit, unit_price, price_fraction, discount_rate, discount, tax_rate, tax_treatment, net,
			position)) AS other_lines
	FROM invoices, customer c
	WHERE invoices.tenant_id = $2 AND invoices.id = $18
)
UPDATE invoices i SET
(number, customer_id, currency, issue_date, due_date, notes, exemption_reason, supplied_from, supplied_to,
	subtotal, tax_total, total,
	source, external_id, external_digest) =
(w.number, w.customer_id, $29, $16, w.due_date, $30, $31,
	$32::date, $33::date, $34, $35, $36,
	COALESCE($37::text, source), COALESCE($38::text, external_id),
	COALESCE($39::bytea, external_digest))
FROM wanted w
WHERE i.tenant_id = $2 AND i.id = $18 AND (w.other_lines
	OR (i.number, i.customer_id, i.currency, i.issue_date, i.due_date, i.notes, i.exemption_reason, i.supplied_from,
		i.supplied_to,
		source, external_id, external_digest)
	IS DISTINCT FROM (w.number, w.customer_id, $29, $16, w.due_date, $30, $31, $32::date,
		$33::date,
		COALESCE($37::text, source), COALESCE($38::text, external_id),
		COALESCE($39::bytea, external_digest)));

DELETE FROM invoice_lines WHERE tenant_id = $1 AND invoice_id = $2;

INSERT INTO invoice_lines (
	tenant_id, invoice_id, position, description, quantity, unit, unit_price, price_fraction, discount_rate, discount, tax_rate,
	tax_treatment, net)
SELECT
	$1, $2, position, description, quantity::numeric, NULLIF(unit, ''), unit_price, price_fraction::numeric,
	NULLIF(discount_rate, '')::numeric, discount, tax_rate::numeric, NULLIF(tax_treatment, ''), net
FROM unnest(
	$3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[],
	$8::text[], $9::bigint[], $10::text[], $11::text[], $12::bigint[]) WITH ORDINALITY
AS typed (description, quantity, unit, unit_price, price_fraction, discount_rate, discount, tax_rate, tax_treatment, net,
	position);

INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
SELECT tenant_id, id, $1, $2, 'customer created' FROM customers
WHERE tenant_id = $3 AND id = $4;

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, changes, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6, $7,
	CASE WHEN made.changes IS NULL THEN 'unchanged' ELSE 'changed' END, made.changes, made.result, now() + $8
FROM (
	SELECT end_change(r.made, r.record) AS changes, r.record AS result
	FROM (SELECT (true) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'number', r.number, 'status', r.state, 'paid', r.paid, 'credited', r.credited,
			'became_credit', (
				SELECT became_credit FROM postings p WHERE p.tenant_id = r.tenant_id AND p.invoice_id = r.id ORDER BY position DESC LIMIT 1),
			'written_off', r.written_off, 'open', CASE WHEN r.state IN ('draft', 'void') THEN 0 ELSE r.open_amount END, 'currency', r.currency,
			'overdue', r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()),
			'seller', COALESCE(r.seller, (
					SELECT json_build_object(
						'name', s.name, 'email', s.email, 'address', s.address, 'country', s.country, 'tax_id', s.tax_id,
						'account_holder', s.account_holder, 'account_number', s.account_number, 'bic', s.bic, 'footer', s.footer,
						'logo', (SELECT (SELECT json_build_object('name', r.file_name, 'type', c.type, 'size', c.size, 'sha256', encode(c.digest, 'hex'))
								FROM file_contents c WHERE c.tenant_id = r.tenant_id AND c.digest = r.file_digest) FROM logos r WHERE r.tenant_id = s.tenant_id AND r.settings_id = s.id))
					FROM settings s WHERE s.tenant_id = r.tenant_id AND s.id = r.tenant_id)),
			'customer', COALESCE(r.bill_to, (
					SELECT json_build_object('id', c.id, 'email', c.email, 'name', c.name, 'address', c.address, 'country', c.country, 'tax_id', c.tax_id,
						'contact', c.contact, 'reference', c.reference) FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id)),
			'issue_date', r.issue_date, 'due_date', r.due_date, 'notes', r.notes,
			'exemption_reason', r.exemption_reason, 'supplied_from', r.supplied_from, 'supplied_to', r.supplied_to,
			'lines', (
				SELECT json_agg(json_build_object(
						'description', l.description, 'quantity', l.quantity::text, 'unit', l.unit, 'unit_price', trim_scale(l.unit_price + l.price_fraction),
						'discount_rate', l.discount_rate::text, 'discount', l.discount,
						'tax_rate', l.tax_rate::text, 'tax_treatment', l.tax_treatment, 'net', l.net) ORDER BY l.position)
				FROM invoice_lines l WHERE l.tenant_id = r.tenant_id AND l.invoice_id = r.id),
			'subtotal', r.subtotal, 'tax_total', r.tax_total, 'total', r.total, 'issued_at', r.issued_at, 'voided_at', r.voided_at,
			'duplicate_of', (SELECT json_build_object('id', referred.id, 'name', referred.number) FROM invoices referred
				WHERE referred.tenant_id = r.tenant_id AND referred.id = r.duplicate_of),
			'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) AS record FROM invoices r WHERE r.tenant_id = $1 AND r.id = $7 OFFSET 0) AS r
	OFFSET 0) AS made
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

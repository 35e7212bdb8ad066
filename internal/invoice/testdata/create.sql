-- Written by: make sql

-- invoice.create for a new customer, with a typed number

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT set_config('onlyonce.series', CASE WHEN $1 <> '' THEN $1 WHEN $2 THEN 'ask' ELSE '' END, true)
WHERE NOT EXISTS (
	SELECT FROM invoices
	WHERE tenant_id = $3 AND id = $4 AND number_folded = fold_invoice_number($5));

WITH billed AS MATERIALIZED (
	SELECT
		COALESCE(c.id, $1::uuid) AS id, c.email, c.name, c.address, c.country, c.tax_id, c.contact, c.reference,
		c.payment_days
	FROM live_customer($2, $1::uuid) AS c
	WHERE $1::uuid <> $3::uuid
	UNION ALL
	SELECT id, email, name, address, country, tax_id, contact, reference, payment_days
	FROM find_or_create_customer($2, $4, in_email => NULLIF($5, ''), in_name => $6, in_address => $7, in_country => $8, in_tax_id => $9, in_contact => $10, in_reference => $11, in_payment_days => NULLIF($12, '')::integer, in_copies_to => $13, in_same_email => $14)
	WHERE $1::uuid = $3::uuid
), inserted AS (
	INSERT INTO invoices (
		tenant_id, id, number, customer_id, currency, issue_date, due_date, notes, exemption_reason, supplied_from, supplied_to,
		subtotal, tax_total, total, source, external_id, external_digest)
	SELECT
		$2, $15, NULLIF($16, ''), c.id, $17, $18, COALESCE($19::date, $18::date + COALESCE(c.payment_days, (
					SELECT s.payment_days FROM settings s WHERE s.tenant_id = $2 AND s.id = $2))), $20,
		$21, $22::date, $23::date, $24, $25, $26, $27::text, $28::text, $29::bytea
	FROM billed c, note_alike('invoices', $2, $15, $30, ARRAY[sha256(convert_to(jsonb_build_array(
					'invoices', c.id, $17::text, $31::text[], $32::text[], $33::bigint[], $34::text[],
					$35::text[]
				)::text, 'UTF8'))])
	RETURNING *
), inserted_lines AS (
	INSERT INTO invoice_lines (
		tenant_id, invoice_id, position, description, quantity, unit, unit_price, price_fraction, discount_rate, discount, tax_rate,
		tax_treatment, net)
	SELECT
		$2, $15, position, description, quantity::numeric, NULLIF(unit, ''), unit_price, price_fraction::numeric,
		NULLIF(discount_rate, '')::numeric, discount, tax_rate::numeric, NULLIF(tax_treatment, ''), net
	FROM unnest(
		$31::text[], $32::text[], $36::text[], $33::bigint[], $34::text[],
		$37::text[], $38::bigint[], $35::text[], $39::text[], $40::bigint[]) WITH ORDINALITY
	AS typed (description, quantity, unit, unit_price, price_fraction, discount_rate, discount, tax_rate, tax_treatment, net,
		position)
	RETURNING *
), inserted_effect AS (
	INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
	SELECT $2, id, $41, $42, 'customer created' FROM billed WHERE id = $4
)
INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$2, $41, $42, $43, $44, $45,
	record.id, CASE record.id WHEN $15 THEN 'created' ELSE 'reused' END, CASE record.id WHEN $15
	THEN tell_repeat(record.id, made.result, $46) ELSE made.result END, now() + $47
FROM (SELECT (
		SELECT json_build_object(
			'id', i.id, 'number', i.number, 'status', i.status, 'overdue', false, 'paid', 0, 'credited', 0, 'written_off', 0, 'open', 0,
			'currency', i.currency,
			'seller', (SELECT json_build_object(
					'name', s.name, 'email', s.email, 'address', s.address, 'country', s.country, 'tax_id', s.tax_id,
					'account_holder', s.account_holder, 'account_number', s.account_number, 'bic', s.bic, 'footer', s.footer,
					'logo', (SELECT (SELECT json_build_object('name', r.file_name, 'type', c.type, 'size', c.size, 'sha256', encode(c.digest, 'hex'))
							FROM file_contents c WHERE c.tenant_id = r.tenant_id AND c.digest = r.file_digest) FROM logos r WHERE r.tenant_id = s.tenant_id AND r.settings_id = s.id))
				FROM settings s WHERE s.tenant_id = $2 AND s.id = $2),
			'customer', CASE WHEN repeats() ? c.id::text
			THEN json_build_object('id', c.id, 'email', c.email, 'name', c.name, 'address', c.address, 'country', c.country, 'tax_id', c.tax_id,
				'contact', c.contact, 'reference', c.reference, 'possible_duplicate_of', repeats() -> c.id::text -> 'of')
			ELSE json_build_object('id', c.id, 'email', c.email, 'name', c.name, 'address', c.address, 'country', c.country, 'tax_id', c.tax_id,
				'contact', c.contact, 'reference', c.reference) END,
			'issue_date', i.issue_date, 'due_date', i.due_date, 'notes', i.notes,
			'exemption_reason', i.exemption_reason, 'supplied_from', i.supplied_from, 'supplied_to', i.supplied_to,
			'lines', (
				SELECT json_agg(json_build_object(
						'description', l.description, 'quantity', l.quantity::text, 'unit', l.unit, 'unit_price', trim_scale(l.unit_price + l.price_fraction),
						'discount_rate', l.discount_rate::text, 'discount', l.discount,
						'tax_rate', l.tax_rate::text, 'tax_treatment', l.tax_treatment, 'net', l.net) ORDER BY l.position)
				FROM inserted_lines l),
			'subtotal', i.subtotal, 'tax_total', i.tax_total, 'total', i.total,
			'version', i.version, 'created_at', i.created_at, 'source', COALESCE(i.source, ''), 'external_id', COALESCE(i.external_id, ''))
		FROM inserted i, billed c) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- invoice.create for a customer, with the next number

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

WITH billed AS MATERIALIZED (
	SELECT
		COALESCE(c.id, $1::uuid) AS id, c.email, c.name, c.address, c.country, c.tax_id, c.contact, c.reference,
		c.payment_days
	FROM live_customer($2, $1::uuid) AS c
	WHERE $1::uuid <> $3::uuid
	UNION ALL
	SELECT id, email, name, address, country, tax_id, contact, reference, payment_days
	FROM find_or_create_customer($2, $4, in_email => NULLIF($5, ''), in_name => $6, in_address => $7, in_country => $8, in_tax_id => $9, in_contact => $10, in_reference => $11, in_payment_days => NULLIF($12, '')::integer, in_copies_to => $13, in_same_email => $14)
	WHERE $1::uuid = $3::uuid
), inserted AS (
	INSERT INTO invoices (
		tenant_id, id, number, customer_id, currency, issue_date, due_date, notes, exemption_reason, supplied_from, supplied_to,
		subtotal, tax_total, total, source, external_id, external_digest)
	SELECT
		$2, $15, NULLIF($16, ''), c.id, $17, $18, COALESCE($19::date, $18::date + COALESCE(c.payment_days, (
					SELECT s.payment_days FROM settings s WHERE s.tenant_id = $2 AND s.id = $2))), $20,
		$21, $22::date, $23::date, $24, $25, $26, $27::text, $28::text, $29::bytea
	FROM billed c, note_alike('invoices', $2, $15, $30, ARRAY[sha256(convert_to(jsonb_build_array(
					'invoices', c.id, $17::text, $31::text[], $32::text[], $33::bigint[], $34::text[],
					$35::text[]
				)::text, 'UTF8'))])
	RETURNING *
), inserted_lines AS (
	INSERT INTO invoice_lines (
		tenant_id, invoice_id, position, description, quantity, unit, unit_price, price_fraction, discount_rate, discount, tax_rate,
		tax_treatment, net)
	SELECT
		$2, $15, position, description, quantity::numeric, NULLIF(unit, ''), unit_price, price_fraction::numeric,
		NULLIF(discount_rate, '')::numeric, discount, tax_rate::numeric, NULLIF(tax_treatment, ''), net
	FROM unnest(
		$31::text[], $32::text[], $36::text[], $33::bigint[], $34::text[],
		$37::text[], $38::bigint[], $35::text[], $39::text[], $40::bigint[]) WITH ORDINALITY
	AS typed (description, quantity, unit, unit_price, price_fraction, discount_rate, discount, tax_rate, tax_treatment, net,
		position)
	RETURNING *
), inserted_effect AS (
	INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
	SELECT $2, id, $41, $42, 'customer created' FROM billed WHERE id = $4
)
INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$2, $41, $42, $43, $44, $45,
	record.id, CASE record.id WHEN $15 THEN 'created' ELSE 'reused' END, CASE record.id WHEN $15
	THEN tell_repeat(record.id, made.result, $46) ELSE made.result END, now() + $47
FROM (SELECT (
		SELECT json_build_object(
			'id', i.id, 'number', i.number, 'status', i.status, 'overdue', false, 'paid', 0, 'credited', 0, 'written_off', 0, 'open', 0,
			'currency', i.currency,
			'seller', (SELECT json_build_object(
					'name', s.name, 'email', s.email, 'address', s.address, 'country', s.country, 'tax_id', s.tax_id,
					'account_holder', s.account_holder, 'account_number', s.account_number, 'bic', s.bic, 'footer', s.footer,
					'logo', (SELECT (SELECT json_build_object('name', r.file_name, 'type', c.type, 'size', c.size, 'sha256', encode(c.digest, 'hex'))
							FROM file_contents c WHERE c.tenant_id = r.tenant_id AND c.digest = r.file_digest) FROM logos r WHERE r.tenant_id = s.tenant_id AND r.settings_id = s.id))
				FROM settings s WHERE s.tenant_id = $2 AND s.id = $2),
			'customer', CASE WHEN repeats() ? c.id::text
			THEN json_build_object('id', c.id, 'email', c.email, 'name', c.name, 'address', c.address, 'country', c.country, 'tax_id', c.tax_id,
				'contact', c.contact, 'reference', c.reference, 'possible_duplicate_of', repeats() -> c.id::text -> 'of')
			ELSE json_build_object('id', c.id, 'email', c.email, 'name', c.name, 'address', c.address, 'country', c.country, 'tax_id', c.tax_id,
				'contact', c.contact, 'reference', c.reference) END,
			'issue_date', i.issue_date, 'due_date', i.due_date, 'notes', i.notes,
			'exemption_reason', i.exemption_reason, 'supplied_from', i.supplied_from, 'supplied_to', i.supplied_to,
			'lines', (
				SELECT json_agg(json_build_object(
						'description', l.description, 'quantity', l.quantity::text, 'unit', l.unit, 'unit_price', trim_scale(l.unit_price + l.price_fraction),
						'discount_rate', l.discount_rate::text, 'discount', l.discount,
						'tax_rate', l.tax_rate::text, 'tax_treatment', l.tax_treatment, 'net', l.net) ORDER BY l.position)
				FROM inserted_lines l),
			'subtotal', i.subtotal, 'tax_total', i.tax_total, 'total', i.total,
			'version', i.version, 'created_at', i.created_at, 'source', COALESCE(i.source, ''), 'external_id', COALESCE(i.external_id, ''))
		FROM inserted i, billed c) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- invoice.create refused: number-taken

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT set_config('onlyonce.series', CASE WHEN $1 <> '' THEN $1 WHEN $2 THEN 'ask' ELSE '' END, true)
WHERE NOT EXISTS (
	SELECT FROM invoices
	WHERE tenant_id = $3 AND id = $4 AND number_folded = fold_invoice_number($5));

WITH billed AS MATERIALIZED (
	SELECT
		COALESCE(c.id, $1::uuid) AS id, c.email, c.name, c.address, c.country, c.tax_id, c.contact, c.reference,
		c.payment_days
	FROM live_customer($2, $1::uuid) AS c
	WHERE $1::uuid <> $3::uuid
	UNION ALL
	SELECT id, email, name, address, country, tax_id, contact, reference, payment_days
	FROM find_or_create_customer($2, $4, in_email => NULLIF($5, ''), in_name => $6, in_address => $7, in_country => $8, in_tax_id => $9, in_contact => $10, in_reference => $11, in_payment_days => NULLIF($12, '')::integer, in_copies_to => $13, in_same_email => $14)
	WHERE $1::uuid = $3::uuid
), inserted AS (
	INSERT INTO invoices (
		tenant_id, id, number, customer_id, currency, issue_date, due_date, notes, exemption_reason, supplied_from, supplied_to,
		subtotal, tax_total, total, source, external_id, external_digest)
	SELECT
		$2, $15, NULLIF($16, ''), c.id, $17, $18, COALESCE($19::date, $18::date + COALESCE(c.payment_days, (
					SELECT s.payment_days FROM settings s WHERE s.tenant_id = $2 AND s.id = $2))), $20,
		$21, $22::date, $23::date, $24, $25, $26, $27::text, $28::text, $29::bytea
	FROM billed c, note_alike('invoices', $2, $15, $30, ARRAY[sha256(convert_to(jsonb_build_array(
					'invoices', c.id, $17::text, $31::text[], $32::text[], $33::bigint[], $34::text[],
					$35::text[]
				)::text, 'UTF8'))])
	RETURNING *
), inserted_lines AS (
	INSERT INTO invoice_lines (
		tenant_id, invoice_id, position, description, quantity, unit, unit_price, price_fraction, discount_rate, discount, tax_rate,
		tax_treatment, net)
	SELECT
		$2, $15, position, description, quantity::numeric, NULLIF(unit, ''), unit_price, price_fraction::numeric,
		NULLIF(discount_rate, '')::numeric, discount, tax_rate::numeric, NULLIF(tax_treatment, ''), net
	FROM unnest(
		$31::text[], $32::text[], $36::text[], $33::bigint[], $34::text[],
		$37::text[], $38::bigint[], $35::text[], $39::text[], $40::bigint[]) WITH ORDINALITY
	AS typed (description, quantity, unit, unit_price, price_fraction, discount_rate, discount, tax_rate, tax_treatment, net,
		position)
	RETURNING *
), inserted_effect AS (
	INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
	SELECT $2, id, $41, $42, 'customer created' FROM billed WHERE id = $4
)
INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$2, $41, $42, $43, $44, $45,
	record.id, CASE record.id WHEN $15 THEN 'created' ELSE 'reused' END, CASE record.id WHEN $15
	THEN tell_repeat(record.id, made.result, $46) ELSE made.result END, now() + $47
FROM (SELECT (
		SELECT json_build_object(
			'id', i.id, 'number', i.number, 'status', i.status, 'overdue', false, 'paid', 0, 'credited', 0, 'written_off', 0, 'open', 0,
			'currency', i.currency,
			'seller', (SELECT json_build_object(
					'name', s.name, 'email', s.email, 'address', s.address, 'country', s.country, 'tax_id', s.tax_id,
					'account_holder', s.account_holder, 'account_number', s.account_number, 'bic', s.bic, 'footer', s.footer,
					'logo', (SELECT (SELECT json_build_object('name', r.file_name, 'type', c.type, 'size', c.size, 'sha256', encode(c.digest, 'hex'))
							FROM file_contents c WHERE c.tenant_id = r.tenant_id AND c.digest = r.file_digest) FROM logos r WHERE r.tenant_id = s.tenant_id AND r.settings_id = s.id))
				FROM settings s WHERE s.tenant_id = $2 AND s.id = $2),
			'customer', CASE WHEN repeats() ? c.id::text
			THEN json_build_object('id', c.id, 'email', c.email, 'name', c.name, 'address', c.address, 'country', c.country, 'tax_id', c.tax_id,
				'contact', c.contact, 'reference', c.reference, 'possible_duplicate_of', repeats() -> c.id::text -> 'of')
			ELSE json_build_object('id', c.id, 'email', c.email, 'name', c.name, 'address', c.address, 'country', c.country, 'tax_id', c.tax_id,
				'contact', c.contact, 'reference', c.reference) END,
			'issue_date', i.issue_date, 'due_date', i.due_date, 'notes', i.notes,
			'exemption_reason', i.exemption_reason, 'supplied_from', i.supplied_from, 'supplied_to', i.supplied_to,
			'lines', (
				SELECT json_agg(json_build_object(
						'description', l.description, 'quantity', l.quantity::text, 'unit', l.unit, 'unit_price', trim_scale(l.unit_price + l.price_fraction),
						'discount_rate', l.discount_rate::text, 'discount', l.discount,
						'tax_rate', l.tax_rate::text, 'tax_treatment', l.tax_treatment, 'net', l.net) ORDER BY l.position)
				FROM inserted_lines l),
			'subtotal', i.subtotal, 'tax_total', i.tax_total, 'total', i.total,
			'version', i.version, 'created_at', i.created_at, 'source', COALESCE(i.source, ''), 'external_id', COALESCE(i.external_id, ''))
		FROM inserted i, billed c) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents'); -- fails: invoices_number_once_per_year

COMMIT; -- rolls back

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
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
	'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) FROM invoices r WHERE r.tenant_id = $1 AND r.issue_year = $2 AND r.number_folded = fold_invoice_number($3) LIMIT 1;

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT next_number_by_pattern($1, $2);

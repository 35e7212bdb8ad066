-- Written by: go test ./internal/invoice -run TestExecutedCreate -update

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);
-- $1 = 'the tenant'
-- $2 = 'invoice.create'
-- $3 = 'k'
-- $4 = '20000ms'

SELECT set_config('onlyonce.series', CASE WHEN $1 <> '' THEN $1 WHEN $2 THEN 'ask' ELSE '' END, true)
WHERE NOT EXISTS (
	SELECT FROM invoices
	WHERE tenant_id = $3 AND id = $4 AND number_folded = fold_invoice_number($5));
-- $1 = ''
-- $2 = 'f'
-- $3 = 'the tenant'
-- $4 = 'the invoice'
-- $5 = '2026-0002'

WITH billed AS MATERIALIZED (
	SELECT COALESCE(c.id, $1::uuid) AS id, c.email, c.name, c.address, c.country, c.tax_id, c.payment_days
	FROM live_customer($2, $1::uuid) AS c
	WHERE $1::uuid <> $3::uuid
	UNION ALL
	SELECT id, email, name, address, country, tax_id, payment_days
	FROM find_or_create_customer($2, $4, in_email => NULLIF($5, ''), in_name => $6, in_address => $7, in_country => $8, in_tax_id => $9,
		in_payment_days => NULLIF($10, '')::integer, in_same_email => $11)
	WHERE $1::uuid = $3::uuid
), inserted AS (
	INSERT INTO invoices (
		tenant_id, id, number, customer_id, currency, issue_date, due_date, notes, subtotal, tax_total, total,
		source, external_id, external_digest)
	SELECT
		$2, $12, NULLIF($13, ''), c.id, $14, $15, COALESCE($16::date, $15::date + COALESCE(c.payment_days, (
					SELECT s.payment_days FROM settings s WHERE s.tenant_id = $2 AND s.id = $2))), $17,
		$18, $19, $20, $21::text, $22::text, $23::bytea
	FROM billed c, note_alike('invoices', $2, $12, $24, ARRAY[sha256(convert_to(jsonb_build_array(
					'invoices', c.id, $14::text, $25::text[], $26::text[], $27::bigint[], $28::text[]
				)::text, 'UTF8'))])
	RETURNING *
), inserted_lines AS (
	INSERT INTO invoice_lines (tenant_id, invoice_id, position, description, quantity, unit_price, tax_rate, net)
	SELECT $2, $12, position, description, quantity::numeric, unit_price, tax_rate::numeric, net
	FROM unnest($25::text[], $26::text[], $27::bigint[], $28::text[], $29::bigint[])
	WITH ORDINALITY AS typed (description, quantity, unit_price, tax_rate, net, position)
	RETURNING *
), inserted_effect AS (
	INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
	SELECT $2, id, $30, $31, 'customer created' FROM billed WHERE id = $4
)
INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$2, $30, $31, $32, $33, $34,
	record.id, CASE record.id WHEN $12 THEN 'created' ELSE 'reused' END, CASE record.id WHEN $12
	THEN tell_repeat(record.id, made.result, $35) ELSE made.result END, now() + $36
FROM (SELECT (
		SELECT json_build_object(
			'id', i.id, 'number', i.number, 'status', i.status, 'overdue', false, 'paid', 0, 'credited', 0, 'open', 0,
			'currency', i.currency,
			'seller', (SELECT json_build_object(
					'name', s.name, 'email', s.email, 'address', s.address, 'country', s.country, 'tax_id', s.tax_id,
					'account_holder', s.account_holder, 'account_number', s.account_number, 'bic', s.bic)
				FROM settings s WHERE s.tenant_id = $2 AND s.id = $2),
			'customer', CASE WHEN repeats() ? c.id::text
			THEN json_build_object('id', c.id, 'email', c.email, 'name', c.name, 'address', c.address, 'country', c.country, 'tax_id', c.tax_id, 'possible_duplicate_of', repeats() -> c.id::text -> 'of')
			ELSE json_build_object('id', c.id, 'email', c.email, 'name', c.name, 'address', c.address, 'country', c.country, 'tax_id', c.tax_id) END,
			'issue_date', i.issue_date, 'due_date', i.due_date, 'notes', i.notes,
			'lines', (
				SELECT json_agg(json_build_object(
						'description', l.description, 'quantity', l.quantity::text, 'unit_price', l.unit_price,
						'tax_rate', l.tax_rate::text, 'net', l.net) ORDER BY l.position)
				FROM inserted_lines l),
			'subtotal', i.subtotal, 'tax_total', i.tax_total, 'total', i.total,
			'version', i.version, 'created_at', i.created_at, 'source', COALESCE(i.source, ''), 'external_id', COALESCE(i.external_id, ''))
		FROM inserted i, billed c) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');
-- $1 = '00000000-0000-0000-0000-000000000000'
-- $2 = 'the tenant'
-- $3 = '00000000-0000-0000-0000-000000000000'
-- $4 = 'the customer'
-- $5 = 'grace@example.com'
-- $6 = 'Ada Lovelace'
-- $7 = ''
-- $8 = ''
-- $9 = ''
-- $10 = ''
-- $11 = 'f'
-- $12 = 'the invoice'
-- $13 = '2026-0002'
-- $14 = 'EUR'
-- $15 = '2026-11-21'
-- $16 = '2026-12-21'
-- $17 = ''
-- $18 = '10000'
-- $19 = '2300'
-- $20 = '12300'
-- $21 = NULL
-- $22 = NULL
-- $23 = NULL
-- $24 = '00:10:00'
-- $25 = '{Design}'
-- $26 = '{2}'
-- $27 = '{5000}'
-- $28 = '{23}'
-- $29 = '{10000}'
-- $30 = 'invoice.create'
-- $31 = 'k'
-- $32 = 'bytes'
-- $33 = 'the invoice'
-- $34 = 'test'
-- $35 = 'f'
-- $36 = '24:00:00'

COMMIT;

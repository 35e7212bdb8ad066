-- Written by: go test ./internal/invoice -run TestExecutedCreate -update

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);
-- $1 = 'the tenant'
-- $2 = 'invoice.create'
-- $3 = 'k'
-- $4 = '20000ms'

WITH billed AS MATERIALIZED (
	SELECT chosen.id, c.email, c.name
	FROM (SELECT $1::uuid AS id) AS chosen
	LEFT JOIN customers c ON c.tenant_id = $2 AND c.id = chosen.id
	WHERE $1::uuid <> $3::uuid
	UNION ALL
	SELECT id, email, name
	FROM create_or_reuse_customer($2, $4, $5, $6)
	WHERE $1::uuid = $3::uuid
), inserted AS (
	INSERT INTO invoices (
		tenant_id, id, number, customer_id, currency, issue_date, due_date, notes, subtotal, tax_total, total, likeness)
	SELECT
		$2, $7, NULLIF($8, ''), id, $9, $10, $11, $12,
		$13, $14, $15, sha256(uuid_send(id) || $16::bytea)
	FROM billed
	RETURNING *
), inserted_lines AS (
	INSERT INTO invoice_lines (tenant_id, invoice_id, position, description, quantity, unit_price, tax_rate, net)
	SELECT $2, $7, position, description, quantity::numeric, unit_price, tax_rate::numeric, net
	FROM unnest($17::text[], $18::text[], $19::bigint[], $20::text[], $21::bigint[])
	WITH ORDINALITY AS typed (description, quantity, unit_price, tax_rate, net, position)
	RETURNING *
), inserted_effect AS (
	INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
	SELECT $2, id, $22, $23, 'customer created' FROM billed WHERE id = $4
)
INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$2, $22, $23, $24, $25, $26,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, made.result, now() + $27
FROM (SELECT (
		SELECT json_build_object(
			'id', i.id, 'number', i.number, 'status', i.status, 'overdue', false, 'paid', 0, 'credited', 0, 'open', i.total,
			'currency', i.currency, 'customer', json_build_object('id', b.id, 'email', b.email, 'name', b.name),
			'issue_date', i.issue_date, 'due_date', i.due_date, 'notes', i.notes,
			'lines', (
				SELECT json_agg(json_build_object(
						'description', l.description, 'quantity', l.quantity::text, 'unit_price', l.unit_price,
						'tax_rate', l.tax_rate::text, 'net', l.net) ORDER BY l.position)
				FROM inserted_lines l),
			'subtotal', i.subtotal, 'tax_total', i.tax_total, 'total', i.total,
			'version', i.version, 'created_at', i.created_at,
			'possible_duplicate_of', COALESCE(
				likely_repeat_of(i.tenant_id, i.id, i.likeness, $28, $29), $3))
		FROM inserted i, billed b) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome;
-- $1 = '00000000-0000-0000-0000-000000000000'
-- $2 = 'the tenant'
-- $3 = '00000000-0000-0000-0000-000000000000'
-- $4 = 'the customer'
-- $5 = 'grace@example.com'
-- $6 = 'Ada Lovelace'
-- $7 = 'the invoice'
-- $8 = '2026-0002'
-- $9 = 'EUR'
-- $10 = '2026-11-21'
-- $11 = '2026-12-21'
-- $12 = ''
-- $13 = '10000'
-- $14 = '2300'
-- $15 = '12300'
-- $16 = 'bytes'
-- $17 = '{Design}'
-- $18 = '{2}'
-- $19 = '{5000}'
-- $20 = '{23}'
-- $21 = '{10000}'
-- $22 = 'invoice.create'
-- $23 = 'k'
-- $24 = 'bytes'
-- $25 = 'the invoice'
-- $26 = 'test'
-- $27 = '24:00:00'
-- $28 = '00:10:00'
-- $29 = 'f'

COMMIT;

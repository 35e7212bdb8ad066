-- Written by: make sql

-- receipt.create

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM live_customer($1, $2);

SELECT FROM invoices WHERE tenant_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE;

INSERT INTO receipts (tenant_id, id, customer_id, currency, amount, received_on, method, provider, reference)
SELECT $1, $2, COALESCE(c.id, $3), $4, $5, $6, $7, NULLIF($8, ''),
NULLIF($9, '')
FROM live_customer($1, $3) AS c;

INSERT INTO payments (tenant_id, id, receipt_id, invoice_id, amount, paid_on, method)
SELECT $1, id, $2, invoice_id, amount, $3, $4
FROM unnest($5::uuid[], $6::uuid[], $7::bigint[]) AS each (id, invoice_id, amount)
ORDER BY invoice_id;

INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
SELECT $1, unnest($2::uuid[]), $3, $4, 'recorded with a receipt';

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, CASE record.id WHEN $7
	THEN tell_repeat(record.id, made.result, $8) ELSE made.result END, now() + $9
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'customer', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
				WHERE referred.tenant_id = r.tenant_id AND referred.id = r.customer_id), 'currency', r.currency, 'amount', r.amount, 'allocated', r.allocated,
			'repaid', r.repaid, 'left', r.left_amount, 'date', r.received_on, 'method', r.method, 'provider', COALESCE(r.provider, ''),
			'reference', COALESCE(r.reference, ''), 'removed_at', r.removed_at,
			'credit_note', (
				SELECT json_build_object('id', n.id, 'name', n.number) FROM credit_notes n
				WHERE n.tenant_id = r.tenant_id AND n.id = r.credit_note_id)) FROM receipts r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- receipt.create refused: payment-taken

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM live_customer($1, $2);

SELECT FROM invoices WHERE tenant_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE;

INSERT INTO receipts (tenant_id, id, customer_id, currency, amount, received_on, method, provider, reference)
SELECT $1, $2, COALESCE(c.id, $3), $4, $5, $6, $7, NULLIF($8, ''),
NULLIF($9, '')
FROM live_customer($1, $3) AS c; -- fails: payment_references_once

COMMIT; -- rolls back

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'invoice_id', r.invoice_id, 'receipt_id', r.receipt_id, 'amount', r.amount, 'refunded', r.refunded, 'left', r.left_amount,
	'date', r.paid_on, 'method', r.method,
	'removed_at', r.removed_at, 'provider', COALESCE(r.provider, ''), 'reference', COALESCE(r.reference, ''),
	'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
	'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) FROM payments r WHERE r.tenant_id = $1 AND r.provider_folded = fold_text($2) AND r.reference = $3 AND r.removed_at IS NULL LIMIT 1;

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'customer', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
		WHERE referred.tenant_id = r.tenant_id AND referred.id = r.customer_id), 'currency', r.currency, 'amount', r.amount, 'allocated', r.allocated,
	'repaid', r.repaid, 'left', r.left_amount, 'date', r.received_on, 'method', r.method, 'provider', COALESCE(r.provider, ''),
	'reference', COALESCE(r.reference, ''), 'removed_at', r.removed_at,
	'credit_note', (
		SELECT json_build_object('id', n.id, 'name', n.number) FROM credit_notes n
		WHERE n.tenant_id = r.tenant_id AND n.id = r.credit_note_id)) FROM receipts r WHERE r.tenant_id = $1 AND r.provider_folded = fold_text($2) AND r.reference = $3 AND r.removed_at IS NULL LIMIT 1;

-- repayment.create

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

INSERT INTO repayments (tenant_id, id, receipt_id, amount, repaid_on, reference)
VALUES ($1, $2, $3, $4, $5, $6);

INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
VALUES ($1, $2, $3, $4, 'credit paid back');

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, CASE record.id WHEN $7
	THEN tell_repeat(record.id, made.result, $8) ELSE made.result END, now() + $9
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'receipt_id', r.receipt_id, 'amount', r.amount, 'date', r.repaid_on, 'reference', r.reference,
			'removed_at', r.removed_at,
			'currency', (SELECT c.currency FROM receipts c WHERE c.tenant_id = r.tenant_id AND c.id = r.receipt_id)) FROM repayments r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

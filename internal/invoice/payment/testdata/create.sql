-- Written by: make sql

-- payment.create

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

INSERT INTO payments (tenant_id, id, invoice_id, amount, paid_on, method, provider, reference, source, external_id, external_digest)
VALUES ($1, $2, $3, $4, $5, $6, NULLIF($7, ''), NULLIF($8, ''),
	$9::text, $10::text, $11::bytea);

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, CASE record.id WHEN $7
	THEN tell_repeat(record.id, made.result, $8) ELSE made.result END, now() + $9
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'invoice_id', r.invoice_id, 'receipt_id', r.receipt_id, 'amount', r.amount, 'refunded', r.refunded, 'left', r.left_amount,
			'date', r.paid_on, 'method', r.method,
			'removed_at', r.removed_at, 'provider', COALESCE(r.provider, ''), 'reference', COALESCE(r.reference, ''),
			'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
			'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) FROM payments r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- payment.create refused: exceeds-open-amount

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

INSERT INTO payments (tenant_id, id, invoice_id, amount, paid_on, method, provider, reference, source, external_id, external_digest)
VALUES ($1, $2, $3, $4, $5, $6, NULLIF($7, ''), NULLIF($8, ''),
	$9::text, $10::text, $11::bytea); -- fails: payments_within_open

COMMIT; -- rolls back

-- Written by: make sql

-- payment.remove

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM payments r WHERE r.tenant_id = $1 AND r.id = $2 FOR UPDATE;

SELECT begin_change(r.version, $1, r.made, r.record)
FROM (SELECT) AS one LEFT JOIN (
	SELECT r.version, (r.removed_at IS NOT NULL) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'invoice_id', r.invoice_id, 'receipt_id', r.receipt_id, 'amount', r.amount, 'refunded', r.refunded, 'left', r.left_amount,
		'date', r.paid_on, 'method', r.method,
		'removed_at', r.removed_at, 'provider', COALESCE(r.provider, ''), 'reference', COALESCE(r.reference, ''),
		'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
		'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) AS record FROM payments r WHERE r.tenant_id = $2 AND r.id = $3) AS r ON true;

UPDATE payments SET removed_at = now() WHERE tenant_id = $1 AND id = $2;

INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
SELECT tenant_id, receipt_id, $1, $2, 'payment of an invoice removed' FROM payments
WHERE tenant_id = $3 AND id = $4 AND receipt_id IS NOT NULL;

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, changes, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6, $7,
	'changed', made.changes, made.result, now() + $8
FROM (
	SELECT end_change(r.made, r.record) AS changes, r.record AS result
	FROM (SELECT (r.removed_at IS NOT NULL) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'invoice_id', r.invoice_id, 'receipt_id', r.receipt_id, 'amount', r.amount, 'refunded', r.refunded, 'left', r.left_amount,
			'date', r.paid_on, 'method', r.method,
			'removed_at', r.removed_at, 'provider', COALESCE(r.provider, ''), 'reference', COALESCE(r.reference, ''),
			'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
			'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) AS record FROM payments r WHERE r.tenant_id = $1 AND r.id = $7 OFFSET 0) AS r
	OFFSET 0) AS made
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

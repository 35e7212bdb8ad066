-- Written by: make sql

-- repayment.remove

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM repayments r WHERE r.tenant_id = $1 AND r.id = $2 FOR UPDATE;

SELECT begin_change(r.version, $1, r.made, r.record)
FROM (SELECT) AS one LEFT JOIN (
	SELECT r.version, (r.removed_at IS NOT NULL) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'receipt_id', r.receipt_id, 'amount', r.amount, 'date', r.repaid_on, 'reference', r.reference,
		'removed_at', r.removed_at,
		'currency', (SELECT c.currency FROM receipts c WHERE c.tenant_id = r.tenant_id AND c.id = r.receipt_id)) AS record FROM repayments r WHERE r.tenant_id = $2 AND r.id = $3) AS r ON true;

UPDATE repayments SET removed_at = now() WHERE tenant_id = $1 AND id = $2;

INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
SELECT tenant_id, receipt_id, $1, $2, 'repayment removed' FROM repayments
WHERE tenant_id = $3 AND id = $4;

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, changes, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6, $7,
	'changed', made.changes, made.result, now() + $8
FROM (
	SELECT end_change(r.made, r.record) AS changes, r.record AS result
	FROM (SELECT (r.removed_at IS NOT NULL) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'receipt_id', r.receipt_id, 'amount', r.amount, 'date', r.repaid_on, 'reference', r.reference,
			'removed_at', r.removed_at,
			'currency', (SELECT c.currency FROM receipts c WHERE c.tenant_id = r.tenant_id AND c.id = r.receipt_id)) AS record FROM repayments r WHERE r.tenant_id = $1 AND r.id = $7 OFFSET 0) AS r
	OFFSET 0) AS made
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- receipt.remove

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM payments WHERE tenant_id = $1 AND receipt_id = $2 AND removed_at IS NULL
ORDER BY id FOR NO KEY UPDATE;

SELECT FROM receipts r WHERE r.tenant_id = $1 AND r.id = $2 FOR UPDATE;

SELECT begin_change(r.version, $1, r.made, r.record)
FROM (SELECT) AS one LEFT JOIN (
	SELECT r.version, (r.removed_at IS NOT NULL) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'customer', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.customer_id), 'currency', r.currency, 'amount', r.amount, 'allocated', r.allocated,
		'repaid', r.repaid, 'left', r.left_amount, 'date', r.received_on, 'method', r.method, 'provider', COALESCE(r.provider, ''),
		'reference', COALESCE(r.reference, ''), 'removed_at', r.removed_at,
		'credit_note', (
			SELECT json_build_object('id', n.id, 'name', n.number) FROM credit_notes n
			WHERE n.tenant_id = r.tenant_id AND n.id = r.credit_note_id)) AS record FROM receipts r WHERE r.tenant_id = $2 AND r.id = $3) AS r ON true;

SELECT FROM lock_receipt($1, $2);

SELECT FROM invoices WHERE tenant_id = $1 AND id = ANY (ARRAY(
		SELECT invoice_id FROM payments WHERE tenant_id = $1 AND receipt_id = $2 AND removed_at IS NULL))
ORDER BY id FOR UPDATE;

WITH removed AS (
	UPDATE payments p SET removed_at = now() FROM receipts r
	WHERE r.tenant_id = $1 AND r.id = $2
	AND p.tenant_id = r.tenant_id AND p.receipt_id = r.id AND p.removed_at IS NULL AND p.created_at = r.created_at
	RETURNING p.id)
INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
SELECT $1, id, $3, $4, 'removed with its receipt' FROM removed;

UPDATE receipts SET removed_at = now() WHERE tenant_id = $1 AND id = $2;

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, changes, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6, $7,
	'changed', made.changes, made.result, now() + $8
FROM (
	SELECT end_change(r.made, r.record) AS changes, r.record AS result
	FROM (SELECT (r.removed_at IS NOT NULL) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'customer', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
				WHERE referred.tenant_id = r.tenant_id AND referred.id = r.customer_id), 'currency', r.currency, 'amount', r.amount, 'allocated', r.allocated,
			'repaid', r.repaid, 'left', r.left_amount, 'date', r.received_on, 'method', r.method, 'provider', COALESCE(r.provider, ''),
			'reference', COALESCE(r.reference, ''), 'removed_at', r.removed_at,
			'credit_note', (
				SELECT json_build_object('id', n.id, 'name', n.number) FROM credit_notes n
				WHERE n.tenant_id = r.tenant_id AND n.id = r.credit_note_id)) AS record FROM receipts r WHERE r.tenant_id = $1 AND r.id = $7 OFFSET 0) AS r
	OFFSET 0) AS made
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

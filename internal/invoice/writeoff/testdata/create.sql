-- Written by: make sql

-- write_off.create

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

INSERT INTO write_offs (tenant_id, id, invoice_id, amount, written_off_on, reason, note)
VALUES ($1, $2, $3, NULLIF($4::bigint, 0), $5, $6, $7);

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, CASE record.id WHEN $7
	THEN tell_repeat(record.id, made.result, $8) ELSE made.result END, now() + $9
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'invoice_id', r.invoice_id, 'amount', r.amount, 'date', r.written_off_on, 'reason', r.reason, 'note', r.note,
			'reversed_at', r.reversed_at,
			'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) FROM write_offs r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- Written by: make sql

-- reminder.send_batch

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT send_reminders($1, $2, $3::uuid[], $4::uuid[], $5::integer[], $6::text[],
	$7, $8);

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, made.result, now() + $8
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'reminders', (
				SELECT json_agg(json_build_object('invoice_id', o.invoice_id, 'level', o.level, 'outcome', o.outcome, 'number', (
							SELECT i.number FROM invoices i WHERE i.tenant_id = o.tenant_id AND i.id = o.invoice_id)) ORDER BY o.invoice_id)
				FROM invoice_reminder_outcomes o WHERE o.tenant_id = r.tenant_id AND o.batch_id = r.id)) FROM invoice_reminder_batches r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

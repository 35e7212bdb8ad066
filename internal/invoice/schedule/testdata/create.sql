-- Written by: make sql

-- schedule.create

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

INSERT INTO schedules (tenant_id, id, customer_id, currency, lines, notes, exemption_reason, every, unit, first_day, last_day, bill_as, missed) VALUES ($1, $2, $3, $4, $5::jsonb, $6, $7, $8, $9, $10::date,
	$11::date, $12, $13);

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, CASE record.id WHEN $7
	THEN tell_repeat(record.id, made.result, $8) ELSE made.result END, now() + $9
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'customer', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
				WHERE referred.tenant_id = r.tenant_id AND referred.id = r.customer_id), 'currency', r.currency, 'lines', r.lines, 'notes', r.notes,
			'exemption_reason', r.exemption_reason,
			'every', r.every, 'unit', r.unit, 'first_day', r.first_day, 'last_day', r.last_day, 'bill_as', r.bill_as, 'missed', r.missed,
			'paused_at', r.paused_at, 'archived_at', r.archived_at, 'next_day', (
				SELECT c.next_day FROM schedule_clocks c WHERE c.tenant_id = r.tenant_id AND c.schedule_id = r.id),
			'failure', (SELECT c.failure FROM schedule_clocks c WHERE c.tenant_id = r.tenant_id AND c.schedule_id = r.id)) FROM schedules r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- Written by: make sql

-- delivery.resend of a delivery that is still waiting

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM deliveries r WHERE r.tenant_id = $1 AND r.id = $2 FOR UPDATE;

SELECT begin_change(r.version, $1, r.made, r.record)
FROM (SELECT) AS one LEFT JOIN (
	SELECT r.version, (r.next_at IS NOT NULL) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'endpoint', (SELECT json_build_object('id', referred.id, 'name', referred.address) FROM endpoints referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.endpoint_id), 'event_id', r.event_id, 'operation', r.operation, 'state', r.state,
		'attempts', r.attempts, 'status', r.status, 'answer', NULLIF(r.answer, ''), 'next_at', r.next_at) AS record FROM deliveries r WHERE r.tenant_id = $2 AND r.id = $3) AS r ON true; -- fails: made already

COMMIT; -- rolls back

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM deliveries r WHERE r.tenant_id = $1 AND r.id = $2 FOR UPDATE;

SELECT keep_made(r.made, r.record)
FROM (SELECT) AS one LEFT JOIN (
	SELECT (r.next_at IS NOT NULL) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'endpoint', (SELECT json_build_object('id', referred.id, 'name', referred.address) FROM endpoints referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.endpoint_id), 'event_id', r.event_id, 'operation', r.operation, 'state', r.state,
		'attempts', r.attempts, 'status', r.status, 'answer', NULLIF(r.answer, ''), 'next_at', r.next_at) AS record FROM deliveries r WHERE r.tenant_id = $1 AND r.id = $2) AS r ON true;

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, changes, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6, $7,
	'unchanged', made.changes, made.result, now() + $8
FROM (
	SELECT end_change(r.made, r.record) AS changes, r.record AS result
	FROM (SELECT (r.next_at IS NOT NULL) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'endpoint', (SELECT json_build_object('id', referred.id, 'name', referred.address) FROM endpoints referred
				WHERE referred.tenant_id = r.tenant_id AND referred.id = r.endpoint_id), 'event_id', r.event_id, 'operation', r.operation, 'state', r.state,
			'attempts', r.attempts, 'status', r.status, 'answer', NULLIF(r.answer, ''), 'next_at', r.next_at) AS record FROM deliveries r WHERE r.tenant_id = $1 AND r.id = $7 OFFSET 0) AS r
	OFFSET 0) AS made
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

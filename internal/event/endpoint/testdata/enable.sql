-- Written by: make sql

-- endpoint.enable

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM endpoints r WHERE r.tenant_id = $1 AND r.id = $2 FOR UPDATE;

SELECT begin_change(r.version, $1, r.made, r.record)
FROM (SELECT) AS one LEFT JOIN (
	SELECT r.version, (r.disabled_at IS NULL) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'address', r.address, 'operations', r.operations, 'created_by', r.created_by, 'disabled_at', r.disabled_at,
		'disabled_reason', NULLIF(r.disabled_reason, '')) AS record FROM endpoints r WHERE r.tenant_id = $2 AND r.id = $3) AS r ON true;

UPDATE endpoints SET (disabled_at, disabled_reason) = (NULL, '')
WHERE tenant_id = $1 AND id = $2;

SELECT queue_deliveries($1, $2, now());

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, changes, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6, $7,
	'changed', made.changes, made.result, now() + $8
FROM (
	SELECT end_change(r.made, r.record) AS changes, r.record AS result
	FROM (SELECT (r.disabled_at IS NULL) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'address', r.address, 'operations', r.operations, 'created_by', r.created_by, 'disabled_at', r.disabled_at,
			'disabled_reason', NULLIF(r.disabled_reason, '')) AS record FROM endpoints r WHERE r.tenant_id = $1 AND r.id = $7 OFFSET 0) AS r
	OFFSET 0) AS made
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

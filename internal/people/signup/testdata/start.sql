-- Written by: make sql

-- sign_up.start refused: link-over

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM sign_ups r WHERE r.tenant_id = $1 AND r.id = $2 FOR UPDATE;

SELECT begin_change(r.version, $1, r.made, r.record)
FROM (SELECT) AS one LEFT JOIN (
	SELECT r.version, (r.started_at IS NOT NULL) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', r.email, 'started_at', r.started_at) AS record FROM sign_ups r WHERE r.tenant_id = $2 AND r.id = $3) AS r ON true;

WITH changed AS (
	UPDATE sign_ups r SET started_at = now()
	WHERE tenant_id = $1 AND id = $2 AND EXISTS (
		SELECT FROM sign_up_mails m
		WHERE m.tenant_id = r.tenant_id AND m.sign_up_id = r.id AND m.link_hash = $3
		AND m.created_at > now() - $4::interval) RETURNING 1) SELECT require_rows((SELECT count(*) FROM changed), $5); -- fails: changed 0 rows, and had to change 1

COMMIT; -- rolls back

-- sign_up.start

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM sign_ups r WHERE r.tenant_id = $1 AND r.id = $2 FOR UPDATE;

SELECT begin_change(r.version, $1, r.made, r.record)
FROM (SELECT) AS one LEFT JOIN (
	SELECT r.version, (r.started_at IS NOT NULL) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', r.email, 'started_at', r.started_at) AS record FROM sign_ups r WHERE r.tenant_id = $2 AND r.id = $3) AS r ON true;

WITH changed AS (
	UPDATE sign_ups r SET started_at = now()
	WHERE tenant_id = $1 AND id = $2 AND EXISTS (
		SELECT FROM sign_up_mails m
		WHERE m.tenant_id = r.tenant_id AND m.sign_up_id = r.id AND m.link_hash = $3
		AND m.created_at > now() - $4::interval) RETURNING 1) SELECT require_rows((SELECT count(*) FROM changed), $5);

SELECT begin_business($1, $2, $3, $4, $5, $6, $7, $8);

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, changes, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6, $7,
	'changed', made.changes, made.result, now() + $8
FROM (
	SELECT end_change(r.made, r.record) AS changes, r.record AS result
	FROM (SELECT (r.started_at IS NOT NULL) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', r.email, 'started_at', r.started_at) AS record FROM sign_ups r WHERE r.tenant_id = $1 AND r.id = $7 OFFSET 0) AS r
	OFFSET 0) AS made
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

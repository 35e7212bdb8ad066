-- Written by: make sql

-- user.uninvite

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM users r WHERE r.tenant_id = $1 AND r.id = $2 FOR UPDATE;

SELECT begin_change(r.version, $1, r.made, r.record)
FROM (SELECT) AS one LEFT JOIN (
	SELECT r.version, (NOT ((r.link_hash IS NOT NULL AND r.link_used_at IS NULL AND r.link_expires_at > now()))) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', r.email, 'name', r.name, 'role', r.role, 'disabled_at', r.disabled_at, 'has_password', r.password_hash <> '',
		'link_id', CASE WHEN r.link_used_at IS NULL THEN r.link_id END,
		'link_until', CASE WHEN r.link_used_at IS NULL THEN r.link_expires_at END) AS record FROM users r WHERE r.tenant_id = $2 AND r.id = $3) AS r ON true;

UPDATE users SET link_id = NULL, link_hash = NULL, link_expires_at = NULL, link_used_at = NULL
WHERE tenant_id = $1 AND id = $2;

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, changes, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6, $7,
	'changed', made.changes, made.result, now() + $8
FROM (
	SELECT end_change(r.made, r.record) AS changes, r.record AS result
	FROM (SELECT (NOT ((r.link_hash IS NOT NULL AND r.link_used_at IS NULL AND r.link_expires_at > now()))) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', r.email, 'name', r.name, 'role', r.role, 'disabled_at', r.disabled_at, 'has_password', r.password_hash <> '',
			'link_id', CASE WHEN r.link_used_at IS NULL THEN r.link_id END,
			'link_until', CASE WHEN r.link_used_at IS NULL THEN r.link_expires_at END) AS record FROM users r WHERE r.tenant_id = $1 AND r.id = $7 OFFSET 0) AS r
	OFFSET 0) AS made
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

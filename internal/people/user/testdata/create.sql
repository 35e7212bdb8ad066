-- Written by: make sql

-- user.create

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

INSERT INTO users (tenant_id, id, email, name, role, password_hash, link_id, link_hash, link_expires_at)
VALUES ($1, $2, $3, $4, $5, '', $6, $7, now() + $8);

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, made.result, now() + $8
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', r.email, 'name', r.name, 'role', r.role, 'disabled_at', r.disabled_at, 'has_password', r.password_hash <> '',
			'link_id', CASE WHEN r.link_used_at IS NULL THEN r.link_id END,
			'link_until', CASE WHEN r.link_used_at IS NULL THEN r.link_expires_at END) FROM users r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

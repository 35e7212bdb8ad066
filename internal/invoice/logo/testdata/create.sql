-- Written by: make sql

-- logo.create

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

WITH replaced AS (
	UPDATE logos SET removed_at = now() WHERE tenant_id = $1 AND settings_id = $1
	RETURNING id
)
INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
SELECT $1, id, $2, $3, 'replaced' FROM replaced;

INSERT INTO file_contents (tenant_id, digest, type, content) VALUES ($1, $2, $3, $4)
ON CONFLICT DO NOTHING;

INSERT INTO logos (tenant_id, id, file_name, file_digest)
VALUES ($1, $2, $3, $4);

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, made.result, now() + $8
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'removed_at', r.removed_at, 'file', (SELECT json_build_object('name', r.file_name, 'type', c.type, 'size', c.size, 'sha256', encode(c.digest, 'hex'))
				FROM file_contents c WHERE c.tenant_id = r.tenant_id AND c.digest = r.file_digest)) FROM logos r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

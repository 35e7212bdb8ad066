-- Written by: make sql

-- token.create

begin isolation level read committed;

SELECT set_config('idle_in_transaction_session_timeout', $1, true);

SELECT claim_intent($1, $2, $3, $4);

INSERT INTO api_tokens (tenant_id, id, name, role, scope, expires_at, token_hash, created_by)
VALUES ($1, $2, $3, $4, $5, now() + make_interval(days => nullif($6::int, 0)), $7, $8);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'name', r.name, 'role', r.role, 'scope', r.scope, 'created_by', r.created_by, 'revoked_at', r.revoked_at,
	'expires_at', r.expires_at, 'last_used_at', (
		SELECT u.last_used_at FROM api_token_uses u WHERE u.tenant_id = r.tenant_id AND u.token_id = r.id LIMIT 1)) FROM api_tokens r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, made.result, now() + $8
FROM (SELECT $9::json AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

commit;

-- token.create refused: token-name-taken

begin isolation level read committed;

SELECT set_config('idle_in_transaction_session_timeout', $1, true);

SELECT claim_intent($1, $2, $3, $4);

INSERT INTO api_tokens (tenant_id, id, name, role, scope, expires_at, token_hash, created_by)
VALUES ($1, $2, $3, $4, $5, now() + make_interval(days => nullif($6::int, 0)), $7, $8); -- fails: api_tokens_name_once

rollback;

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'name', r.name, 'role', r.role, 'scope', r.scope, 'created_by', r.created_by, 'revoked_at', r.revoked_at,
	'expires_at', r.expires_at, 'last_used_at', (
		SELECT u.last_used_at FROM api_token_uses u WHERE u.tenant_id = r.tenant_id AND u.token_id = r.id LIMIT 1)) FROM api_tokens r WHERE r.tenant_id = $1 AND r.name = $2 AND r.revoked_at IS NULL LIMIT 1;

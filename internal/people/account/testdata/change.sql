-- Written by: make sql

-- end a session

DELETE FROM sessions WHERE tenant_id = $1 AND user_id = $2 AND id = $3;

-- end the other sessions

DELETE FROM sessions WHERE tenant_id = $1 AND user_id = $2 AND id <> $3;

-- make an admin

SELECT u.email, u.tenant_id, u.role, u.disabled_at IS NOT NULL
FROM users u JOIN tenants t ON t.id = u.tenant_id
WHERE u.email = $1 AND NOT t.demo;

begin;

SELECT pg_advisory_xact_lock('installation_admins'::regclass::bigint);

GRANT INSERT, UPDATE (generation), DELETE ON installation_admins TO CURRENT_USER;

INSERT INTO installation_admins AS a (tenant_id, user_id, generation)
SELECT u.tenant_id, u.id, u.session_generation FROM users u JOIN tenants t ON t.id = u.tenant_id WHERE u.email = $1 AND NOT t.demo
ON CONFLICT (tenant_id, user_id) DO UPDATE SET generation = EXCLUDED.generation WHERE a.generation <> EXCLUDED.generation;

REVOKE INSERT, UPDATE (generation), DELETE ON installation_admins FROM CURRENT_USER;

commit;

-- create a token

begin;

SELECT FROM tenants WHERE id = $1 FOR NO KEY UPDATE;

INSERT INTO api_tokens (token_hash, tenant_id, name, role, scope, expires_at) VALUES ($1, $2, $3, $4, $5, now() + $6::interval)
ON CONFLICT (tenant_id, name) WHERE revoked_at IS NULL DO NOTHING;

commit;

-- replace a token

begin;

SELECT FROM tenants WHERE id = $1 FOR NO KEY UPDATE;

UPDATE api_tokens SET revoked_at = now() WHERE tenant_id = $1 AND name = $2 AND revoked_at IS NULL RETURNING role, scope, expires_at - created_at;

INSERT INTO api_tokens (token_hash, tenant_id, name, role, scope, expires_at) VALUES ($1, $2, $3, $4, $5, now() + $6::interval)
ON CONFLICT (tenant_id, name) WHERE revoked_at IS NULL DO NOTHING;

commit;

-- revoke a token

UPDATE api_tokens SET revoked_at = now() WHERE tenant_id = $1 AND name = $2 AND revoked_at IS NULL;

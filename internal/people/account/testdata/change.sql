-- Written by: make sql

-- end a session

DELETE FROM sessions WHERE tenant_id = $1 AND user_id = $2 AND id = $3;

-- end the other sessions

DELETE FROM sessions WHERE tenant_id = $1 AND user_id = $2 AND id <> $3;

-- create a token

begin;

SELECT FROM tenants WHERE id = $1 FOR NO KEY UPDATE;

INSERT INTO api_tokens (token_hash, tenant_id, name, role) VALUES ($1, $2, $3, $4)
ON CONFLICT (tenant_id, name) WHERE revoked_at IS NULL DO NOTHING;

commit;

-- replace a token

begin;

SELECT FROM tenants WHERE id = $1 FOR NO KEY UPDATE;

UPDATE api_tokens SET revoked_at = now() WHERE tenant_id = $1 AND name = $2 AND revoked_at IS NULL RETURNING role;

INSERT INTO api_tokens (token_hash, tenant_id, name, role) VALUES ($1, $2, $3, $4)
ON CONFLICT (tenant_id, name) WHERE revoked_at IS NULL DO NOTHING;

commit;

-- revoke a token

UPDATE api_tokens SET revoked_at = now() WHERE tenant_id = $1 AND name = $2 AND revoked_at IS NULL;

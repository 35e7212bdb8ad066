-- Written by: make sql

-- ids of tenants

SELECT id FROM tenants ORDER BY id;

-- tenants

SELECT id, name, demo FROM tenants WHERE id > $1 ORDER BY id LIMIT $2;

-- tokens

SELECT name, role, created_at, scope, expires_at FROM api_tokens
WHERE tenant_id = $1 AND revoked_at IS NULL AND name > $2
ORDER BY name LIMIT $3;

-- sessions of a user

SELECT id, device, created_at, seen_at FROM sessions
WHERE tenant_id = $1 AND user_id = $2 AND generation = $3 AND expiry - now() > interval '0' AND seen_at > $4
AND id BETWEEN $6 AND $7
ORDER BY id DESC LIMIT $5;

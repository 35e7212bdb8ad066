-- Written by: make sql

-- login

SELECT t.id, t.name, t.demo, u.id, u.email, u.session_generation, u.password_hash
FROM users u JOIN tenants t ON t.id = u.tenant_id
WHERE u.disabled_at IS NULL AND u.email = lower($1);

-- user of a session

SELECT u.email, u.role, COALESCE((
		SELECT true FROM installation_admins
		WHERE tenant_id = $1 AND user_id = $2 AND generation = $3), false), t.time_zone
FROM users u JOIN tenants t ON t.id = u.tenant_id
WHERE u.tenant_id = $1 AND u.id = $2 AND u.session_generation = $3 AND u.disabled_at IS NULL;

-- token by its secret

SELECT t.id, t.name, t.demo, t.time_zone, 'token ' || a.name, a.role, a.scope, coalesce(u.last_used_at < now() - interval '1 hour', true)
FROM api_tokens a JOIN tenants t ON t.id = a.tenant_id
LEFT JOIN api_token_uses u ON u.tenant_id = a.tenant_id AND u.token_id = a.id
WHERE a.token_hash = $1 AND a.revoked_at IS NULL AND coalesce(a.expires_at > now(), true);

INSERT INTO api_token_uses AS u (tenant_id, token_id, last_used_at)
SELECT tenant_id, id, now() FROM api_tokens WHERE token_hash = $1
ON CONFLICT (tenant_id, token_id) DO UPDATE SET last_used_at = now() WHERE coalesce(u.last_used_at < now() - interval '1 hour', true);

-- whether a secret is of a token

SELECT EXISTS (
	SELECT FROM api_tokens
	WHERE token_hash = $1 AND tenant_id = $2 AND id = $3 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()));

-- whether a user may change records

SELECT EXISTS (SELECT FROM users WHERE tenant_id = $1 AND email = $2 AND disabled_at IS NULL AND role <> 'read-only');

-- whether a token may change records

SELECT EXISTS (SELECT FROM api_tokens a WHERE tenant_id = $1 AND name = $2 AND role <> 'read-only' AND a.revoked_at IS NULL AND coalesce(a.expires_at > now(), true));

-- user by email

SELECT u.email, u.tenant_id, u.role, u.disabled_at IS NOT NULL
FROM users u JOIN tenants t ON t.id = u.tenant_id
WHERE u.email = $1 AND NOT t.demo;

-- whether there are users

SELECT true FROM users u JOIN tenants t ON t.id = u.tenant_id
WHERE u.tenant_id > '00000000-0000-0000-0000-000000000000' AND NOT t.demo
ORDER BY u.tenant_id LIMIT 1;

-- tenant by name

SELECT id, name FROM tenants WHERE NOT demo AND sign_up_id IS NULL AND fold_text(name) = fold_text($1);

-- Written by: make sql

-- token

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'name', r.name, 'role', r.role, 'scope', r.scope, 'created_by', r.created_by, 'revoked_at', r.revoked_at,
	'expires_at', r.expires_at, 'last_used_at', (
		SELECT u.last_used_at FROM api_token_uses u WHERE u.tenant_id = r.tenant_id AND u.token_id = r.id LIMIT 1)) FROM api_tokens r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

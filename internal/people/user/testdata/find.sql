-- Written by: make sql

-- user

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', r.email, 'name', r.name, 'role', r.role, 'disabled_at', r.disabled_at, 'has_password', r.password_hash <> '',
	'link_id', CASE WHEN r.link_used_at IS NULL THEN r.link_id END,
	'link_until', CASE WHEN r.link_used_at IS NULL THEN r.link_expires_at END) FROM users r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

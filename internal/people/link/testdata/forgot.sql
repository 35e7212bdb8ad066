-- Written by: make sql

-- link for a user who forgot the password

SELECT u.tenant_id, u.id FROM users u JOIN tenants t ON t.id = u.tenant_id
WHERE u.email = lower($1) AND u.disabled_at IS NULL AND NOT t.demo;

begin;

SELECT set_config('onlyonce.tenant_id', $1::text, true);

SELECT CASE WHEN link_used_at IS NULL AND link_expires_at > now() THEN link_id END, link_hash, password_hash <> ''
FROM users WHERE tenant_id = $1 AND id = $2 AND disabled_at IS NULL FOR NO KEY UPDATE;

UPDATE users
SET link_id = $3, link_hash = $4, link_used_at = NULL,
link_expires_at = CASE WHEN link_id = $3 THEN link_expires_at ELSE now() + $5 END
WHERE tenant_id = $1 AND id = $2;

INSERT INTO link_mails (tenant_id, user_id, link_id, recipient, asked_by)
SELECT tenant_id, id, link_id, email, '' FROM users WHERE tenant_id = $1 AND id = $2;

commit;

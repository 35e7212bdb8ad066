-- Written by: make sql

-- last email with a link

begin;

SELECT set_config('onlyonce.tenant_id', $1::text, true);

SELECT recipient, asked_by, state, reason, COALESCE(sent_at, created_at) FROM link_mails
WHERE tenant_id = $1 AND user_id = $2 AND link_id = $3
ORDER BY id DESC LIMIT 1;

rollback;

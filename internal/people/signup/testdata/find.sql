-- Written by: make sql

-- has link

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT EXISTS (SELECT FROM sign_up_mails WHERE tenant_id = $1 AND sign_up_id = $2 AND link_hash = $3);

-- last link

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id FROM sign_up_mails WHERE tenant_id = $1 AND sign_up_id = $2 ORDER BY created_at DESC LIMIT 1;

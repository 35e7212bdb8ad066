-- Written by: make sql

-- last closed day

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT books_closed($1, '2000-01-01');

-- closing

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'through', r.through, 'reopened_at', r.reopened_at) FROM closings r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

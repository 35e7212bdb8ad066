-- Written by: make sql

-- endpoint

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'address', r.address, 'operations', r.operations, 'created_by', r.created_by, 'disabled_at', r.disabled_at,
	'disabled_reason', NULLIF(r.disabled_reason, '')) FROM endpoints r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

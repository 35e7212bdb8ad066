-- Written by: make sql

-- erasure

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'reason', r.reason, 'customer', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
		WHERE referred.tenant_id = r.tenant_id AND referred.id = r.customer_id)) FROM customer_erasures r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

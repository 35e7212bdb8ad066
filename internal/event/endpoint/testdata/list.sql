-- Written by: make sql

-- deliveries to an endpoint

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'endpoint', (SELECT json_build_object('id', referred.id, 'name', referred.address) FROM endpoints referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.endpoint_id), 'event_id', r.event_id, 'operation', r.operation, 'state', r.state,
		'attempts', r.attempts, 'status', r.status, 'answer', NULLIF(r.answer, ''), 'next_at', r.next_at) AS json FROM deliveries r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.endpoint_id = $3
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;

-- deliveries to an endpoint, next page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'endpoint', (SELECT json_build_object('id', referred.id, 'name', referred.address) FROM endpoints referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.endpoint_id), 'event_id', r.event_id, 'operation', r.operation, 'state', r.state,
		'attempts', r.attempts, 'status', r.status, 'answer', NULLIF(r.answer, ''), 'next_at', r.next_at) AS json FROM deliveries r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.endpoint_id = $3
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;

-- deliveries to an endpoint, previous page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'endpoint', (SELECT json_build_object('id', referred.id, 'name', referred.address) FROM endpoints referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.endpoint_id), 'event_id', r.event_id, 'operation', r.operation, 'state', r.state,
		'attempts', r.attempts, 'status', r.status, 'answer', NULLIF(r.answer, ''), 'next_at', r.next_at) AS json FROM deliveries r
	WHERE r.tenant_id = $1 AND r.id > $2 AND r.endpoint_id = $3
	ORDER BY r.id LIMIT 201) AS page
ORDER BY id LIMIT $4;

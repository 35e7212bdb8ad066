-- Written by: make sql

-- feeds

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'name', r.name) AS json FROM event_feeds r
	WHERE r.tenant_id = $1 AND r.id < $2 AND true
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;

-- feeds, next page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'name', r.name) AS json FROM event_feeds r
	WHERE r.tenant_id = $1 AND r.id < $2 AND true
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;

-- feeds, previous page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'name', r.name) AS json FROM event_feeds r
	WHERE r.tenant_id = $1 AND r.id > $2 AND true
	ORDER BY r.id LIMIT 201) AS page
ORDER BY id LIMIT $3;

-- Written by: make sql

-- logos

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'removed_at', r.removed_at, 'file', (SELECT json_build_object('name', r.file_name, 'type', c.type, 'size', c.size, 'sha256', encode(c.digest, 'hex'))
			FROM file_contents c WHERE c.tenant_id = r.tenant_id AND c.digest = r.file_digest)) AS json FROM logos r
	WHERE r.tenant_id = $1 AND r.id < $2 AND true
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;

-- Written by: make sql

-- imports

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'kind', r.kind,
		'file_name', r.file_name, 'encoding', r.encoding, 'separator', r.separator, 'headings', r.headings, 'columns', r.columns,
		'source', r.source, 'takes_alike', r.takes_alike, 'date_order', r.date_order, 'decimal_sign', r.decimal_sign,
		'rows', r.row_count, 'state', r.state, 'asked_by', r.asked_by,
		'confirmed_at', r.confirmed_at, 'taken_back_at', r.taken_back_at, 'kept', COALESCE((
				SELECT true FROM import_files f WHERE f.tenant_id = r.tenant_id AND f.import_id = r.id), false),
		'done', COALESCE((SELECT sum(created + known + left_out + more) FROM import_chunks c WHERE c.tenant_id = r.tenant_id AND c.import_id = r.id), 0),
		'created', COALESCE((SELECT sum(created) FROM import_chunks c WHERE c.tenant_id = r.tenant_id AND c.import_id = r.id), 0), 'known', COALESCE((SELECT sum(known) FROM import_chunks c WHERE c.tenant_id = r.tenant_id AND c.import_id = r.id), 0), 'left_out', COALESCE((SELECT sum(left_out) FROM import_chunks c WHERE c.tenant_id = r.tenant_id AND c.import_id = r.id), 0)) AS json FROM imports r
	WHERE r.tenant_id = $1 AND r.id < $2 AND true AND r.kind = 'customers'
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;

-- Written by: make sql

-- merges into a customer

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'winner', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.winner_id), 'moved', r.moved, 'undone_at', r.undone_at,
		'losers', (
			SELECT json_agg(json_build_object('id', c.id, 'name', c.name) ORDER BY c.id) FROM unnest(r.loser_ids) AS one (id), LATERAL (
				SELECT c.id, c.name AS name FROM customers c
				WHERE c.tenant_id = r.tenant_id AND c.id = one.id LIMIT 1) AS c)) AS json FROM customer_merges r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.winner_id = $3 AND r.undone_at IS NULL
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;

-- customers of a choice

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', COALESCE(r.email, ''), 'name', r.name, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id, 'contact', r.contact, 'reference', r.reference, 'payment_days', COALESCE(r.payment_days::text, ''), 'copies_to', r.copies_to, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
		'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
			WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
		'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
				SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
		'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) AS json FROM customers r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.id = ANY ($3::uuid[]) AND r.merged_into IS NULL
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;

-- references to customers

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT customer_id, table_name, found FROM count_customer_references($1, $2::uuid[], $3);

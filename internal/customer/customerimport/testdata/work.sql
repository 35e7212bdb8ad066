-- Written by: make sql

-- the job of an import

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'kind', r.kind,
	'file_name', r.file_name, 'encoding', r.encoding, 'separator', r.separator, 'headings', r.headings, 'columns', r.columns,
	'source', r.source, 'takes_alike', r.takes_alike, 'date_order', r.date_order, 'decimal_sign', r.decimal_sign,
	'rows', r.row_count, 'state', r.state, 'asked_by', r.asked_by,
	'confirmed_at', r.confirmed_at, 'taken_back_at', r.taken_back_at, 'kept', COALESCE((
			SELECT true FROM import_files f WHERE f.tenant_id = r.tenant_id AND f.import_id = r.id), false),
	'done', COALESCE((SELECT sum(created + known + left_out + more) FROM import_chunks c WHERE c.tenant_id = r.tenant_id AND c.import_id = r.id), 0),
	'created', COALESCE((SELECT sum(created) FROM import_chunks c WHERE c.tenant_id = r.tenant_id AND c.import_id = r.id), 0), 'known', COALESCE((SELECT sum(known) FROM import_chunks c WHERE c.tenant_id = r.tenant_id AND c.import_id = r.id), 0), 'left_out', COALESCE((SELECT sum(left_out) FROM import_chunks c WHERE c.tenant_id = r.tenant_id AND c.import_id = r.id), 0)) FROM imports r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT substring(content FROM $1::integer FOR $2::integer) FROM import_files
WHERE tenant_id = $3 AND import_id = $4::uuid;

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT substring(content FROM $1::integer FOR $2::integer) FROM import_files
WHERE tenant_id = $3 AND import_id = $4::uuid;

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT i.state, i.asked_by, EXISTS (
	SELECT FROM import_chunks c WHERE c.tenant_id = i.tenant_id AND c.import_id = i.id AND c.line = $1)
FROM imports i WHERE i.tenant_id = $2 AND i.id = $3;

SELECT EXISTS (SELECT FROM api_tokens a WHERE tenant_id = $1 AND name = $2 AND role <> 'read-only' AND a.revoked_at IS NULL AND coalesce(a.expires_at > now(), true));

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH wanted AS MATERIALIZED (
	SELECT n, key, id, lower(email COLLATE "C") AS email, fold_text(name) AS name, fold_text($1) AS source,
	alike_tax_id(tax_id) AS like_tax_id, alike_name(name) AS like_name,
	CASE WHEN email <> '' THEN alike_email(email) ELSE '' END AS like_email
	FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) WITH ORDINALITY
	AS row (key, id, email, name, tax_id, n)
)
SELECT COALESCE(i.outcome::text, ''), COALESCE(c.rank = 1, false), c.json,
COALESCE(a.what, ''), COALESCE(a.id, $7::uuid), COALESCE(a.name, '')
FROM wanted w
LEFT JOIN LATERAL (
	SELECT outcome FROM intents
	WHERE tenant_id = $8 AND operation = 'customer.upsert' AND key = w.key LIMIT 1) AS i ON true
LEFT JOIN LATERAL (
	SELECT r.rank, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', COALESCE(r.email, ''), 'name', r.name, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id, 'contact', r.contact, 'reference', r.reference, 'payment_days', COALESCE(r.payment_days::text, ''), 'copies_to', r.copies_to, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
		'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
			WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
		'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
				SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
		'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) AS json FROM (
		(SELECT 1 AS rank, * FROM customers
			WHERE tenant_id = $8 AND source_folded = w.source AND external_id = w.id LIMIT 1) UNION ALL
		(SELECT 2, * FROM customers
			WHERE tenant_id = $8 AND email_folded = w.email AND name_folded = w.name AND merged_into IS NULL
			LIMIT 1) UNION ALL
		(SELECT 3, * FROM customers
			WHERE tenant_id = $8 AND email_folded = w.email AND name_folded = w.name AND merged_into IS NOT NULL
			LIMIT 1)
	) AS r ORDER BY r.rank LIMIT 1) AS c ON true
LEFT JOIN LATERAL (
	SELECT * FROM (
		(SELECT 1 AS rank, 'tax ID' AS what, id, name, created_at FROM customers
			WHERE tenant_id = $8 AND alike_tax_id = w.like_tax_id AND alike_tax_id <> '' AND merged_into IS NULL
			ORDER BY id LIMIT 1) UNION ALL
		(SELECT 2, 'email', id, name, created_at FROM customers
			WHERE tenant_id = $8 AND alike_email = w.like_email AND merged_into IS NULL
			ORDER BY id LIMIT 1) UNION ALL
		(SELECT 3, 'name', id, name, created_at FROM customers
			WHERE tenant_id = $8 AND alike_name = w.like_name AND alike_name <> '' AND merged_into IS NULL
			AND erased_at IS NULL
			ORDER BY id LIMIT 1)
	) AS a WHERE created_at <= COALESCE($9::timestamptz, created_at) ORDER BY rank LIMIT 1) AS a ON true
ORDER BY w.n;

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT pg_advisory_xact_lock(hashtextextended(concat_ws('/', 'external', $1::text, 'customers',
			fold_text($2::text), $3::text), 0));

SELECT begin_external(
	(SELECT r.external_digest = $1 OR r.merged_into IS NOT NULL FROM customers r WHERE r.tenant_id = $2 AND r.source_folded = fold_text($3::text) AND r.external_id = $4::text), 'customers_external_once');

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, CASE record.id WHEN $7
	THEN tell_repeat(record.id, made.result, $8) ELSE made.result END, now() + $9
FROM (SELECT (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', COALESCE(r.email, ''), 'name', r.name, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id, 'contact', r.contact, 'reference', r.reference, 'payment_days', COALESCE(r.payment_days::text, ''), 'copies_to', r.copies_to, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
			'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
				WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
			'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
					SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
			'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) FROM find_or_create_customer($1, $7, in_email => NULLIF($10, ''), in_name => $11, in_address => $12, in_country => $13, in_tax_id => $14, in_contact => $15, in_reference => $16, in_payment_days => NULLIF($17, '')::integer, in_copies_to => $18, in_same_email => $19,
			in_source => $20::text, in_external_id => $21::text, in_digest => $22::bytea
		) r) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

begin;

SELECT set_config('onlyonce.tenant_id', $1::text, true);

WITH stored AS (
	INSERT INTO import_chunks (tenant_id, import_id, line, created, known, left_out, more)
	VALUES ($1, $2, $3, $4, $5, $6, $7)
	ON CONFLICT DO NOTHING RETURNING tenant_id, import_id
)
INSERT INTO import_problems (tenant_id, import_id, line, problem)
SELECT stored.tenant_id, stored.import_id, p.line, p.problem
FROM stored, unnest($8::integer[], $9::text[]) AS p (line, problem);

commit;

-- Written by: make sql

-- customer_import.upload

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

INSERT INTO imports (
	tenant_id, id, kind, file_name, encoding, separator, headings, headings_digest, row_count, columns, source,
	date_order, decimal_sign)
SELECT $1, $2, $3, $4, $5, $6, $7::text[], $8, $9,
COALESCE(last.columns, $10::text[]), COALESCE(last.source, $11),
COALESCE(last.date_order, ''), COALESCE(last.decimal_sign, '')
FROM (SELECT) AS one LEFT JOIN LATERAL (
	SELECT columns, source, date_order, decimal_sign FROM imports
	WHERE tenant_id = $1 AND kind = $3 AND headings_digest = $8 AND confirmed_at IS NOT NULL
	ORDER BY id DESC LIMIT 1) AS last ON true;

INSERT INTO import_files (tenant_id, import_id, content) VALUES ($1, $2, $3);

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, made.result, now() + $8
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'kind', r.kind,
			'file_name', r.file_name, 'encoding', r.encoding, 'separator', r.separator, 'headings', r.headings, 'columns', r.columns,
			'source', r.source, 'takes_alike', r.takes_alike, 'date_order', r.date_order, 'decimal_sign', r.decimal_sign,
			'rows', r.row_count, 'state', r.state, 'asked_by', r.asked_by,
			'confirmed_at', r.confirmed_at, 'taken_back_at', r.taken_back_at, 'kept', COALESCE((
					SELECT true FROM import_files f WHERE f.tenant_id = r.tenant_id AND f.import_id = r.id), false),
			'done', COALESCE((SELECT sum(created + known + left_out + more) FROM import_chunks c WHERE c.tenant_id = r.tenant_id AND c.import_id = r.id), 0),
			'created', COALESCE((SELECT sum(created) FROM import_chunks c WHERE c.tenant_id = r.tenant_id AND c.import_id = r.id), 0), 'known', COALESCE((SELECT sum(known) FROM import_chunks c WHERE c.tenant_id = r.tenant_id AND c.import_id = r.id), 0), 'left_out', COALESCE((SELECT sum(left_out) FROM import_chunks c WHERE c.tenant_id = r.tenant_id AND c.import_id = r.id), 0)) FROM imports r WHERE r.tenant_id = $1 AND r.id = $7 AND r.kind = 'customers') AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

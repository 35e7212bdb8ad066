-- Written by: make sql

-- customer_import.continue

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM imports r WHERE r.tenant_id = $1 AND r.id = $2 AND r.kind = 'customers' FOR UPDATE;

SELECT begin_change(r.version, $1, r.made, r.record)
FROM (SELECT) AS one LEFT JOIN (
	SELECT r.version, (r.state = 'running') AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'kind', r.kind,
		'file_name', r.file_name, 'encoding', r.encoding, 'separator', r.separator, 'headings', r.headings, 'columns', r.columns,
		'source', r.source, 'takes_alike', r.takes_alike, 'date_order', r.date_order, 'decimal_sign', r.decimal_sign,
		'rows', r.row_count, 'state', r.state, 'asked_by', r.asked_by,
		'confirmed_at', r.confirmed_at, 'taken_back_at', r.taken_back_at, 'kept', COALESCE((
				SELECT true FROM import_files f WHERE f.tenant_id = r.tenant_id AND f.import_id = r.id), false),
		'done', COALESCE((SELECT sum(created + known + left_out + more) FROM import_chunks c WHERE c.tenant_id = r.tenant_id AND c.import_id = r.id), 0),
		'created', COALESCE((SELECT sum(created) FROM import_chunks c WHERE c.tenant_id = r.tenant_id AND c.import_id = r.id), 0), 'known', COALESCE((SELECT sum(known) FROM import_chunks c WHERE c.tenant_id = r.tenant_id AND c.import_id = r.id), 0), 'left_out', COALESCE((SELECT sum(left_out) FROM import_chunks c WHERE c.tenant_id = r.tenant_id AND c.import_id = r.id), 0)) AS record FROM imports r WHERE r.tenant_id = $2 AND r.id = $3 AND r.kind = 'customers') AS r ON true;

SELECT require_rows(CASE WHEN (SELECT state <> 'taken_back' FROM imports WHERE tenant_id = $1 AND id = $2) THEN 1 ELSE 0 END, 1);

WITH changed AS (
	UPDATE imports SET state = 'running', asked_by = $1
	WHERE tenant_id = $2 AND id = $3 AND state = 'stopped' RETURNING 1) SELECT require_rows((SELECT count(*) FROM changed), $4);

INSERT INTO river.river_job (kind, queue, args, max_attempts)
VALUES ('import', 'imports', jsonb_build_object('tenant', $1::uuid, 'import', $2::uuid), 25);

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, changes, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6, $7,
	'changed', made.changes, made.result, now() + $8
FROM (
	SELECT end_change(r.made, r.record) AS changes, r.record AS result
	FROM (SELECT (r.state = 'running') AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'kind', r.kind,
			'file_name', r.file_name, 'encoding', r.encoding, 'separator', r.separator, 'headings', r.headings, 'columns', r.columns,
			'source', r.source, 'takes_alike', r.takes_alike, 'date_order', r.date_order, 'decimal_sign', r.decimal_sign,
			'rows', r.row_count, 'state', r.state, 'asked_by', r.asked_by,
			'confirmed_at', r.confirmed_at, 'taken_back_at', r.taken_back_at, 'kept', COALESCE((
					SELECT true FROM import_files f WHERE f.tenant_id = r.tenant_id AND f.import_id = r.id), false),
			'done', COALESCE((SELECT sum(created + known + left_out + more) FROM import_chunks c WHERE c.tenant_id = r.tenant_id AND c.import_id = r.id), 0),
			'created', COALESCE((SELECT sum(created) FROM import_chunks c WHERE c.tenant_id = r.tenant_id AND c.import_id = r.id), 0), 'known', COALESCE((SELECT sum(known) FROM import_chunks c WHERE c.tenant_id = r.tenant_id AND c.import_id = r.id), 0), 'left_out', COALESCE((SELECT sum(left_out) FROM import_chunks c WHERE c.tenant_id = r.tenant_id AND c.import_id = r.id), 0)) AS record FROM imports r WHERE r.tenant_id = $1 AND r.id = $7 AND r.kind = 'customers' OFFSET 0) AS r
	OFFSET 0) AS made
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- Written by: make sql

-- invoice.keep_apart

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

INSERT INTO invoice_distinct_pairs (tenant_id, one_id, other_id)
SELECT $1, one, other FROM unnest($2::uuid[]) AS one, unnest($2::uuid[]) AS other WHERE one < other
ORDER BY one, other
ON CONFLICT DO NOTHING;

INSERT INTO invoice_distinctions (tenant_id, id, invoice_ids) VALUES ($1, $2, $3::uuid[]);

INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
SELECT $1, id, $2, $3, 'said to be no duplicate'
FROM unnest($4::uuid[]) AS id;

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, made.result, now() + $8
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'invoices', (
				SELECT json_agg(json_build_object('id', c.id, 'name', c.name) ORDER BY c.id) FROM unnest(r.invoice_ids) AS one (id), LATERAL (
					SELECT c.id, c.number AS name FROM invoices c
					WHERE c.tenant_id = r.tenant_id AND c.id = one.id LIMIT 1) AS c)) FROM invoice_distinctions r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

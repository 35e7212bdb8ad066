-- Written by: make sql

-- customer.merge of Ada

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT merge_customers(
	$1, $2, $3, $4::uuid[], $5::integer[], $6, $7, $8);

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, made.result, now() + $8
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'winner', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
				WHERE referred.tenant_id = r.tenant_id AND referred.id = r.winner_id), 'moved', r.moved, 'undone_at', r.undone_at,
			'losers', (
				SELECT json_agg(json_build_object('id', c.id, 'name', c.name) ORDER BY c.id) FROM unnest(r.loser_ids) AS one (id), LATERAL (
					SELECT c.id, c.name AS name FROM customers c
					WHERE c.tenant_id = r.tenant_id AND c.id = one.id LIMIT 1) AS c)) FROM customer_merges r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- customer.merge of Ada King

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT merge_customers(
	$1, $2, $3, $4::uuid[], $5::integer[], $6, $7, $8);

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, made.result, now() + $8
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'winner', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
				WHERE referred.tenant_id = r.tenant_id AND referred.id = r.winner_id), 'moved', r.moved, 'undone_at', r.undone_at,
			'losers', (
				SELECT json_agg(json_build_object('id', c.id, 'name', c.name) ORDER BY c.id) FROM unnest(r.loser_ids) AS one (id), LATERAL (
					SELECT c.id, c.name AS name FROM customers c
					WHERE c.tenant_id = r.tenant_id AND c.id = one.id LIMIT 1) AS c)) FROM customer_merges r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

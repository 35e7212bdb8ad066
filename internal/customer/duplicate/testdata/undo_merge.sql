-- Written by: make sql

-- customer.undo_merge

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM customer_merges r WHERE r.tenant_id = $1 AND r.id = $2 FOR UPDATE;

SELECT begin_change(r.version, $1, r.made, r.record)
FROM (SELECT) AS one LEFT JOIN (
	SELECT r.version, (r.undone_at IS NOT NULL) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'winner', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.winner_id), 'moved', r.moved, 'undone_at', r.undone_at,
		'losers', (
			SELECT json_agg(json_build_object('id', c.id, 'name', c.name) ORDER BY c.id) FROM unnest(r.loser_ids) AS one (id), LATERAL (
				SELECT c.id, c.name AS name FROM customers c
				WHERE c.tenant_id = r.tenant_id AND c.id = one.id LIMIT 1) AS c)) AS record FROM customer_merges r WHERE r.tenant_id = $2 AND r.id = $3) AS r ON true;

SELECT separate_customers($1, $2, $3, $4, $5);

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, changes, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6, $7,
	'changed', made.changes, made.result, now() + $8
FROM (
	SELECT end_change(r.made, r.record) AS changes, r.record AS result
	FROM (SELECT (r.undone_at IS NOT NULL) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'winner', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
				WHERE referred.tenant_id = r.tenant_id AND referred.id = r.winner_id), 'moved', r.moved, 'undone_at', r.undone_at,
			'losers', (
				SELECT json_agg(json_build_object('id', c.id, 'name', c.name) ORDER BY c.id) FROM unnest(r.loser_ids) AS one (id), LATERAL (
					SELECT c.id, c.name AS name FROM customers c
					WHERE c.tenant_id = r.tenant_id AND c.id = one.id LIMIT 1) AS c)) AS record FROM customer_merges r WHERE r.tenant_id = $1 AND r.id = $7 OFFSET 0) AS r
	OFFSET 0) AS made
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- Written by: make sql

-- attempts

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT a.id, json_build_object('id', a.id, 'at', a.at, 'duration', a.duration, 'operation', a.operation, 'key', a.key,
		'outcome', a.outcome, 'record_id', a.record_id, 'actor', a.actor, 'reason', a.reason, 'replica', a.replica) AS attempt, true AS wanted FROM attempts a
	WHERE a.tenant_id = $1 AND a.id < $2 AND true ORDER BY id DESC LIMIT 201
)
SELECT json_build_object(
	'attempts', (SELECT json_agg(attempt ORDER BY id DESC) FROM (
			SELECT id, attempt FROM candidates WHERE wanted ORDER BY id DESC LIMIT $3) AS page),
	'frontier', (SELECT id FROM candidates ORDER BY id DESC OFFSET 201 - 1));

-- attempts with a key

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT a.id, json_build_object('id', a.id, 'at', a.at, 'duration', a.duration, 'operation', a.operation, 'key', a.key,
		'outcome', a.outcome, 'record_id', a.record_id, 'actor', a.actor, 'reason', a.reason, 'replica', a.replica) AS attempt, true AS wanted FROM attempts a
	WHERE a.tenant_id = $1 AND a.id < $2 AND a.key = $3 ORDER BY id DESC LIMIT 201
)
SELECT json_build_object(
	'attempts', (SELECT json_agg(attempt ORDER BY id DESC) FROM (
			SELECT id, attempt FROM candidates WHERE wanted ORDER BY id DESC LIMIT $4) AS page),
	'frontier', (SELECT id FROM candidates ORDER BY id DESC OFFSET 201 - 1));

-- attempts with an outcome of an operation

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT a.id, json_build_object('id', a.id, 'at', a.at, 'duration', a.duration, 'operation', a.operation, 'key', a.key,
		'outcome', a.outcome, 'record_id', a.record_id, 'actor', a.actor, 'reason', a.reason, 'replica', a.replica) AS attempt, true AND a.operation = $1 AS wanted FROM attempts a
	WHERE a.tenant_id = $2 AND a.id < $3 AND a.outcome = $4 ORDER BY id DESC LIMIT 1000
)
SELECT json_build_object(
	'attempts', (SELECT json_agg(attempt ORDER BY id DESC) FROM (
			SELECT id, attempt FROM candidates WHERE wanted ORDER BY id DESC LIMIT $5) AS page),
	'frontier', (SELECT id FROM candidates ORDER BY id DESC OFFSET 1000 - 1));

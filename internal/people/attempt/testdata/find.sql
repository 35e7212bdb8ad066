-- Written by: make sql

-- attempts on a record

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH made AS MATERIALIZED (
	SELECT operation, key FROM (
		SELECT operation, key, outcome FROM intents WHERE tenant_id = $1 AND record_id = $2
		ORDER BY at LIMIT 1) AS first
	WHERE outcome = 'created'
), about AS (
	(SELECT a.id FROM attempts a WHERE a.tenant_id = $1 AND a.record_id = $2 ORDER BY a.id DESC LIMIT 20)
	UNION
	(SELECT a.id FROM made, LATERAL (
			SELECT a.id FROM attempts a WHERE a.tenant_id = $1 AND a.key = made.key AND a.operation = made.operation
			ORDER BY a.id DESC LIMIT 20) AS a)
)
SELECT jsonb_build_object('making', EXISTS (
		SELECT FROM made WHERE made.key = a.key AND made.operation = a.operation)) || json_build_object('id', a.id, 'at', a.at, 'duration', a.duration, 'operation', a.operation, 'key', a.key,
	'outcome', a.outcome, 'record_id', a.record_id, 'actor', a.actor, 'reason', a.reason, 'replica', a.replica)::jsonb
FROM (SELECT id FROM about ORDER BY id DESC LIMIT 20) AS newest, LATERAL (
	SELECT a.id, a.at, a.duration, a.operation, a.key, a.outcome, a.record_id, a.actor, a.reason, a.replica
	FROM attempts a WHERE a.tenant_id = $1 AND a.id = newest.id LIMIT 1) AS a
ORDER BY a.id DESC;

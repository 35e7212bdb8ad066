-- Written by: make sql

-- events

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT last_event($1, $2, $3);

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT n, i.attempt_id, i.record_id, i.operation, i.key, i.outcome, i.actor, i.at, i.changes - 'version', (
	SELECT json_agg(json_build_object('record_id', record_id, 'what', effect) ORDER BY record_id)
	FROM intent_effects e
	WHERE e.tenant_id = i.tenant_id AND e.operation = i.operation AND e.key = i.key)
FROM (
	SELECT n, operation, key FROM events
	WHERE tenant_id = $1 AND n > $2 AND n <= $3
	ORDER BY n LIMIT 201) AS page,
LATERAL (
	SELECT tenant_id, operation, key, attempt_id, record_id, outcome, actor, at, changes FROM intents i
	WHERE i.tenant_id = $1 AND i.operation = page.operation AND i.key = page.key LIMIT 1) AS i
ORDER BY n LIMIT $4;

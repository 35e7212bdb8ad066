-- Written by: make sql

-- webhook_event.apply

begin isolation level read committed;

SELECT set_config('idle_in_transaction_session_timeout', $1, true);

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM webhook_events r WHERE r.tenant_id = $1 AND r.id = $2 FOR UPDATE;

SELECT begin_change(r.version, $1, r.made, r.record)
FROM (SELECT) AS one LEFT JOIN (
	SELECT r.version, (r.state = 'applied') AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'source', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM webhook_sources referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.source_id), 'event_id', r.event_id, 'first_id', r.first_id, 'type', r.type,
		'kind', COALESCE(r.kind, ''), 'invoice', r.invoice, 'reference', r.reference, 'amount', COALESCE(r.amount, 0),
		'currency', r.currency, 'day', r.day, 'problem', r.problem, 'state', r.state, 'reason', r.reason,
		'payment_id', r.payment_id, 'refund_id', r.refund_id,
		'invoice_id', (SELECT p.invoice_id FROM payments p WHERE p.tenant_id = r.tenant_id AND p.id = r.payment_id),
		'like_payment_id', r.possible_duplicate_of) AS record FROM webhook_events r WHERE r.tenant_id = $2 AND r.id = $3) AS r ON true;

SELECT apply_webhook_event($1, $2, NULLIF($3, ''));

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'source', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM webhook_sources referred
		WHERE referred.tenant_id = r.tenant_id AND referred.id = r.source_id), 'event_id', r.event_id, 'first_id', r.first_id, 'type', r.type,
	'kind', COALESCE(r.kind, ''), 'invoice', r.invoice, 'reference', r.reference, 'amount', COALESCE(r.amount, 0),
	'currency', r.currency, 'day', r.day, 'problem', r.problem, 'state', r.state, 'reason', r.reason,
	'payment_id', r.payment_id, 'refund_id', r.refund_id,
	'invoice_id', (SELECT p.invoice_id FROM payments p WHERE p.tenant_id = r.tenant_id AND p.id = r.payment_id),
	'like_payment_id', r.possible_duplicate_of) FROM webhook_events r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
SELECT tenant_id, COALESCE(refund_id, payment_id), $1, $2, 'recorded by an event of a webhook'
FROM webhook_events
WHERE tenant_id = $3 AND id = $4 AND state = 'applied' AND reason = '';

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, changes, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6, $7,
	'changed', made.changes, made.result, now() + $8
FROM (
	SELECT end_change(r.made, r.record) AS changes, $9::json AS result
	FROM (SELECT (r.state = 'applied') AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'source', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM webhook_sources referred
				WHERE referred.tenant_id = r.tenant_id AND referred.id = r.source_id), 'event_id', r.event_id, 'first_id', r.first_id, 'type', r.type,
			'kind', COALESCE(r.kind, ''), 'invoice', r.invoice, 'reference', r.reference, 'amount', COALESCE(r.amount, 0),
			'currency', r.currency, 'day', r.day, 'problem', r.problem, 'state', r.state, 'reason', r.reason,
			'payment_id', r.payment_id, 'refund_id', r.refund_id,
			'invoice_id', (SELECT p.invoice_id FROM payments p WHERE p.tenant_id = r.tenant_id AND p.id = r.payment_id),
			'like_payment_id', r.possible_duplicate_of) AS record FROM webhook_events r WHERE r.tenant_id = $1 AND r.id = $7 OFFSET 0) AS r
	OFFSET 0) AS made
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

commit;

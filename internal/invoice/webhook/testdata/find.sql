-- Written by: make sql

-- event

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'source', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM webhook_sources referred
		WHERE referred.tenant_id = r.tenant_id AND referred.id = r.source_id), 'event_id', r.event_id, 'first_id', r.first_id, 'type', r.type,
	'kind', COALESCE(r.kind, ''), 'invoice', r.invoice, 'reference', r.reference, 'amount', COALESCE(r.amount, 0),
	'currency', r.currency, 'day', r.day, 'problem', r.problem, 'state', r.state, 'reason', r.reason,
	'payment_id', r.payment_id, 'refund_id', r.refund_id,
	'invoice_id', (SELECT p.invoice_id FROM payments p WHERE p.tenant_id = r.tenant_id AND p.id = r.payment_id),
	'like_payment_id', r.possible_duplicate_of) FROM webhook_events r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

-- body of an event

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT body FROM webhook_bodies WHERE tenant_id = $1 AND event_id = $2;

-- source

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'name', r.name, 'scheme', r.scheme, 'provider', r.provider, 'disabled_at', r.disabled_at) FROM webhook_sources r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

-- source by its address

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT t.demo, s.name, s.scheme, ARRAY(
	SELECT sealed FROM webhook_secrets
	WHERE tenant_id = $1 AND source_id = $2 AND ends_at > now())
FROM webhook_sources s JOIN tenants t ON t.id = s.tenant_id
WHERE s.tenant_id = $1 AND s.id = $2 AND s.disabled_at IS NULL;

-- secrets sealed with another key

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, sealed FROM webhook_secrets WHERE tenant_id = $1 AND source_id = $2 AND ends_at > now();

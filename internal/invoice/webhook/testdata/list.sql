-- Written by: make sql

-- events

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'source', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM webhook_sources referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.source_id), 'event_id', r.event_id, 'first_id', r.first_id, 'type', r.type,
		'kind', COALESCE(r.kind, ''), 'invoice', r.invoice, 'reference', r.reference, 'amount', COALESCE(r.amount, 0),
		'currency', r.currency, 'day', r.day, 'problem', r.problem, 'state', r.state, 'reason', r.reason,
		'payment_id', r.payment_id, 'refund_id', r.refund_id,
		'invoice_id', (SELECT p.invoice_id FROM payments p WHERE p.tenant_id = r.tenant_id AND p.id = r.payment_id),
		'like_payment_id', r.possible_duplicate_of) AS json FROM webhook_events r
	WHERE r.tenant_id = $1 AND r.id < $2 AND true
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;

-- events, next page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'source', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM webhook_sources referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.source_id), 'event_id', r.event_id, 'first_id', r.first_id, 'type', r.type,
		'kind', COALESCE(r.kind, ''), 'invoice', r.invoice, 'reference', r.reference, 'amount', COALESCE(r.amount, 0),
		'currency', r.currency, 'day', r.day, 'problem', r.problem, 'state', r.state, 'reason', r.reason,
		'payment_id', r.payment_id, 'refund_id', r.refund_id,
		'invoice_id', (SELECT p.invoice_id FROM payments p WHERE p.tenant_id = r.tenant_id AND p.id = r.payment_id),
		'like_payment_id', r.possible_duplicate_of) AS json FROM webhook_events r
	WHERE r.tenant_id = $1 AND r.id < $2 AND true
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;

-- events, previous page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'source', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM webhook_sources referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.source_id), 'event_id', r.event_id, 'first_id', r.first_id, 'type', r.type,
		'kind', COALESCE(r.kind, ''), 'invoice', r.invoice, 'reference', r.reference, 'amount', COALESCE(r.amount, 0),
		'currency', r.currency, 'day', r.day, 'problem', r.problem, 'state', r.state, 'reason', r.reason,
		'payment_id', r.payment_id, 'refund_id', r.refund_id,
		'invoice_id', (SELECT p.invoice_id FROM payments p WHERE p.tenant_id = r.tenant_id AND p.id = r.payment_id),
		'like_payment_id', r.possible_duplicate_of) AS json FROM webhook_events r
	WHERE r.tenant_id = $1 AND r.id > $2 AND true
	ORDER BY r.id LIMIT 201) AS page
ORDER BY id LIMIT $3;

-- applied events

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'source', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM webhook_sources referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.source_id), 'event_id', r.event_id, 'first_id', r.first_id, 'type', r.type,
		'kind', COALESCE(r.kind, ''), 'invoice', r.invoice, 'reference', r.reference, 'amount', COALESCE(r.amount, 0),
		'currency', r.currency, 'day', r.day, 'problem', r.problem, 'state', r.state, 'reason', r.reason,
		'payment_id', r.payment_id, 'refund_id', r.refund_id,
		'invoice_id', (SELECT p.invoice_id FROM payments p WHERE p.tenant_id = r.tenant_id AND p.id = r.payment_id),
		'like_payment_id', r.possible_duplicate_of) AS json FROM webhook_events r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.state = $3
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;

-- secrets of a source

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'source', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM webhook_sources referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.source_id), 'ends_at', NULLIF(r.ends_at, 'infinity')) AS json FROM webhook_secrets r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.source_id = $3
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;

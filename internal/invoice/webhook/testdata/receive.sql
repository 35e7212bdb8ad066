-- Written by: make sql

-- webhook.receive of a payment

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

INSERT INTO webhook_events (tenant_id, id, source_id, event_id, first_id, digest, type, kind, invoice, reference,
	amount, currency, day, problem, state)
SELECT $1, $2, $3, $4, NULLIF($5::uuid, $6), $7, $8, NULLIF($9, ''),
$10, $11, CASE WHEN whole THEN $12::bigint END, NULLIF($13, ''),
CASE WHEN whole THEN business_day($14::timestamptz) END, $15, $16
FROM (SELECT $9 <> '' AND $15 = '' AS whole) AS of;

INSERT INTO webhook_bodies (tenant_id, event_id, body) VALUES ($1, $2, $3);

SELECT apply_webhook_event($1, $2);

INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
SELECT tenant_id, COALESCE(refund_id, payment_id), $1, $2, 'recorded by an event of a webhook'
FROM webhook_events
WHERE tenant_id = $3 AND id = $4 AND state = 'applied' AND reason = '';

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, made.result, now() + $8
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'source', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM webhook_sources referred
				WHERE referred.tenant_id = r.tenant_id AND referred.id = r.source_id), 'event_id', r.event_id, 'first_id', r.first_id, 'type', r.type,
			'kind', COALESCE(r.kind, ''), 'invoice', r.invoice, 'reference', r.reference, 'amount', COALESCE(r.amount, 0),
			'currency', r.currency, 'day', r.day, 'problem', r.problem, 'state', r.state, 'reason', r.reason,
			'payment_id', r.payment_id, 'refund_id', r.refund_id,
			'invoice_id', (SELECT p.invoice_id FROM payments p WHERE p.tenant_id = r.tenant_id AND p.id = r.payment_id),
			'like_payment_id', r.possible_duplicate_of) FROM webhook_events r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- webhook.receive of a payment of an unknown invoice

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

INSERT INTO webhook_events (tenant_id, id, source_id, event_id, first_id, digest, type, kind, invoice, reference,
	amount, currency, day, problem, state)
SELECT $1, $2, $3, $4, NULLIF($5::uuid, $6), $7, $8, NULLIF($9, ''),
$10, $11, CASE WHEN whole THEN $12::bigint END, NULLIF($13, ''),
CASE WHEN whole THEN business_day($14::timestamptz) END, $15, $16
FROM (SELECT $9 <> '' AND $15 = '' AS whole) AS of;

INSERT INTO webhook_bodies (tenant_id, event_id, body) VALUES ($1, $2, $3);

SELECT apply_webhook_event($1, $2);

INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
SELECT tenant_id, COALESCE(refund_id, payment_id), $1, $2, 'recorded by an event of a webhook'
FROM webhook_events
WHERE tenant_id = $3 AND id = $4 AND state = 'applied' AND reason = '';

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, made.result, now() + $8
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'source', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM webhook_sources referred
				WHERE referred.tenant_id = r.tenant_id AND referred.id = r.source_id), 'event_id', r.event_id, 'first_id', r.first_id, 'type', r.type,
			'kind', COALESCE(r.kind, ''), 'invoice', r.invoice, 'reference', r.reference, 'amount', COALESCE(r.amount, 0),
			'currency', r.currency, 'day', r.day, 'problem', r.problem, 'state', r.state, 'reason', r.reason,
			'payment_id', r.payment_id, 'refund_id', r.refund_id,
			'invoice_id', (SELECT p.invoice_id FROM payments p WHERE p.tenant_id = r.tenant_id AND p.id = r.payment_id),
			'like_payment_id', r.possible_duplicate_of) FROM webhook_events r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- webhook.receive of another unknown invoice

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

INSERT INTO webhook_events (tenant_id, id, source_id, event_id, first_id, digest, type, kind, invoice, reference,
	amount, currency, day, problem, state)
SELECT $1, $2, $3, $4, NULLIF($5::uuid, $6), $7, $8, NULLIF($9, ''),
$10, $11, CASE WHEN whole THEN $12::bigint END, NULLIF($13, ''),
CASE WHEN whole THEN business_day($14::timestamptz) END, $15, $16
FROM (SELECT $9 <> '' AND $15 = '' AS whole) AS of;

INSERT INTO webhook_bodies (tenant_id, event_id, body) VALUES ($1, $2, $3);

SELECT apply_webhook_event($1, $2);

INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
SELECT tenant_id, COALESCE(refund_id, payment_id), $1, $2, 'recorded by an event of a webhook'
FROM webhook_events
WHERE tenant_id = $3 AND id = $4 AND state = 'applied' AND reason = '';

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, made.result, now() + $8
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'source', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM webhook_sources referred
				WHERE referred.tenant_id = r.tenant_id AND referred.id = r.source_id), 'event_id', r.event_id, 'first_id', r.first_id, 'type', r.type,
			'kind', COALESCE(r.kind, ''), 'invoice', r.invoice, 'reference', r.reference, 'amount', COALESCE(r.amount, 0),
			'currency', r.currency, 'day', r.day, 'problem', r.problem, 'state', r.state, 'reason', r.reason,
			'payment_id', r.payment_id, 'refund_id', r.refund_id,
			'invoice_id', (SELECT p.invoice_id FROM payments p WHERE p.tenant_id = r.tenant_id AND p.id = r.payment_id),
			'like_payment_id', r.possible_duplicate_of) FROM webhook_events r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

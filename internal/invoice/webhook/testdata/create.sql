-- Written by: make sql

-- webhook_source.create

begin isolation level read committed;

SELECT set_config('idle_in_transaction_session_timeout', $1, true);

SELECT claim_intent($1, $2, $3, $4);

INSERT INTO webhook_sources (tenant_id, id, name, scheme, named_provider)
VALUES ($1, $2, $3, $4, NULLIF($5, ''));

INSERT INTO webhook_secrets (tenant_id, id, source_id, sealed) VALUES ($1, $2, $3, $4);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'name', r.name, 'scheme', r.scheme, 'provider', r.provider, 'disabled_at', r.disabled_at) FROM webhook_sources r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, made.result, now() + $8
FROM (SELECT $9::json AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

commit;

-- webhook_secret.create

begin isolation level read committed;

SELECT set_config('idle_in_transaction_session_timeout', $1, true);

SELECT claim_intent($1, $2, $3, $4);

INSERT INTO webhook_secrets (tenant_id, id, source_id, sealed) VALUES ($1, $2, $3, $4);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'source', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM webhook_sources referred
		WHERE referred.tenant_id = r.tenant_id AND referred.id = r.source_id), 'ends_at', NULLIF(r.ends_at, 'infinity')) FROM webhook_secrets r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, made.result, now() + $8
FROM (SELECT $9::json AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

commit;

-- Written by: make sql

-- endpoint.add

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

INSERT INTO endpoints (tenant_id, id, address, operations, created_by)
VALUES ($1, $2, $3, $4, $5);

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, made.result, now() + $8
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'address', r.address, 'operations', r.operations, 'created_by', r.created_by, 'disabled_at', r.disabled_at,
			'disabled_reason', NULLIF(r.disabled_reason, '')) FROM endpoints r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- endpoint.add refused: endpoint-taken

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

INSERT INTO endpoints (tenant_id, id, address, operations, created_by)
VALUES ($1, $2, $3, $4, $5); -- fails: endpoints_address_once

COMMIT; -- rolls back

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'address', r.address, 'operations', r.operations, 'created_by', r.created_by, 'disabled_at', r.disabled_at,
	'disabled_reason', NULLIF(r.disabled_reason, '')) FROM endpoints r WHERE r.tenant_id = $1 AND r.address = $2 AND r.disabled_at IS NULL LIMIT 1;

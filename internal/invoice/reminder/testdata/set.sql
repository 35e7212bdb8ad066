-- Written by: make sql

-- reminder_plan.set

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

WITH replaced AS (
	UPDATE reminder_plans SET removed_at = now() WHERE tenant_id = $1 AND settings_id = $1
	RETURNING id
)
INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
SELECT $1, id, $2, $3, 'replaced' FROM replaced;

INSERT INTO reminder_plans (tenant_id, id, first_after, second_after, final_after)
VALUES ($1, $2, $3, NULLIF($4, 0), NULLIF($5, 0));

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, made.result, now() + $8
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'first_after', r.first_after, 'second_after', COALESCE(r.second_after, 0), 'final_after', COALESCE(r.final_after, 0),
			'removed_at', r.removed_at) FROM reminder_plans r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

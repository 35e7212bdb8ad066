-- A result is written once and handed out as it is: json keeps its text, jsonb would take it apart and
-- put it together again for each answer.

-- +goose Up
DROP FUNCTION recall_intent;
ALTER TABLE idempotency_records
    ALTER COLUMN result DROP DEFAULT,
    ALTER COLUMN result TYPE json USING result::json,
    ALTER COLUMN result SET DEFAULT '{}';

-- +goose Down
ALTER TABLE idempotency_records
    ALTER COLUMN result DROP DEFAULT,
    ALTER COLUMN result TYPE jsonb USING result::jsonb,
    ALTER COLUMN result SET DEFAULT '{}';
-- +goose StatementBegin
CREATE FUNCTION recall_intent(in_tenant uuid, in_operation text, in_key text)
RETURNS TABLE (token uuid, fingerprint bytea, result jsonb) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('onlyonce.tenant_id', in_tenant::text, true);
    RETURN QUERY
        SELECT r.token, r.fingerprint::bytea, r.result
        FROM idempotency_records r
        WHERE r.tenant_id = in_tenant AND r.operation = in_operation AND r.key = in_key;
END $$;
-- +goose StatementEnd

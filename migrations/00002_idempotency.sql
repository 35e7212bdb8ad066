-- The idempotency record: one row per (tenant, operation, key), written in the transaction of the
-- work it stands for. An uncommitted row is the whole "in progress" state: others wait on it, and a
-- crash frees it.

-- +goose Up
CREATE TABLE idempotency_records (
    tenant_id   uuid        NOT NULL,
    operation   text        NOT NULL,
    key         text        NOT NULL CHECK (key ~ '^[ -~]+$' AND length(key) <= 255 AND key = btrim(key)),
    fingerprint bytea       NOT NULL CHECK (octet_length(fingerprint) = 32),
    token       uuid        NOT NULL,
    result      jsonb       NOT NULL DEFAULT '{}',
    created_at  timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz NOT NULL,
    CONSTRAINT idempotency_records_pkey PRIMARY KEY (tenant_id, operation, key)
) WITH (fillfactor = 80);
CREATE INDEX idempotency_records_expiry ON idempotency_records (tenant_id, expires_at);

ALTER TABLE idempotency_records ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON idempotency_records USING (tenant_id = current_tenant());

-- claim_intent opens the transaction of an intent: it enters the tenant, bounds every wait for a
-- lock, and inserts the record. If another transaction is just doing the same work, the INSERT waits
-- for it. If the record exists, SQLSTATE OO001 ends the transaction: the work queued behind the
-- claim is not run.
-- +goose StatementBegin
CREATE FUNCTION claim_intent(
    in_tenant uuid, in_operation text, in_key text, in_fingerprint bytea, in_token uuid,
    in_retain interval, in_wait text
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- Under a snapshot older than the winner's commit, the losers could not see what they wait for.
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'intents are claimed under READ COMMITTED' USING ERRCODE = 'OO002';
    END IF;
    PERFORM set_config('onlyonce.tenant_id', in_tenant::text, true),
            set_config('lock_timeout', in_wait, true);
    INSERT INTO idempotency_records (tenant_id, operation, key, fingerprint, token, expires_at)
    VALUES (in_tenant, in_operation, in_key, in_fingerprint, in_token, now() + in_retain)
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'intent already claimed' USING ERRCODE = 'OO001';
    END IF;
END $$;
-- +goose StatementEnd

-- recall_intent reads a record back, as its tenant. The claim's transaction has ended by then.
-- +goose StatementBegin
CREATE FUNCTION recall_intent(in_tenant uuid, in_operation text, in_key text)
RETURNS TABLE (token uuid, fingerprint bytea, result jsonb) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('onlyonce.tenant_id', in_tenant::text, true);
    RETURN QUERY
        SELECT r.token, r.fingerprint, r.result
        FROM idempotency_records r
        WHERE r.tenant_id = in_tenant AND r.operation = in_operation AND r.key = in_key;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION recall_intent;
DROP FUNCTION claim_intent;
DROP TABLE idempotency_records;

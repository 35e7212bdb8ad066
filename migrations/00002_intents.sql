-- One row per intent: the claim on its key, the answer to replay, the key for life, and the audit entry.

-- +goose Up

-- What a value may be, said once. A domain is checked when a value comes in. The CHECKs of a table are read
-- again with each statement, which costs more than checking them.
CREATE DOMAIN idempotency_key AS text
    CHECK (VALUE ~ '^[ -~]+$' AND length(VALUE) <= 255 AND VALUE = btrim(VALUE));
CREATE DOMAIN sha256_digest AS bytea CHECK (octet_length(VALUE) = 32);
CREATE DOMAIN intent_outcome AS text CHECK (VALUE IN ('created', 'reused'));

CREATE TABLE intents (
    tenant_id   uuid            NOT NULL,
    operation   text            NOT NULL,
    key         idempotency_key NOT NULL,
    -- Of the command. The same key with another one is a mismatch, for life.
    fingerprint sha256_digest   NOT NULL,
    -- The attempt that carried the intent out. It tells our own commit, if its answer was lost, from
    -- somebody else's.
    attempt_id  uuid            NOT NULL,
    -- What was created, or found. One that was created has the id of the attempt.
    record_id   uuid            NOT NULL,
    outcome     intent_outcome  NOT NULL,
    actor       text            NOT NULL,
    at          timestamptz     NOT NULL DEFAULT now(),
    -- What the answers are made of. It is erased when its retention ends; the row stays.
    result      json,
    expires_at  timestamptz     NOT NULL,
    CONSTRAINT intents_pkey PRIMARY KEY (tenant_id, operation, key)
);
CREATE INDEX intents_of_record ON intents (tenant_id, record_id, at);
CREATE INDEX intents_results ON intents (tenant_id, expires_at) WHERE result IS NOT NULL;

ALTER TABLE intents ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON intents USING (tenant_id = current_tenant());

-- What an intent did besides its own record, such as a customer who came along with an invoice.
CREATE TABLE intent_effects (
    tenant_id uuid            NOT NULL,
    record_id uuid            NOT NULL,
    operation text            NOT NULL,
    key       idempotency_key NOT NULL,
    effect    text            NOT NULL,
    PRIMARY KEY (tenant_id, record_id, operation, key),
    -- The intent is written last.
    CONSTRAINT intent_effects_intent FOREIGN KEY (tenant_id, operation, key) REFERENCES intents
        DEFERRABLE INITIALLY DEFERRED
);

ALTER TABLE intent_effects ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON intent_effects USING (tenant_id = current_tenant());

-- intent_lock names the lock that an attempt holds until its transaction ends. Keys that share one by
-- chance wait for each other, and that is all.
CREATE FUNCTION intent_lock(in_tenant uuid, in_operation text, in_key text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN hashtextextended(in_tenant::text || '/' || in_operation || '/' || in_key, 0);

-- claim_intent opens the transaction of an intent: it enters the tenant, bounds every wait for a lock,
-- and waits for whoever is carrying out the same intent. If the intent was carried out, SQLSTATE OO001
-- ends the transaction: the work queued behind the claim is not run.
-- +goose StatementBegin
CREATE FUNCTION claim_intent(in_tenant uuid, in_operation text, in_key text, in_wait text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    -- Under a snapshot older than the winner's commit, the losers could not see what they wait for.
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'intents are claimed under READ COMMITTED' USING ERRCODE = 'OO002';
    END IF;
    PERFORM set_config('onlyonce.tenant_id', in_tenant::text, true),
            set_config('lock_timeout', in_wait, true);
    PERFORM pg_advisory_xact_lock(intent_lock(in_tenant, in_operation, in_key));
    IF EXISTS (SELECT FROM intents WHERE tenant_id = in_tenant AND operation = in_operation AND key = in_key) THEN
        RAISE EXCEPTION 'intent already carried out' USING ERRCODE = 'OO001';
    END IF;
END $$;
-- +goose StatementEnd

-- require_rows ends the transaction with SQLSTATE OO003 if a statement changed another number of rows
-- than it had to.
-- +goose StatementBegin
CREATE FUNCTION require_rows(changed bigint, wanted bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF changed <> wanted THEN
        RAISE EXCEPTION 'changed % rows, and had to change %', changed, wanted USING ERRCODE = 'OO003';
    END IF;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION require_rows;
DROP FUNCTION claim_intent;
DROP FUNCTION intent_lock;
DROP TABLE intent_effects, intents;
DROP DOMAIN intent_outcome, sha256_digest, idempotency_key;

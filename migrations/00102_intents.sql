-- One row per intent: the claim on its key, the answer to replay, the key for life, and the audit entry.

-- +goose Up
CREATE DOMAIN idempotency_key AS text
    CHECK (VALUE ~ '^[ -~]+$' AND length(VALUE) <= 255 AND VALUE = btrim(VALUE));
CREATE DOMAIN intent_outcome AS text CHECK (VALUE IN ('created', 'reused', 'changed', 'unchanged'));

CREATE TABLE intents (
    tenant_id   uuid            NOT NULL,
    operation   text            NOT NULL,
    key         idempotency_key NOT NULL,
    -- Of the command. The same key with another one is a mismatch, for life.
    fingerprint sha256_digest   NOT NULL,
    -- The attempt that carried the intent out. It distinguishes our own commit, if its answer was lost, from
    -- somebody else's.
    attempt_id  uuid            NOT NULL,
    -- What was created, found or changed. One that was created has the id of the attempt.
    record_id   uuid            NOT NULL,
    outcome     intent_outcome  NOT NULL,
    actor       text            NOT NULL,
    -- When it was written, under the lock of its record: the order of changes.
    at          timestamptz     NOT NULL DEFAULT clock_timestamp(),
    -- Of a change, for life: {"name": ["Ada", "Ada King"]}, what was and what is, of the fields that differ.
    changes     jsonb,
    -- What the answers are made of. It is erased when its retention ends; the row stays.
    result      json,
    expires_at  timestamptz     NOT NULL,
    CONSTRAINT intents_pkey PRIMARY KEY (tenant_id, operation, key)
);
CREATE INDEX intents_of_record ON intents (tenant_id, record_id, at);
CREATE INDEX intents_results ON intents (tenant_id, expires_at) WHERE result IS NOT NULL;

-- What an intent did besides its own record, such as a customer who came along with a larger record.
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

-- What was created lately, as far as something else may look like a repeat of it: a digest of the fields by which records of the
-- operation look alike, and the last record that has them.
CREATE TABLE likenesses (
    tenant_id  uuid          NOT NULL,
    likeness   sha256_digest NOT NULL,
    record_id  uuid          NOT NULL,
    expires_at timestamptz   NOT NULL,
    PRIMARY KEY (tenant_id, likeness)
);
CREATE INDEX likenesses_expired ON likenesses (tenant_id, expires_at);
ALTER TABLE likenesses ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON likenesses USING (tenant_id = current_tenant());

ALTER TABLE intents ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON intents USING (tenant_id = current_tenant());
ALTER TABLE intent_effects ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON intent_effects USING (tenant_id = current_tenant());

-- What was done stays as it was written: the app adds intents and effects, erases results, and can do nothing else to them.
-- It owns the tables, and so could give itself the right to do more; no statement of it does. To delete some,
-- such as all of a tenant, first give the owner that right: PostgreSQL checks the foreign key between the two as the owner.
REVOKE UPDATE, DELETE, TRUNCATE ON intents, intent_effects FROM CURRENT_USER;
GRANT UPDATE (result) ON intents TO CURRENT_USER;

-- intent_lock returns the number of the lock that an attempt holds until its transaction ends. Keys that share one by
-- chance wait for each other, and that is all.
CREATE FUNCTION intent_lock(in_tenant uuid, in_operation text, in_key text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN hashtextextended(in_tenant::text || '/' || in_operation || '/' || in_key, 0);

-- claim_intent opens the transaction of an intent: it enters the tenant, bounds every wait for a lock, and waits for
-- another attempt that is carrying out the same intent. If the intent was carried out, SQLSTATE OO001 ends the transaction: the work
-- queued behind the claim is not run.
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

-- require_rows ends the transaction with SQLSTATE OO003 if a statement changed another number of rows than it had to.
-- +goose StatementBegin
CREATE FUNCTION require_rows(changed bigint, wanted bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF changed <> wanted THEN
        RAISE EXCEPTION 'changed % rows, and had to change %', changed, wanted USING ERRCODE = 'OO003';
    END IF;
END $$;
-- +goose StatementEnd

-- begin_external looks at the record that has the external id of one that is to be created, if there is one. It ends the
-- transaction with SQLSTATE OO005 if that one came with the same content, and else as the unique constraint of the external
-- id does.
-- +goose StatementBegin
CREATE FUNCTION begin_external(in_same boolean, in_constraint text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF in_same THEN
        RAISE EXCEPTION 'made already' USING ERRCODE = 'OO005';
    ELSIF NOT in_same THEN
        RAISE EXCEPTION 'external id of other content' USING ERRCODE = 'unique_violation', CONSTRAINT = in_constraint;
    END IF;
END $$;
-- +goose StatementEnd

-- begin_change looks at a record that was locked before: its version, whether what is asked for is made already, and its
-- JSON. It ends the transaction with SQLSTATE OO004 if there is no such record, OO005 if it is made already, and OO006,
-- with the version as detail, if it is not the version that was seen. The JSON is kept until the transaction ends, for
-- end_change.
-- +goose StatementBegin
CREATE FUNCTION begin_change(in_version integer, in_seen integer, in_made boolean, in_record json) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF in_version IS NULL THEN
        RAISE EXCEPTION 'no such record' USING ERRCODE = 'OO004';
    ELSIF in_made THEN
        RAISE EXCEPTION 'made already' USING ERRCODE = 'OO005';
    ELSIF in_seen <> 0 AND in_seen <> in_version THEN
        RAISE EXCEPTION 'another version' USING ERRCODE = 'OO006', DETAIL = in_version;
    END IF;
    PERFORM set_config('onlyonce.before', in_record::text, true);
END $$;
-- +goose StatementEnd

-- keep_made is begin_change for what was made already: it ends the transaction with SQLSTATE OO007 if that is not so any
-- more.
-- +goose StatementBegin
CREATE FUNCTION keep_made(in_made boolean, in_record json) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF in_made IS NOT TRUE THEN
        RAISE EXCEPTION 'not made any more' USING ERRCODE = 'OO007';
    END IF;
    PERFORM set_config('onlyonce.before', in_record::text, true);
END $$;
-- +goose StatementEnd

-- end_change returns what a change has changed: the fields that differ, and with them the version. It returns NULL if no other
-- field differs, or if the version is the same: what a record shows besides its own, such as the business of a draft, may change
-- while an operation looks at it, and that is not its change. It ends the transaction with SQLSTATE OO008 if the work has not made what it was to make.
-- +goose StatementBegin
CREATE FUNCTION end_change(in_made boolean, in_record json) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    before jsonb := current_setting('onlyonce.before');
BEGIN
    IF in_made IS NOT TRUE THEN
        RAISE EXCEPTION 'the work has not made the state of its operation' USING ERRCODE = 'OO008';
    ELSIF before->>'version' = in_record->>'version' THEN
        RETURN NULL;
    END IF;
    RETURN (
        SELECT jsonb_object_agg(key, jsonb_build_array(was.value, is_now.value))
        FROM jsonb_each(before) AS was FULL JOIN jsonb_each(in_record::jsonb) AS is_now USING (key)
        WHERE was.value IS DISTINCT FROM is_now.value AND key <> 'version')
        || jsonb_build_object('version', jsonb_build_array(before -> 'version', in_record -> 'version'));
END $$;
-- +goose StatementEnd

-- likenesses_of returns the digests of what a record, as JSON, is like. Each of in_fields has the fields of one likeness, with spaces
-- between; one whose fields are all blank is like no other. They are in one order for all: two records that are alike in two ways do
-- not wait for each other in a circle.
-- +goose StatementBegin
CREATE FUNCTION likenesses_of(in_operation text, in_json jsonb, in_fields text[]) RETURNS bytea[] LANGUAGE plpgsql STABLE AS $$
DECLARE
    fields   text;
    field    text;
    value    jsonb;
    compared text;
    content  text;
    blank    boolean;
    digests  bytea[] := '{}';
BEGIN
    FOREACH fields IN ARRAY in_fields LOOP
        content := in_operation || ' ' || fields;
        blank := true;
        FOREACH field IN ARRAY string_to_array(fields, ' ') LOOP
            value := in_json #> string_to_array(field, '.');
            compared := CASE jsonb_typeof(value) WHEN 'string' THEN fold_text(value #>> '{}') WHEN 'null' THEN NULL ELSE value::text END;
            blank := blank AND COALESCE(compared, '') = '';
            content := content || ' ' || quote_nullable(compared);
        END LOOP;
        IF NOT blank THEN
            digests := digests || sha256(convert_to(content, 'UTF8'));
        END IF;
    END LOOP;
    IF cardinality(digests) > 1 THEN
        digests := ARRAY(SELECT unnest(digests) ORDER BY 1);
    END IF;
    RETURN digests;
END $$;
-- +goose StatementEnd

-- tell_alike notes what a new record is like, and returns its JSON: with possible_duplicate_of, if another one like it was created
-- within the time. If somebody is to be asked then, it ends the transaction with constraint name looks_like_repeat, and the
-- id of the other one and its age in seconds as detail. Of two that arrive together the second waits for the first.
-- +goose StatementBegin
CREATE FUNCTION tell_alike(
    in_tenant uuid, in_operation text, in_record uuid, in_json json, in_fields text[], in_within interval, in_ask boolean
) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
    shown    jsonb := in_json;
    digest   bytea;
    earlier  likenesses;
    repeated uuid;
BEGIN
    FOREACH digest IN ARRAY likenesses_of(in_operation, shown, in_fields) LOOP
        LOOP
            INSERT INTO likenesses VALUES (in_tenant, digest, in_record, clock_timestamp() + in_within) ON CONFLICT DO NOTHING;
            EXIT WHEN FOUND;
            SELECT * INTO earlier FROM likenesses WHERE tenant_id = in_tenant AND likeness = digest FOR UPDATE;
            CONTINUE WHEN NOT FOUND; -- it was over and is deleted
            IF earlier.expires_at > clock_timestamp() THEN
                IF in_ask THEN
                    RAISE EXCEPTION 'looks like a repeat' USING ERRCODE = 'unique_violation', CONSTRAINT = 'looks_like_repeat',
                        DETAIL = earlier.record_id || ' ' ||
                            floor(extract(epoch FROM clock_timestamp() + in_within - earlier.expires_at))::integer;
                END IF;
                repeated := earlier.record_id;
            END IF;
            UPDATE likenesses SET record_id = in_record, expires_at = clock_timestamp() + in_within
            WHERE tenant_id = in_tenant AND likeness = digest;
            EXIT;
        END LOOP;
    END LOOP;
    IF repeated IS NULL THEN
        RETURN in_json;
    END IF;
    RETURN shown || jsonb_build_object('possible_duplicate_of', repeated);
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION tell_alike, likenesses_of, end_change, keep_made, begin_change, begin_external, require_rows, claim_intent, intent_lock;
DROP TABLE likenesses, intent_effects, intents;
DROP DOMAIN intent_outcome, idempotency_key;

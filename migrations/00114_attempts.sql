-- What was tried lately, for people who want to know what became of a click or a request. The intents say what was done, and
-- each of them once; this also has the repeats, and what was refused. It is written in the background, by transactions of its own,
-- so some of it may be missing, and nothing may rely on it.

-- +goose Up
CREATE DOMAIN attempt_outcome AS text CHECK (VALUE IN (
    'created', 'reused', 'changed', 'unchanged', 'replayed', 'conflict', 'mismatch', 'in_progress', 'rejected', 'failed'));

-- It refers to neither intents nor records: most attempts leave no intent, and a foreign key would lock rows that a create
-- may wait for.
CREATE TABLE attempts (
    tenant_id uuid            NOT NULL,
    -- A UUIDv7 of when it ended: the order of ids is the order of ends.
    id        uuid            NOT NULL,
    -- What was created, found or changed, if that is known.
    record_id uuid,
    -- When it ended.
    at        timestamptz     NOT NULL,
    -- In microseconds, waiting included.
    duration  bigint          NOT NULL CHECK (duration >= 0),
    operation text            NOT NULL,
    -- NULL if there was none, or none that could be one.
    key       idempotency_key,
    outcome   attempt_outcome NOT NULL,
    actor     text            NOT NULL,
    -- The name of the problem, such as number-taken; '' if there was none. Never what was typed.
    reason    text            NOT NULL,
    -- Which process of the program it was.
    replica   text            NOT NULL,
    -- Among those of the tenant: how many there are is known without counting. Replicas that write at once give the same places,
    -- so that there may be as many of each replica.
    place     bigint          NOT NULL DEFAULT 0,
    CONSTRAINT attempts_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX attempts_by_key ON attempts (tenant_id, key, id) WHERE key IS NOT NULL;
CREATE INDEX attempts_of_record ON attempts (tenant_id, record_id, id) WHERE record_id IS NOT NULL;
CREATE INDEX attempts_by_outcome ON attempts (tenant_id, outcome, id);

ALTER TABLE attempts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON attempts USING (tenant_id = current_tenant());
-- They are written once, and deleted when they are old.
REVOKE UPDATE, TRUNCATE ON attempts FROM CURRENT_USER;

-- +goose Down
DROP TABLE attempts;
DROP DOMAIN attempt_outcome;

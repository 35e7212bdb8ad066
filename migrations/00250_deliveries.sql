-- Deliveries of events to endpoints. Each is inserted with its event, at COMMIT, and sent afterwards, in the order of the changes of each
-- record.

-- +goose Up
CREATE DOMAIN delivery_state AS text CHECK (VALUE IN ('waiting', 'behind', 'sending', 'delivered', 'failed'));

CREATE TABLE deliveries (
    tenant_id   uuid           NOT NULL,
    id          uuid           NOT NULL DEFAULT new_id(),
    endpoint_id uuid           NOT NULL,
    n           bigint         NOT NULL, -- of the event, without a foreign key, because the app may not lock events
    event_id    uuid           NOT NULL,
    operation   text           NOT NULL,
    record_id   uuid           NOT NULL,
    state       delivery_state NOT NULL DEFAULT 'waiting',
    attempts    integer        NOT NULL DEFAULT 0,
    status      integer, -- of the last answer over HTTP; NULL without one
    answer      text           NOT NULL DEFAULT '', -- the start of its text, or the reason why there is none
    -- The time from which a worker may take it; NULL once it has ended. One that waits behind another of its record is also looked at again,
    -- in case that one was deleted, and one that is being sent, in case its worker died.
    next_at     timestamptz    DEFAULT now(),
    version     record_version NOT NULL DEFAULT 1,
    created_at  timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT deliveries_once UNIQUE (tenant_id, endpoint_id, n),
    CONSTRAINT deliveries_ended CHECK ((next_at IS NULL) = (state IN ('delivered', 'failed'))),
    CONSTRAINT deliveries_endpoint FOREIGN KEY (tenant_id, endpoint_id) REFERENCES endpoints (tenant_id, id)
);
CREATE INDEX deliveries_of_endpoint ON deliveries (tenant_id, endpoint_id, id);
CREATE INDEX deliveries_due ON deliveries (tenant_id, endpoint_id, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX deliveries_of_record ON deliveries (tenant_id, endpoint_id, record_id, n) WHERE next_at IS NOT NULL;
CREATE TRIGGER next_version BEFORE UPDATE ON deliveries FOR EACH ROW EXECUTE FUNCTION next_version();
ALTER TABLE deliveries ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON deliveries USING (tenant_id = current_tenant());

-- queue_deliveries inserts a job that sends the due deliveries of an endpoint from a time on. The job has only ids, because row-level
-- security does not protect its table.
-- +goose StatementBegin
CREATE FUNCTION queue_deliveries(in_tenant uuid, in_endpoint uuid, in_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO river.river_job (kind, queue, args, max_attempts, state, scheduled_at)
    VALUES ('deliver', 'deliveries', jsonb_build_object('tenant', in_tenant, 'endpoint', in_endpoint), 25,
        CASE WHEN in_at > now() THEN 'scheduled'::river.river_job_state ELSE 'available' END, in_at);
END $$;

CREATE FUNCTION queue_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM queue_deliveries(NEW.tenant_id, NEW.endpoint_id, NEW.next_at);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER queue_delivery AFTER INSERT OR UPDATE ON deliveries FOR EACH ROW WHEN (NEW.state = 'waiting') EXECUTE FUNCTION queue_delivery();

-- note_event also inserts the deliveries of the event.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    noted bigint;
BEGIN
    IF EXISTS (SELECT FROM tenants WHERE id = NEW.tenant_id AND events_since IS NOT NULL) THEN
        PERFORM pg_advisory_xact_lock_shared(events_lock(NEW.tenant_id));
        INSERT INTO events (tenant_id, operation, key) VALUES (NEW.tenant_id, NEW.operation, NEW.key) RETURNING n INTO noted;
        INSERT INTO deliveries (tenant_id, endpoint_id, n, event_id, operation, record_id)
        SELECT tenant_id, id, noted, NEW.attempt_id, NEW.operation, NEW.record_id FROM endpoints
        WHERE tenant_id = NEW.tenant_id AND slot BETWEEN 1 AND 5 AND (operations = '' OR EXISTS (
            SELECT FROM string_to_table(operations, ' ') AS beginning WHERE starts_with(NEW.operation, beginning)));
    END IF;
    RETURN NULL;
END $$;

-- claim_delivery takes the next delivery that is due for an endpoint that is on, for the time of a lease, and returns it. It returns NULL
-- if there is none, or if in_most are being sent already. It puts one that is due too early behind the earlier one of its record, whose
-- end wakes it. Both happen while the endpoint is locked, so none is left behind.
CREATE FUNCTION claim_delivery(in_tenant uuid, in_endpoint uuid, in_lease interval, in_most integer) RETURNS deliveries
LANGUAGE plpgsql AS $$
DECLARE
    due deliveries;
BEGIN
    PERFORM FROM endpoints WHERE tenant_id = in_tenant AND id = in_endpoint AND slot BETWEEN 1 AND 5 FOR NO KEY UPDATE;
    IF NOT FOUND OR in_most <= (
        SELECT count(*) FROM deliveries
        WHERE tenant_id = in_tenant AND endpoint_id = in_endpoint AND next_at > now() AND state = 'sending') THEN
        RETURN NULL;
    END IF;
    LOOP
        SELECT * INTO due FROM deliveries
        WHERE tenant_id = in_tenant AND endpoint_id = in_endpoint AND next_at <= clock_timestamp()
        ORDER BY next_at LIMIT 1 FOR UPDATE;
        IF NOT FOUND THEN
            RETURN NULL;
        ELSIF EXISTS (
            SELECT FROM deliveries
            WHERE tenant_id = in_tenant AND endpoint_id = in_endpoint AND record_id = due.record_id AND n < due.n AND next_at IS NOT NULL) THEN
            UPDATE deliveries SET state = 'behind', next_at = clock_timestamp() + interval '1 hour'
            WHERE tenant_id = in_tenant AND id = due.id;
        ELSE
            UPDATE deliveries SET state = 'sending', attempts = attempts + 1, next_at = clock_timestamp() + in_lease
            WHERE tenant_id = in_tenant AND id = due.id
            RETURNING * INTO due;
            RETURN due;
        END IF;
    END LOOP;
END $$;

-- end_delivery stores the outcome of an attempt, unless its lease has ended and another worker has taken the delivery since: in_version is
-- the version that claim_delivery has returned. With in_wait it is tried again. Otherwise it has ended, which wakes the next one of its
-- record. A reason in in_off switches the endpoint off.
CREATE FUNCTION end_delivery(
    in_tenant uuid, in_id uuid, in_version integer, in_state text, in_status integer, in_answer text, in_wait interval, in_off text
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    ended deliveries;
BEGIN
    SELECT * INTO ended FROM deliveries WHERE tenant_id = in_tenant AND id = in_id;
    PERFORM FROM endpoints WHERE tenant_id = in_tenant AND id = ended.endpoint_id FOR NO KEY UPDATE;
    UPDATE deliveries SET state = in_state, status = in_status, answer = in_answer, next_at = clock_timestamp() + in_wait
    WHERE tenant_id = in_tenant AND id = in_id AND version = in_version;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF in_wait IS NULL THEN
        UPDATE deliveries SET state = 'waiting', next_at = now()
        WHERE tenant_id = in_tenant AND state = 'behind' AND id = (
            SELECT id FROM deliveries
            WHERE tenant_id = in_tenant AND endpoint_id = ended.endpoint_id AND record_id = ended.record_id AND next_at IS NOT NULL
            ORDER BY n LIMIT 1);
    END IF;
    IF in_off <> '' THEN
        UPDATE endpoints SET disabled_at = now(), disabled_reason = in_off
        WHERE tenant_id = in_tenant AND id = ended.endpoint_id AND slot BETWEEN 1 AND 5;
    END IF;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM tenants WHERE id = NEW.tenant_id AND events_since IS NOT NULL) THEN
        PERFORM pg_advisory_xact_lock_shared(events_lock(NEW.tenant_id));
        INSERT INTO events (tenant_id, operation, key) VALUES (NEW.tenant_id, NEW.operation, NEW.key);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP FUNCTION end_delivery, claim_delivery;
DROP TABLE deliveries;
DROP FUNCTION queue_delivery, queue_deliveries;
DROP DOMAIN delivery_state;

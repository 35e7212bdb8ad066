-- The event feed: what was created or changed, in an order in which nothing appears later behind what a program has read.

-- +goose Up
-- Events are recorded for a tenant with a feed.
CREATE TABLE event_feeds (
    tenant_id  uuid           NOT NULL REFERENCES tenants,
    id         uuid           NOT NULL,
    name       text           NOT NULL CHECK (name <> '' AND length(name) <= 100), -- of the program that reads it
    version    record_version NOT NULL DEFAULT 1,
    created_at timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE TRIGGER next_version BEFORE UPDATE ON event_feeds FOR EACH ROW EXECUTE FUNCTION next_version();
ALTER TABLE event_feeds ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON event_feeds USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON event_feeds FROM CURRENT_USER; -- replays rely on it

-- Since the first feed, or NULL.
ALTER TABLE tenants ADD events_since timestamptz;
-- +goose StatementBegin
CREATE FUNCTION begin_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE tenants SET events_since = NEW.created_at WHERE id = NEW.tenant_id AND events_since IS NULL;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER begin_events AFTER INSERT ON event_feeds FOR EACH ROW EXECUTE FUNCTION begin_events();

-- Append-only, like intents. It has gaps: transactions that were rolled back, and events of other tenants.
CREATE TABLE events (
    tenant_id uuid            NOT NULL,
    n         bigint          NOT NULL GENERATED ALWAYS AS IDENTITY,
    operation text            COLLATE "C" NOT NULL,
    key       idempotency_key COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, n),
    CONSTRAINT events_intent FOREIGN KEY (tenant_id, operation, key) REFERENCES intents
);
ALTER TABLE events ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON events USING (tenant_id = current_tenant());
REVOKE UPDATE, DELETE, TRUNCATE ON events FROM CURRENT_USER;

-- An event has the effects of its intent.
CREATE INDEX intent_effects_of_intent ON intent_effects (tenant_id, operation, key);

-- events_lock returns the number of the lock that transactions share while they number their events.
CREATE FUNCTION events_lock(in_tenant uuid) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN intent_lock(in_tenant, 'events', '');

-- note_event records the event of an intent. It runs at COMMIT: the record is still locked, so its events are numbered in the order of its
-- changes, and nothing but the end of the transaction comes between the lock and its release.
-- +goose StatementBegin
CREATE FUNCTION note_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM tenants WHERE id = NEW.tenant_id AND events_since IS NOT NULL) THEN
        PERFORM pg_advisory_xact_lock_shared(events_lock(NEW.tenant_id));
        INSERT INTO events (tenant_id, operation, key) VALUES (NEW.tenant_id, NEW.operation, NEW.key);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE CONSTRAINT TRIGGER note_event AFTER INSERT ON intents DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.outcome IN ('created', 'changed')) EXECUTE FUNCTION note_event();

-- last_event returns the number up to which the events of a tenant are complete: every later commit has a higher one. If there are some
-- after in_after, it waits for the transactions that are numbering theirs, for at most 5 seconds. Call it in a transaction without other
-- statements, because those that come meanwhile wait until it ends. It returns NULL unless in_after is 0 or the number of this event: after
-- a backup was restored, it may be that of another one.
-- +goose StatementBegin
CREATE FUNCTION last_event(in_tenant uuid, in_after bigint, in_event uuid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    last bigint := (SELECT max(n) FROM events WHERE tenant_id = in_tenant AND n > in_after);
BEGIN
    IF in_after <> 0 AND NOT EXISTS (
        SELECT FROM events e JOIN intents i USING (tenant_id, operation, key)
        WHERE e.tenant_id = in_tenant AND e.n = in_after AND i.attempt_id = in_event) THEN
        RETURN NULL;
    ELSIF last IS NULL THEN
        RETURN in_after;
    END IF;
    PERFORM set_config('lock_timeout', '5s', true);
    PERFORM pg_advisory_xact_lock(events_lock(in_tenant));
    RETURN (SELECT max(n) FROM events WHERE tenant_id = in_tenant AND n > in_after); -- as of now: each statement has its own snapshot
END $$;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER note_event ON intents;
DROP FUNCTION last_event, note_event, events_lock;
DROP INDEX intent_effects_of_intent;
DROP TABLE events;
ALTER TABLE tenants DROP events_since;
DROP TABLE event_feeds;
DROP FUNCTION begin_events;

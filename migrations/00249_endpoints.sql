-- Endpoints: the addresses of programs to which events are delivered.

-- +goose Up
CREATE TABLE endpoints (
    tenant_id       uuid           NOT NULL REFERENCES tenants,
    id              uuid           NOT NULL,
    address         text           COLLATE "C" NOT NULL CHECK (address ~ '^https?://[!-~]+$' AND length(address) <= 2000),
    -- The beginnings of the operations whose events are delivered, with spaces between them; '' for all.
    operations      text           COLLATE "C" NOT NULL CHECK (length(operations) <= 500),
    -- A tenant has few endpoints that are on, each with its own slot. One that is off has none.
    slot            smallint       CHECK (slot BETWEEN 1 AND 5),
    disabled_at     timestamptz,
    disabled_reason text           NOT NULL DEFAULT '', -- in a sentence; '' if a user switched it off
    version         record_version NOT NULL DEFAULT 1,
    created_at      timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT endpoints_disabled CHECK ((slot IS NULL) = (disabled_at IS NOT NULL))
);
-- Partial, so that an UPDATE doesn't wait for the deliveries that refer to the row.
CREATE UNIQUE INDEX endpoints_slot_once ON endpoints (tenant_id, slot) WHERE slot IS NOT NULL;
CREATE UNIQUE INDEX endpoints_address_once ON endpoints (tenant_id, address) WHERE disabled_at IS NULL;
CREATE TRIGGER next_version BEFORE UPDATE ON endpoints FOR EACH ROW EXECUTE FUNCTION next_version();
ALTER TABLE endpoints ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON endpoints USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON endpoints FROM CURRENT_USER; -- replays rely on it

-- take_slot takes the first free slot for an endpoint that is on, one endpoint of a tenant after the other, or fails with the constraint
-- endpoints_few. It frees the slot of one that is off.
-- +goose StatementBegin
CREATE FUNCTION take_slot() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.disabled_at IS NOT NULL THEN
        NEW.slot := NULL;
    ELSIF NEW.slot IS NULL THEN
        PERFORM pg_advisory_xact_lock(intent_lock(NEW.tenant_id, 'endpoints', ''));
        NEW.slot := (
            SELECT min(free) FROM generate_series(1, 5) AS free
            WHERE NOT EXISTS (SELECT FROM endpoints e WHERE e.tenant_id = NEW.tenant_id AND e.slot = free));
        IF NEW.slot IS NULL THEN
            RAISE EXCEPTION 'the tenant has 5 endpoints' USING ERRCODE = 'check_violation', CONSTRAINT = 'endpoints_few';
        END IF;
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER take_slot BEFORE INSERT OR UPDATE ON endpoints FOR EACH ROW EXECUTE FUNCTION take_slot();

-- The first endpoint begins the events of a tenant, as the first feed does.
CREATE TRIGGER begin_events AFTER INSERT ON endpoints FOR EACH ROW EXECUTE FUNCTION begin_events();

-- +goose Down
DROP TABLE endpoints;
DROP FUNCTION take_slot;

-- Webhooks: who may send events, with which secrets, and what came of each event. What an event asks for is done in the
-- transaction that keeps it, by the functions here, whose constraints are those of payments and refunds.

-- +goose Up
CREATE DOMAIN webhook_scheme AS text CHECK (VALUE IN ('standard', 'stripe'));
CREATE DOMAIN webhook_kind AS text CHECK (VALUE IN ('payment', 'refund'));
CREATE DOMAIN webhook_state AS text CHECK (VALUE IN ('kept', 'applied', 'waiting', 'undecided', 'apart', 'dismissed'));

CREATE TABLE webhook_sources (
    tenant_id   uuid           NOT NULL REFERENCES tenants,
    id          uuid           NOT NULL,
    -- The provider of the payments that its events record.
    name        text           NOT NULL CHECK (name = btrim(name) AND name <> '' AND name !~ '[[:cntrl:]]'),
    name_folded text           COLLATE "C" NOT NULL GENERATED ALWAYS AS (fold_text(name)) STORED,
    scheme      webhook_scheme NOT NULL,
    disabled_at timestamptz,
    version     record_version NOT NULL DEFAULT 1,
    created_at  timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT webhook_sources_name_once UNIQUE (tenant_id, name_folded)
);
CREATE TRIGGER next_version BEFORE UPDATE ON webhook_sources FOR EACH ROW EXECUTE FUNCTION next_version();
-- Payments have its name, by which refunds find them.
CREATE TRIGGER append_only_but_disabled BEFORE UPDATE ON webhook_sources FOR EACH ROW
    WHEN ((OLD.name, OLD.scheme) IS DISTINCT FROM (NEW.name, NEW.scheme)) EXECUTE FUNCTION append_only();

ALTER TABLE webhook_sources ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON webhook_sources USING (tenant_id = current_tenant());

CREATE TABLE webhook_secrets (
    tenant_id  uuid           NOT NULL,
    id         uuid           NOT NULL,
    source_id  uuid           NOT NULL,
    -- Encrypted and authenticated with a key that the database does not have. The same secret of one source is sealed to the
    -- same bytes.
    sealed     bytea          NOT NULL CHECK (octet_length(sealed) > 28),
    ends_at    timestamptz    NOT NULL DEFAULT 'infinity', -- which the newest of the source has
    version    record_version NOT NULL DEFAULT 1,
    created_at timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT webhook_secrets_once UNIQUE (tenant_id, source_id, sealed),
    CONSTRAINT webhook_secrets_source FOREIGN KEY (tenant_id, source_id) REFERENCES webhook_sources (tenant_id, id)
);
CREATE INDEX webhook_secrets_of_source ON webhook_secrets (tenant_id, source_id, id);
CREATE INDEX webhook_secrets_valid ON webhook_secrets (tenant_id, source_id, ends_at);
CREATE TRIGGER next_version BEFORE UPDATE ON webhook_secrets FOR EACH ROW EXECUTE FUNCTION next_version();
ALTER TABLE webhook_secrets ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON webhook_secrets USING (tenant_id = current_tenant());

-- end_older_secrets leaves the secret that was in use valid for a day beside the new one, and ends those before it. The lock
-- makes two new ones come one after the other.
-- +goose StatementBegin
CREATE FUNCTION end_older_secrets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM webhook_sources WHERE tenant_id = NEW.tenant_id AND id = NEW.source_id FOR NO KEY UPDATE;
    UPDATE webhook_secrets SET ends_at = CASE ends_at WHEN 'infinity' THEN now() + interval '24 hours' ELSE now() END
    WHERE tenant_id = NEW.tenant_id AND source_id = NEW.source_id AND ends_at > now();
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER end_older_secrets BEFORE INSERT ON webhook_secrets FOR EACH ROW EXECUTE FUNCTION end_older_secrets();

CREATE TABLE webhook_events (
    tenant_id  uuid           NOT NULL,
    id         uuid           NOT NULL,
    source_id  uuid           NOT NULL,
    event_id   text           NOT NULL CHECK (event_id <> ''), -- as the sender calls it
    -- The event that came first with the same event_id, if this one has another content.
    first_id   uuid,
    digest     sha256_digest  NOT NULL, -- of the content
    type       text           NOT NULL,
    -- What it asks for; NULL if that is nothing we know.
    kind       webhook_kind,
    invoice    text           NOT NULL DEFAULT '', -- its id or number
    reference  text           NOT NULL DEFAULT '', -- what the sender calls the payment
    amount     minor_units, -- of the payment, or how much of it was given back up to now
    currency   currency_code,
    day        date,
    problem    text           NOT NULL DEFAULT '', -- what is missing or wrong in it, in a sentence
    -- What came of it, why, and with which payment and refund.
    state      webhook_state  NOT NULL,
    reason     text           NOT NULL DEFAULT '',
    payment_id uuid,
    refund_id  uuid,
    version    record_version NOT NULL DEFAULT 1,
    created_at timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT webhook_events_whole CHECK (
        kind IS NULL OR problem <> '' OR (reference <> '' AND num_nulls(amount, currency, day) = 0)),
    CONSTRAINT webhook_events_applied CHECK ((state = 'applied') = (payment_id IS NOT NULL)),
    CONSTRAINT webhook_events_source FOREIGN KEY (tenant_id, source_id) REFERENCES webhook_sources (tenant_id, id),
    CONSTRAINT webhook_events_first FOREIGN KEY (tenant_id, first_id) REFERENCES webhook_events (tenant_id, id),
    CONSTRAINT webhook_events_payment FOREIGN KEY (tenant_id, payment_id) REFERENCES payments (tenant_id, id),
    CONSTRAINT webhook_events_refund FOREIGN KEY (tenant_id, refund_id) REFERENCES refunds (tenant_id, id)
);
CREATE UNIQUE INDEX webhook_events_once ON webhook_events (tenant_id, source_id, event_id) WHERE first_id IS NULL;
CREATE UNIQUE INDEX webhook_events_apart_once ON webhook_events (tenant_id, first_id, digest) WHERE first_id IS NOT NULL;
CREATE INDEX webhook_events_by_state ON webhook_events (tenant_id, state, id);
CREATE INDEX webhook_events_waiting ON webhook_events (tenant_id, source_id, reference, id) WHERE state = 'waiting';
CREATE TRIGGER next_version BEFORE UPDATE ON webhook_events FOR EACH ROW EXECUTE FUNCTION next_version();
ALTER TABLE webhook_events ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON webhook_events USING (tenant_id = current_tenant());

-- Of an event nothing changes but what came of it, and not even that once it was applied.
CREATE TRIGGER append_only BEFORE DELETE ON webhook_events FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_but_outcome BEFORE UPDATE ON webhook_events FOR EACH ROW
    WHEN (OLD.state = 'applied' OR
        (OLD.tenant_id, OLD.id, OLD.source_id, OLD.event_id, OLD.first_id, OLD.digest, OLD.type, OLD.kind, OLD.invoice, OLD.reference,
            OLD.amount, OLD.currency, OLD.day, OLD.problem, OLD.created_at)
        IS DISTINCT FROM
        (NEW.tenant_id, NEW.id, NEW.source_id, NEW.event_id, NEW.first_id, NEW.digest, NEW.type, NEW.kind, NEW.invoice, NEW.reference,
            NEW.amount, NEW.currency, NEW.day, NEW.problem, NEW.created_at))
    EXECUTE FUNCTION append_only();

-- The content of an event as it came. It is deleted after some days; the event stays.
CREATE TABLE webhook_bodies (
    tenant_id  uuid        NOT NULL,
    event_id   uuid        NOT NULL,
    body       bytea       NOT NULL CHECK (octet_length(body) <= 262144),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, event_id),
    CONSTRAINT webhook_bodies_event FOREIGN KEY (tenant_id, event_id) REFERENCES webhook_events (tenant_id, id)
);
CREATE INDEX webhook_bodies_by_age ON webhook_bodies (tenant_id, created_at);
ALTER TABLE webhook_bodies ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON webhook_bodies USING (tenant_id = current_tenant());

-- Replays rely on it: see Deletes of idempotency.Spec.
REVOKE DELETE, TRUNCATE ON webhook_sources, webhook_secrets, webhook_events FROM CURRENT_USER;

-- payment_lock returns the number of the lock under which a refund looks for its payment, and a payment for refunds that
-- wait for it: of two that come at once, the second sees the first.
CREATE FUNCTION payment_lock(in_tenant uuid, in_provider text, in_reference text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN hashtextextended(in_tenant::text || '/' || in_provider || '/' || in_reference, 1);

-- invoices_named returns the invoices that a sender may mean: the one with the id, or those with the number, of which each
-- year may have one.
-- +goose StatementBegin
CREATE FUNCTION invoices_named(in_tenant uuid, in_name text) RETURNS SETOF invoices LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF in_name ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN
        RETURN QUERY SELECT * FROM invoices WHERE tenant_id = in_tenant AND id = in_name::uuid;
    ELSE
        RETURN QUERY SELECT * FROM invoices
        WHERE tenant_id = in_tenant AND issue_year = ANY (ARRAY(SELECT generate_series(2000, 2099)))
            AND number_folded = fold_invoice_number(in_name);
    END IF;
END $$;
-- +goose StatementEnd

-- pay_for_event records the payment that an event is about, and returns the event with what came of that. A payment with
-- its reference that is there already is the same one, no matter who recorded it. The lock is that of post_payment, so that what
-- is looked at here stays as it is. It fails with constraint payments_reference_once if somebody records it on another invoice
-- at the same moment.
-- +goose StatementBegin
CREATE FUNCTION pay_for_event(event webhook_events, source webhook_sources) RETURNS webhook_events LANGUAGE plpgsql AS $$
DECLARE
    named  uuid[] := ARRAY(SELECT id FROM invoices_named(event.tenant_id, event.invoice) LIMIT 2);
    billed invoices;
    known  payments;
BEGIN
    event.state := 'undecided';
    IF cardinality(named) <> 1 THEN
        event.reason := CASE cardinality(named) WHEN 0 THEN 'no-invoice' ELSE 'which-invoice' END;
        RETURN event;
    END IF;
    SELECT * INTO billed FROM invoices WHERE tenant_id = event.tenant_id AND id = named[1] FOR UPDATE;
    SELECT * INTO known FROM payments
    WHERE tenant_id = event.tenant_id AND provider_folded = source.name_folded AND reference = event.reference;
    event.reason := CASE
        WHEN billed.currency <> event.currency THEN 'other-currency'
        WHEN known.invoice_id = billed.id AND known.amount = event.amount THEN 'recorded-before'
        WHEN known.id IS NOT NULL THEN 'other-payment'
        WHEN billed.status <> 'issued' THEN 'not-issued'
        WHEN billed.open_amount < event.amount THEN 'more-than-open'
        ELSE '' END;
    IF event.reason = '' THEN
        INSERT INTO payments (tenant_id, id, invoice_id, amount, paid_on, method, provider, reference)
        VALUES (event.tenant_id, new_id(), billed.id, event.amount, event.day,
            CASE source.scheme WHEN 'stripe' THEN 'card' ELSE 'other' END, source.name, event.reference)
        RETURNING * INTO known;
    END IF;
    IF event.reason IN ('', 'recorded-before') THEN
        event.state := 'applied';
        event.payment_id := known.id;
    END IF;
    RETURN event;
END $$;
-- +goose StatementEnd

-- refund_for_event records what an event says was given back of a payment, less what is recorded of that already, and returns
-- the event with what came of it. Without the payment it waits.
-- +goose StatementBegin
CREATE FUNCTION refund_for_event(event webhook_events, source webhook_sources) RETURNS webhook_events LANGUAGE plpgsql AS $$
DECLARE
    paid   payments;
    billed invoices;
BEGIN
    PERFORM pg_advisory_xact_lock(payment_lock(event.tenant_id, source.name_folded, event.reference));
    -- The lock is that of post_refund, so that what was refunded stays as it is.
    SELECT * INTO paid FROM payments
    WHERE tenant_id = event.tenant_id AND provider_folded = source.name_folded AND reference = event.reference
    FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        event.state := 'waiting';
        event.reason := 'no-payment';
        RETURN event;
    END IF;
    SELECT * INTO billed FROM invoices WHERE tenant_id = event.tenant_id AND id = paid.invoice_id;
    event.state := 'undecided';
    event.reason := CASE
        WHEN event.currency <> billed.currency THEN 'other-currency'
        WHEN event.invoice <> '' AND lower(event.invoice) <> billed.id::text
            AND fold_invoice_number(event.invoice) <> billed.number_folded THEN 'other-invoice'
        WHEN paid.removed_at IS NOT NULL THEN 'removed-payment'
        WHEN event.amount > paid.amount THEN 'more-than-paid'
        WHEN event.amount <= paid.refunded THEN 'recorded-before'
        ELSE '' END;
    IF event.reason = '' THEN
        INSERT INTO refunds (tenant_id, id, payment_id, amount, refunded_on)
        VALUES (event.tenant_id, new_id(), paid.id, event.amount - paid.refunded, event.day)
        RETURNING id INTO event.refund_id;
    END IF;
    IF event.reason IN ('', 'recorded-before') THEN
        event.state := 'applied';
        event.payment_id := paid.id;
    END IF;
    RETURN event;
END $$;
-- +goose StatementEnd

-- apply_webhook_event does what an event asks for, unless it was done before or cannot be done, and stores what came of it.
-- +goose StatementBegin
CREATE FUNCTION apply_webhook_event(in_tenant uuid, in_id uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    event  webhook_events;
    source webhook_sources;
BEGIN
    SELECT * INTO STRICT event FROM webhook_events WHERE tenant_id = in_tenant AND id = in_id;
    SELECT * INTO STRICT source FROM webhook_sources WHERE tenant_id = in_tenant AND id = event.source_id;
    IF event.kind IS NULL OR event.state = 'applied' THEN
        RETURN;
    ELSIF event.problem <> '' THEN
        event.state := 'undecided';
        event.reason := 'incomplete';
    ELSIF event.kind = 'payment' THEN
        event := pay_for_event(event, source);
    ELSE
        event := refund_for_event(event, source);
    END IF;
    UPDATE webhook_events
    SET state = event.state, reason = event.reason, payment_id = event.payment_id, refund_id = event.refund_id
    WHERE tenant_id = in_tenant AND id = in_id;
END $$;
-- +goose StatementEnd

-- refund_waiting applies the refunds that came before their payment, in the transaction of the payment, no matter who records it.
-- One that a person decides about at this moment is left to that person; another content of it that comes at this moment does not
-- hold it: that only refers to it.
-- +goose StatementBegin
CREATE FUNCTION refund_waiting() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    waiting uuid;
BEGIN
    PERFORM pg_advisory_xact_lock(payment_lock(NEW.tenant_id, NEW.provider_folded, NEW.reference));
    FOR waiting IN
        SELECT id FROM webhook_events
        WHERE tenant_id = NEW.tenant_id AND reference = NEW.reference AND state = 'waiting' AND source_id = (
            SELECT id FROM webhook_sources WHERE tenant_id = NEW.tenant_id AND name_folded = NEW.provider_folded)
        ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
    LOOP
        PERFORM apply_webhook_event(NEW.tenant_id, waiting);
    END LOOP;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER refund_waiting AFTER INSERT ON payments FOR EACH ROW WHEN (NEW.reference IS NOT NULL) EXECUTE FUNCTION refund_waiting();

-- +goose Down
DROP TRIGGER refund_waiting ON payments;
DROP FUNCTION refund_waiting, apply_webhook_event, refund_for_event, pay_for_event;
DROP FUNCTION invoices_named, payment_lock;
DROP TABLE webhook_bodies, webhook_events, webhook_secrets, webhook_sources;
DROP FUNCTION end_older_secrets;
DROP DOMAIN webhook_state, webhook_kind, webhook_scheme;

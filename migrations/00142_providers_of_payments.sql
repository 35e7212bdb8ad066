-- A payment is the same whichever source of its provider brings it, and whoever enters it. The provider is what the scheme of a source
-- names, or what its owner does, and no longer the name of the source. A payment that was removed leaves its reference to people.
--
-- A payment records the refunds that came before it in its own transaction, so only so many wait for one.

-- +goose Up

-- named_provider is the provider of a source whose scheme names none; NULL for its name.
ALTER TABLE webhook_sources
    ADD COLUMN named_provider text CHECK (named_provider <> ''),
    ADD COLUMN provider text NOT NULL GENERATED ALWAYS AS (
        CASE scheme WHEN 'stripe' THEN 'Stripe' ELSE COALESCE(named_provider, name) END) STORED,
    ADD COLUMN provider_folded text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
        fold_text(CASE scheme WHEN 'stripe' THEN 'Stripe' ELSE COALESCE(named_provider, name) END)) STORED;
CREATE INDEX webhook_sources_of_provider ON webhook_sources (tenant_id, provider_folded);
DROP TRIGGER append_only_but_disabled ON webhook_sources;
CREATE TRIGGER append_only_but_disabled BEFORE UPDATE ON webhook_sources FOR EACH ROW
    WHEN ((OLD.name, OLD.scheme, OLD.named_provider) IS DISTINCT FROM (NEW.name, NEW.scheme, NEW.named_provider))
    EXECUTE FUNCTION append_only();

-- sources_of returns the ids of the sources of a provider.
CREATE FUNCTION sources_of(in_tenant uuid, in_provider_folded text) RETURNS uuid[] LANGUAGE sql STABLE
RETURN ARRAY(SELECT id FROM webhook_sources WHERE tenant_id = in_tenant AND provider_folded = in_provider_folded);

ALTER TABLE payments DROP CONSTRAINT payments_reference_once;
CREATE UNIQUE INDEX payments_reference_once ON payments (tenant_id, provider_folded, reference)
    WHERE removed_at IS NULL AND reference IS NOT NULL;
-- By which events find the payments that were removed, too.
CREATE INDEX payments_by_reference ON payments (tenant_id, provider_folded, reference) WHERE reference IS NOT NULL;

-- The payments of Stripe's sources have the provider Stripe from now on, by which all of these find them. Of those that were recorded
-- twice, one has it, and the others stay as they are.
ALTER TABLE payments NO FORCE ROW LEVEL SECURITY;
ALTER TABLE webhook_sources NO FORCE ROW LEVEL SECURITY;
ALTER TABLE payments DISABLE TRIGGER USER;
UPDATE payments p SET provider = 'Stripe'
FROM (
    SELECT p.tenant_id, p.id, p.removed_at,
        row_number() OVER (PARTITION BY p.tenant_id, p.reference, p.removed_at IS NULL ORDER BY p.provider_folded <> 'stripe', p.id) AS nth
    FROM payments p
    WHERE p.provider_folded = 'stripe' OR EXISTS (
        SELECT FROM webhook_sources s WHERE s.tenant_id = p.tenant_id AND s.name_folded = p.provider_folded AND s.scheme = 'stripe')
) AS known
WHERE p.tenant_id = known.tenant_id AND p.id = known.id AND p.provider_folded <> 'stripe'
    AND (known.nth = 1 OR known.removed_at IS NOT NULL);
ALTER TABLE payments ENABLE TRIGGER USER;
ALTER TABLE payments FORCE ROW LEVEL SECURITY;
ALTER TABLE webhook_sources FORCE ROW LEVEL SECURITY;

-- By which the invoices are found that a payment may be of.
CREATE INDEX invoices_open_by_amount ON invoices (tenant_id, currency COLLATE "C", open_amount, id) WHERE state IN ('issued', 'partially_paid');

-- possible_duplicate_of is the payment that the one looks like which the event recorded.
ALTER TABLE webhook_events
    ADD COLUMN possible_duplicate_of uuid,
    ADD CONSTRAINT webhook_events_possible_duplicate_of FOREIGN KEY (tenant_id, possible_duplicate_of) REFERENCES payments (tenant_id, id);

-- Both versions call apply_webhook_event, and look for a payment in the same way.
DROP FUNCTION apply_webhook_event, pay_for_event, refund_for_event;

-- pay_for_event records the payment that an event is about, and returns the event with what came of that. A payment with its reference
-- that is there already is the same one, no matter who recorded it, and even if it was removed since, unless a person has chosen the
-- invoice. The lock is that of post_payment, so that what is looked at here stays as it is. It fails with constraint
-- payments_reference_once if somebody records it on another invoice at the same moment.
-- +goose StatementBegin
CREATE FUNCTION pay_for_event(event webhook_events, source webhook_sources, in_chosen text) RETURNS webhook_events LANGUAGE plpgsql AS $$
DECLARE
    named  uuid[] := ARRAY(SELECT id FROM invoices_named(event.tenant_id, COALESCE(in_chosen, event.invoice)) LIMIT 2);
    billed invoices;
    known  payments;
BEGIN
    event.state := 'undecided';
    IF COALESCE(in_chosen, event.invoice) = '' THEN -- then the payment that is there already is on the right invoice
        named := ARRAY(
            SELECT invoice_id FROM payments
            WHERE tenant_id = event.tenant_id AND provider_folded = source.provider_folded AND reference = event.reference
                AND amount = event.amount
            ORDER BY removed_at IS NULL DESC LIMIT 1);
    END IF;
    IF cardinality(named) <> 1 THEN
        event.reason := CASE cardinality(named) WHEN 0 THEN 'no-invoice' ELSE 'which-invoice' END;
        RETURN event;
    END IF;
    SELECT * INTO billed FROM invoices WHERE tenant_id = event.tenant_id AND id = named[1] FOR UPDATE;
    SELECT * INTO known FROM payments
    WHERE tenant_id = event.tenant_id AND provider_folded = source.provider_folded AND reference = event.reference
        AND (removed_at IS NULL OR in_chosen IS NULL)
    ORDER BY (invoice_id, amount) = (billed.id, event.amount) DESC, removed_at IS NULL DESC LIMIT 1;
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
            CASE source.scheme WHEN 'stripe' THEN 'card' ELSE 'other' END, source.provider, event.reference)
        RETURNING * INTO known;
        event.possible_duplicate_of := repeats() #>> ARRAY[known.id::text, 'of'];
    END IF;
    IF event.reason IN ('', 'recorded-before') THEN
        event.state := 'applied';
        event.payment_id := known.id;
    END IF;
    RETURN event;
END $$;
-- +goose StatementEnd

CREATE FUNCTION refunds_may_wait() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 50;

-- refund_for_event records what an event says was given back of a payment, less what is recorded of that already, and returns
-- the event with what came of it. Without the payment it waits, unless as many wait as may.
-- +goose StatementBegin
CREATE FUNCTION refund_for_event(event webhook_events, source webhook_sources) RETURNS webhook_events LANGUAGE plpgsql AS $$
DECLARE
    paid   payments;
    billed invoices;
    others integer; -- that wait for the payment
BEGIN
    PERFORM pg_advisory_xact_lock(payment_lock(event.tenant_id, source.provider_folded, event.reference));
    -- The lock is that of post_refund, so that what was refunded stays as it is.
    SELECT * INTO paid FROM payments
    WHERE tenant_id = event.tenant_id AND provider_folded = source.provider_folded AND reference = event.reference
    ORDER BY removed_at IS NULL DESC LIMIT 1
    FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        SELECT count(*) INTO others FROM (
            SELECT FROM webhook_events
            WHERE tenant_id = event.tenant_id AND source_id = ANY (sources_of(event.tenant_id, source.provider_folded))
                AND reference = event.reference AND state = 'waiting' AND id <> event.id
            LIMIT refunds_may_wait()) AS waiting;
        event.state := CASE WHEN others < refunds_may_wait() THEN 'waiting' ELSE 'undecided' END;
        event.reason := CASE WHEN others < refunds_may_wait() THEN 'no-payment' ELSE 'many-waiting' END;
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

-- apply_webhook_event does what an event asks for, unless it was done before or cannot be done, and stores what came of it. in_chosen is
-- the id or number of the invoice that a person has chosen for a payment.
-- +goose StatementBegin
CREATE FUNCTION apply_webhook_event(in_tenant uuid, in_id uuid, in_chosen text DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
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
        event := pay_for_event(event, source, in_chosen);
    ELSE
        event := refund_for_event(event, source);
    END IF;
    UPDATE webhook_events
    SET state = event.state, reason = event.reason, payment_id = event.payment_id, refund_id = event.refund_id,
        possible_duplicate_of = event.possible_duplicate_of
    WHERE tenant_id = in_tenant AND id = in_id;
END $$;
-- +goose StatementEnd

-- refund_waiting applies the refunds that came before their payment, as many as may wait, in the transaction of the payment, no matter
-- who records it. One that a person decides about at this moment is left to that person; another content of it that comes at this
-- moment does not hold it: that only refers to it.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refund_waiting() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    waiting uuid;
BEGIN
    PERFORM pg_advisory_xact_lock(payment_lock(NEW.tenant_id, NEW.provider_folded, NEW.reference));
    FOR waiting IN
        SELECT id FROM webhook_events
        WHERE tenant_id = NEW.tenant_id AND reference = NEW.reference AND state = 'waiting'
            AND source_id = ANY (sources_of(NEW.tenant_id, NEW.provider_folded))
        ORDER BY id LIMIT refunds_may_wait() FOR NO KEY UPDATE SKIP LOCKED
    LOOP
        PERFORM apply_webhook_event(NEW.tenant_id, waiting);
    END LOOP;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION apply_webhook_event, pay_for_event, refund_for_event;
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
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refund_waiting() RETURNS trigger LANGUAGE plpgsql AS $$
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
ALTER TABLE webhook_events DROP COLUMN possible_duplicate_of;
DROP INDEX invoices_open_by_amount;
-- Refunds find the payment of an event by the name of its source again.
ALTER TABLE payments NO FORCE ROW LEVEL SECURITY;
ALTER TABLE webhook_sources NO FORCE ROW LEVEL SECURITY;
ALTER TABLE webhook_events NO FORCE ROW LEVEL SECURITY;
ALTER TABLE payments DISABLE TRIGGER USER;
UPDATE payments p SET provider = s.name
FROM webhook_events e JOIN webhook_sources s ON s.tenant_id = e.tenant_id AND s.id = e.source_id
WHERE e.tenant_id = p.tenant_id AND e.payment_id = p.id AND p.provider_folded = s.provider_folded AND s.provider_folded <> s.name_folded;
ALTER TABLE payments ENABLE TRIGGER USER;
ALTER TABLE payments FORCE ROW LEVEL SECURITY;
ALTER TABLE webhook_sources FORCE ROW LEVEL SECURITY;
ALTER TABLE webhook_events FORCE ROW LEVEL SECURITY;
DROP INDEX payments_by_reference, payments_reference_once;
ALTER TABLE payments ADD CONSTRAINT payments_reference_once UNIQUE (tenant_id, provider_folded, reference);
DROP FUNCTION sources_of, refunds_may_wait;
DROP TRIGGER append_only_but_disabled ON webhook_sources;
CREATE TRIGGER append_only_but_disabled BEFORE UPDATE ON webhook_sources FOR EACH ROW
    WHEN ((OLD.name, OLD.scheme) IS DISTINCT FROM (NEW.name, NEW.scheme)) EXECUTE FUNCTION append_only();
ALTER TABLE webhook_sources DROP COLUMN provider_folded, DROP COLUMN provider, DROP COLUMN named_provider;

-- A payment records the refunds that came before it in its own transaction, so only so many wait for one.

-- +goose Up
CREATE FUNCTION refunds_may_wait() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 50;

-- refund_for_event records what an event says was given back of a payment, less what is recorded of that already, and returns
-- the event with what came of it. Without the payment it waits, unless as many wait as may.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refund_for_event(event webhook_events, source webhook_sources) RETURNS webhook_events LANGUAGE plpgsql AS $$
DECLARE
    paid   payments;
    billed invoices;
    others integer; -- that wait for the payment
BEGIN
    PERFORM pg_advisory_xact_lock(payment_lock(event.tenant_id, source.name_folded, event.reference));
    -- The lock is that of post_refund, so that what was refunded stays as it is.
    SELECT * INTO paid FROM payments
    WHERE tenant_id = event.tenant_id AND provider_folded = source.name_folded AND reference = event.reference
    FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        SELECT count(*) INTO others FROM (
            SELECT FROM webhook_events
            WHERE tenant_id = event.tenant_id AND source_id = event.source_id AND reference = event.reference AND state = 'waiting'
                AND id <> event.id
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
        WHERE tenant_id = NEW.tenant_id AND reference = NEW.reference AND state = 'waiting' AND source_id = (
            SELECT id FROM webhook_sources WHERE tenant_id = NEW.tenant_id AND name_folded = NEW.provider_folded)
        ORDER BY id LIMIT refunds_may_wait() FOR NO KEY UPDATE SKIP LOCKED
    LOOP
        PERFORM apply_webhook_event(NEW.tenant_id, waiting);
    END LOOP;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refund_for_event(event webhook_events, source webhook_sources) RETURNS webhook_events LANGUAGE plpgsql AS $$
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
DROP FUNCTION refunds_may_wait;

-- A refund that was recorded by mistake is removed, once, by another posting. It stays, and counts no more.

-- +goose Up
DROP TRIGGER append_only ON refunds;
DROP INDEX refunds_in_order;
-- The last of the refunds by position, and then by refunded, carries the sum: it was recorded or removed last. position is the version of
-- the payment at that moment; earlier refunds have 0.
ALTER TABLE refunds ADD COLUMN removed_at timestamptz, ADD COLUMN position integer NOT NULL DEFAULT 0;
CREATE INDEX refunds_in_order ON refunds (tenant_id, payment_id, position, refunded);
CREATE TRIGGER append_only BEFORE DELETE ON refunds FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_but_removed BEFORE UPDATE ON refunds FOR EACH ROW
    WHEN (OLD.removed_at IS NOT NULL OR NEW.removed_at IS NULL
        OR (OLD.tenant_id, OLD.id, OLD.payment_id, OLD.invoice_id, OLD.amount, OLD.refunded_on, OLD.created_at)
            IS DISTINCT FROM (NEW.tenant_id, NEW.id, NEW.payment_id, NEW.invoice_id, NEW.amount, NEW.refunded_on, NEW.created_at))
    EXECUTE FUNCTION append_only();
-- What is entered anew is no repeat of what was removed.
CREATE TRIGGER forget_likeness AFTER UPDATE ON refunds FOR EACH ROW WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL)
    EXECUTE FUNCTION forget_likeness('10 minutes', 'payment_id refunded_on amount');
CREATE CONSTRAINT TRIGGER refuse_removal_of_closed AFTER UPDATE OF removed_at ON refunds DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL) EXECUTE FUNCTION refuse_closed('refunded_on');

-- post_refund is unchanged, except for the position.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION post_refund() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    payment payments;
BEGIN
    SELECT * INTO payment FROM payments WHERE tenant_id = NEW.tenant_id AND id = NEW.payment_id FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such payment' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'refunds_payment';
    ELSIF NEW.amount > payment.left_amount THEN
        RAISE EXCEPTION 'more than is left of the payment'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds_within_payment', DETAIL = payment.left_amount;
    END IF;
    PERFORM FROM invoices WHERE tenant_id = NEW.tenant_id AND id = payment.invoice_id FOR UPDATE;
    NEW.invoice_id := payment.invoice_id;
    NEW.refunded := payment.refunded + NEW.amount;
    NEW.position := payment.version;
    NEW.removed_at := NULL;
    INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
    VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'refund', -NEW.amount);
    UPDATE payments SET refunded = NEW.refunded WHERE tenant_id = NEW.tenant_id AND id = NEW.payment_id;
    UPDATE invoices SET paid = paid - NEW.amount WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- post_refund_removal reverses the posting of a refund by another one. The UPDATE of the refund has locked it, and the payment and the
-- invoice are locked behind it, as in post_refund. It fails with constraint refunds_removed_of_issued, or refunds_removed_within_open with
-- the open amount as detail.
-- +goose StatementBegin
CREATE FUNCTION post_refund_removal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    payment payments;
    billed  invoices;
BEGIN
    SELECT * INTO payment FROM payments WHERE tenant_id = NEW.tenant_id AND id = NEW.payment_id FOR NO KEY UPDATE;
    SELECT * INTO billed FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR UPDATE;
    IF billed.status <> 'issued' THEN
        RAISE EXCEPTION 'not issued' USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds_removed_of_issued';
    ELSIF NEW.amount > billed.open_amount THEN
        RAISE EXCEPTION 'more than is open'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds_removed_within_open', DETAIL = billed.open_amount;
    END IF;
    NEW.refunded := payment.refunded - NEW.amount;
    NEW.position := payment.version;
    INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
    VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'removal', NEW.amount);
    UPDATE payments SET refunded = NEW.refunded WHERE tenant_id = NEW.tenant_id AND id = NEW.payment_id;
    UPDATE invoices SET paid = paid + NEW.amount WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER post_refund_removal BEFORE UPDATE ON refunds
    FOR EACH ROW WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL) EXECUTE FUNCTION post_refund_removal();

-- balance_payment is unchanged, except for the order of the refunds.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION balance_payment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    shown  bigint;
    summed bigint;
BEGIN
    SELECT refunded INTO shown FROM payments WHERE tenant_id = NEW.tenant_id AND id = NEW.id;
    SELECT refunded INTO summed FROM refunds WHERE tenant_id = NEW.tenant_id AND payment_id = NEW.id
    ORDER BY position DESC, refunded DESC LIMIT 1;
    IF shown IS DISTINCT FROM COALESCE(summed, 0) THEN
        RAISE EXCEPTION 'refunded is %, and the refunds are %', shown, summed
            USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_balanced';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- stand_refund_removal adds a removed refund to what was paid in its month.
-- +goose StatementBegin
CREATE FUNCTION stand_refund_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_standing(tenant_id, tenant_id, 'paid_month', date_trunc('month', NEW.refunded_on)::date, currency, NEW.amount::bigint, 0)
    FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER stand_refund_removal AFTER UPDATE ON refunds
    FOR EACH ROW WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL) EXECUTE FUNCTION stand_refund_removal();

-- standing_by_the_books is unchanged, except that removed refunds don't count.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION standing_by_the_books()
RETURNS TABLE (tenant_id uuid, of_id uuid, kind text, day date, currency text, amount numeric, invoices bigint) LANGUAGE sql STABLE
AS $$
    SELECT i.tenant_id, owner.of_id, due.kind, due.day, i.currency, sum(i.open_amount), count(*)
    FROM invoices i,
        LATERAL (VALUES (i.tenant_id), (i.customer_id)) AS owner (of_id),
        LATERAL (VALUES ('due_day', i.due_date), ('due_month', date_trunc('month', i.due_date)::date)) AS due (kind, day)
    WHERE i.state IN ('issued', 'partially_paid')
    GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT paid.tenant_id, paid.tenant_id, 'paid_month', date_trunc('month', paid.day)::date, i.currency, sum(paid.amount),
        count(DISTINCT paid.of)
    FROM (
        SELECT p.tenant_id, p.invoice_id, p.paid_on, p.amount::bigint, p.invoice_id FROM payments p WHERE p.removed_at IS NULL
        UNION ALL
        SELECT r.tenant_id, r.invoice_id, r.refunded_on, -r.amount::bigint, NULL FROM refunds r WHERE r.removed_at IS NULL
    ) AS paid (tenant_id, invoice_id, day, amount, of)
    JOIN invoices i ON i.tenant_id = paid.tenant_id AND i.id = paid.invoice_id
    GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT billed.tenant_id, billed.tenant_id, 'billed_month', date_trunc('month', billed.day)::date, billed.currency,
        sum(billed.amount), sum(billed.invoices)::bigint
    FROM (
        SELECT i.tenant_id, i.issue_date, i.currency, i.total::bigint, 1 FROM invoices i WHERE i.state NOT IN ('draft', 'void')
        UNION ALL
        SELECT n.tenant_id, n.issue_date, i.currency, -n.total::bigint, 0
        FROM credit_notes n JOIN invoices i ON i.tenant_id = n.tenant_id AND i.id = n.invoice_id
    ) AS billed (tenant_id, day, currency, amount, invoices)
    GROUP BY 1, 2, 3, 4, 5
$$;
-- +goose StatementEnd

-- refund_for_event is unchanged, except that it leaves a payment to a person if an event's refund of it was removed: the amount of an
-- event includes the refunds before it.
CREATE INDEX webhook_events_of_refund ON webhook_events (tenant_id, refund_id) WHERE refund_id IS NOT NULL;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refund_for_event(event webhook_events, source webhook_sources) RETURNS webhook_events LANGUAGE plpgsql AS $$
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
        WHEN EXISTS (
            SELECT FROM refunds r JOIN webhook_events e ON e.tenant_id = r.tenant_id AND e.refund_id = r.id
            WHERE r.tenant_id = event.tenant_id AND r.payment_id = paid.id AND r.removed_at IS NOT NULL) THEN 'removed-refund'
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

-- +goose Down
-- A removed refund stays in the ledger, with the posting that reverses it.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refund_for_event(event webhook_events, source webhook_sources) RETURNS webhook_events LANGUAGE plpgsql AS $$
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
DROP INDEX webhook_events_of_refund;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION standing_by_the_books()
RETURNS TABLE (tenant_id uuid, of_id uuid, kind text, day date, currency text, amount numeric, invoices bigint) LANGUAGE sql STABLE
AS $$
    SELECT i.tenant_id, owner.of_id, due.kind, due.day, i.currency, sum(i.open_amount), count(*)
    FROM invoices i,
        LATERAL (VALUES (i.tenant_id), (i.customer_id)) AS owner (of_id),
        LATERAL (VALUES ('due_day', i.due_date), ('due_month', date_trunc('month', i.due_date)::date)) AS due (kind, day)
    WHERE i.state IN ('issued', 'partially_paid')
    GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT paid.tenant_id, paid.tenant_id, 'paid_month', date_trunc('month', paid.day)::date, i.currency, sum(paid.amount),
        count(DISTINCT paid.of)
    FROM (
        SELECT p.tenant_id, p.invoice_id, p.paid_on, p.amount::bigint, p.invoice_id FROM payments p WHERE p.removed_at IS NULL
        UNION ALL
        SELECT r.tenant_id, r.invoice_id, r.refunded_on, -r.amount::bigint, NULL FROM refunds r
    ) AS paid (tenant_id, invoice_id, day, amount, of)
    JOIN invoices i ON i.tenant_id = paid.tenant_id AND i.id = paid.invoice_id
    GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT billed.tenant_id, billed.tenant_id, 'billed_month', date_trunc('month', billed.day)::date, billed.currency,
        sum(billed.amount), sum(billed.invoices)::bigint
    FROM (
        SELECT i.tenant_id, i.issue_date, i.currency, i.total::bigint, 1 FROM invoices i WHERE i.state NOT IN ('draft', 'void')
        UNION ALL
        SELECT n.tenant_id, n.issue_date, i.currency, -n.total::bigint, 0
        FROM credit_notes n JOIN invoices i ON i.tenant_id = n.tenant_id AND i.id = n.invoice_id
    ) AS billed (tenant_id, day, currency, amount, invoices)
    GROUP BY 1, 2, 3, 4, 5
$$;
-- +goose StatementEnd
DROP TRIGGER stand_refund_removal ON refunds;
DROP TRIGGER post_refund_removal ON refunds;
DROP TRIGGER refuse_removal_of_closed ON refunds;
DROP TRIGGER forget_likeness ON refunds;
DROP TRIGGER append_only_but_removed ON refunds;
DROP TRIGGER append_only ON refunds;
ALTER TABLE refunds NO FORCE ROW LEVEL SECURITY;
ALTER TABLE refunds DISABLE TRIGGER next_version;
UPDATE refunds f SET refunded = s.refunded
FROM (
    SELECT tenant_id, id, COALESCE(sum(amount) FILTER (WHERE removed_at IS NULL) OVER (
        PARTITION BY tenant_id, payment_id ORDER BY created_at, id), 0) AS refunded
    FROM refunds) AS s
WHERE s.tenant_id = f.tenant_id AND s.id = f.id;
ALTER TABLE refunds ENABLE TRIGGER next_version;
ALTER TABLE refunds FORCE ROW LEVEL SECURITY;
ALTER TABLE refunds DROP COLUMN position, DROP COLUMN removed_at;
CREATE INDEX refunds_in_order ON refunds (tenant_id, payment_id, refunded);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON refunds FOR EACH ROW EXECUTE FUNCTION append_only();
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION balance_payment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    shown  bigint;
    summed bigint;
BEGIN
    SELECT refunded INTO shown FROM payments WHERE tenant_id = NEW.tenant_id AND id = NEW.id;
    SELECT max(refunded) INTO summed FROM refunds WHERE tenant_id = NEW.tenant_id AND payment_id = NEW.id;
    IF shown IS DISTINCT FROM COALESCE(summed, 0) THEN
        RAISE EXCEPTION 'refunded is %, and the refunds are %', shown, summed
            USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_balanced';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION post_refund() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    payment payments;
BEGIN
    SELECT * INTO payment FROM payments WHERE tenant_id = NEW.tenant_id AND id = NEW.payment_id FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such payment' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'refunds_payment';
    ELSIF NEW.amount > payment.left_amount THEN
        RAISE EXCEPTION 'more than is left of the payment'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds_within_payment', DETAIL = payment.left_amount;
    END IF;
    PERFORM FROM invoices WHERE tenant_id = NEW.tenant_id AND id = payment.invoice_id FOR UPDATE;
    NEW.invoice_id := payment.invoice_id;
    NEW.refunded := payment.refunded + NEW.amount;
    INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
    VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'refund', -NEW.amount);
    UPDATE payments SET refunded = NEW.refunded WHERE tenant_id = NEW.tenant_id AND id = NEW.payment_id;
    UPDATE invoices SET paid = paid - NEW.amount WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd
DROP FUNCTION stand_refund_removal, post_refund_removal;

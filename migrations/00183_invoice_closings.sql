-- The books of a tenant can be closed through a day. Then nothing is recorded with that day or an earlier one, until they are reopened.

-- +goose Up
CREATE TABLE closings (
    tenant_id   uuid           NOT NULL REFERENCES tenants,
    id          uuid           NOT NULL,
    through     date           NOT NULL, -- the last closed day
    reopened_at timestamptz,
    version     record_version NOT NULL DEFAULT 1,
    created_at  timestamptz    NOT NULL DEFAULT now(), -- see keep_closings
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT closings_dated CHECK (through BETWEEN '2000-01-01' AND '2099-12-31')
);
CREATE UNIQUE INDEX closings_day_once ON closings (tenant_id, through) WHERE reopened_at IS NULL;
CREATE TRIGGER next_version BEFORE UPDATE ON closings FOR EACH ROW EXECUTE FUNCTION next_version();

ALTER TABLE closings ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON closings USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON closings FROM CURRENT_USER; -- replays rely on it
CREATE TRIGGER append_only BEFORE DELETE ON closings FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_but_reopened BEFORE UPDATE ON closings FOR EACH ROW
    WHEN ((OLD.tenant_id, OLD.id, OLD.through, OLD.created_at, COALESCE(OLD.reopened_at, NEW.reopened_at))
        IS DISTINCT FROM (NEW.tenant_id, NEW.id, NEW.through, NEW.created_at, NEW.reopened_at))
    EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON closings FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- books_lock is the key of the lock of the books: closing and reopening take it alone, and whatever is recorded shares it.
CREATE FUNCTION books_lock(in_tenant uuid) RETURNS bigint LANGUAGE sql IMMUTABLE
RETURN hashtextextended('books/' || in_tenant, 0);

-- books_closed returns the last closed day if a day is closed, or else NULL.
CREATE FUNCTION books_closed(in_tenant uuid, in_day date) RETURNS date LANGUAGE sql STABLE
RETURN (
    SELECT through FROM closings
    WHERE tenant_id = in_tenant AND through >= in_day AND reopened_at IS NULL
    ORDER BY through DESC LIMIT 1);

-- keep_closings refuses a closing of a day that isn't over or behind the last closed one, and reopens the last closing only. created_at is
-- the time since when it holds, after all that was recorded before. It fails with constraint closings_of_past, or closings_in_order with
-- the last closed day as detail.
-- +goose StatementBegin
CREATE FUNCTION keep_closings() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last date;
BEGIN
    PERFORM pg_advisory_xact_lock(books_lock(NEW.tenant_id));
    last := books_closed(NEW.tenant_id, NEW.through);
    IF NEW.through >= (now() AT TIME ZONE 'UTC')::date THEN
        RAISE EXCEPTION 'the day is not over' USING ERRCODE = 'check_violation', CONSTRAINT = 'closings_of_past';
    ELSIF last > NEW.through THEN
        RAISE EXCEPTION 'a later day is closed' USING ERRCODE = 'check_violation', CONSTRAINT = 'closings_in_order', DETAIL = last;
    ELSIF TG_OP = 'INSERT' THEN
        NEW.created_at := clock_timestamp();
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER keep_closings BEFORE INSERT OR UPDATE ON closings FOR EACH ROW EXECUTE FUNCTION keep_closings();

-- refuse_closed refuses a row whose day, in the column of its argument, is closed. It runs at COMMIT, when the transaction has all other
-- locks, so that nobody who shares the lock of the books waits for somebody who waits behind a closing. It fails with constraint
-- books_closed and the last closed day as detail.
-- +goose StatementBegin
CREATE FUNCTION refuse_closed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    closed date;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(books_lock(NEW.tenant_id));
    closed := books_closed(NEW.tenant_id, (to_jsonb(NEW) ->> TG_ARGV[0])::date);
    IF closed IS NOT NULL THEN
        RAISE EXCEPTION 'the books are closed' USING ERRCODE = 'check_violation', CONSTRAINT = 'books_closed', DETAIL = closed;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE CONSTRAINT TRIGGER refuse_closed AFTER UPDATE OF status ON invoices DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.status <> OLD.status AND NEW.issued_at IS NOT NULL) EXECUTE FUNCTION refuse_closed('issue_date'); -- issued, or voided afterwards
CREATE CONSTRAINT TRIGGER refuse_closed AFTER INSERT ON payments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    EXECUTE FUNCTION refuse_closed('paid_on');
CREATE CONSTRAINT TRIGGER refuse_removal_of_closed AFTER UPDATE OF removed_at ON payments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL) EXECUTE FUNCTION refuse_closed('paid_on');
CREATE CONSTRAINT TRIGGER refuse_closed AFTER INSERT ON refunds DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    EXECUTE FUNCTION refuse_closed('refunded_on');
CREATE CONSTRAINT TRIGGER refuse_closed AFTER INSERT ON credit_notes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    EXECUTE FUNCTION refuse_closed('issue_date');
CREATE CONSTRAINT TRIGGER refuse_closed AFTER INSERT ON receipts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    EXECUTE FUNCTION refuse_closed('received_on');
CREATE CONSTRAINT TRIGGER refuse_removal_of_closed AFTER UPDATE OF removed_at ON receipts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL) EXECUTE FUNCTION refuse_closed('received_on');
CREATE CONSTRAINT TRIGGER refuse_closed AFTER INSERT ON repayments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    EXECUTE FUNCTION refuse_closed('repaid_on');
CREATE CONSTRAINT TRIGGER refuse_closed AFTER INSERT ON write_offs DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    EXECUTE FUNCTION refuse_closed('written_off_on');

-- do_for_event does what an event asks for, and returns the event with what came of it.
-- +goose StatementBegin
CREATE FUNCTION do_for_event(event webhook_events, source webhook_sources, in_chosen text) RETURNS webhook_events LANGUAGE plpgsql AS $$
BEGIN
    IF event.kind = 'payment' THEN
        RETURN pay_for_event(event, source, in_chosen);
    END IF;
    RETURN refund_for_event(event, source);
END $$;
-- +goose StatementEnd

-- apply_webhook_event does what an event asks for, unless it was done before or cannot be done, and stores what came of it. What would
-- change closed books is undone, and left to a person. in_chosen is the id or number of the invoice that a person has chosen for a
-- payment.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION apply_webhook_event(in_tenant uuid, in_id uuid, in_chosen text DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    event  webhook_events;
    source webhook_sources;
    tried  webhook_events;
BEGIN
    SELECT * INTO STRICT event FROM webhook_events WHERE tenant_id = in_tenant AND id = in_id;
    SELECT * INTO STRICT source FROM webhook_sources WHERE tenant_id = in_tenant AND id = event.source_id;
    IF event.kind IS NULL OR event.state = 'applied' THEN
        RETURN;
    ELSIF event.problem <> '' THEN
        event.state := 'undecided';
        event.reason := 'incomplete';
    ELSIF books_closed(in_tenant, event.day) IS NULL THEN
        event := do_for_event(event, source, in_chosen);
    ELSE
        BEGIN
            tried := do_for_event(event, source, in_chosen);
            IF tried.reason = '' THEN
                RAISE EXCEPTION 'the books are closed' USING ERRCODE = 'BOOKS';
            END IF;
            event := tried;
        EXCEPTION WHEN SQLSTATE 'BOOKS' THEN
            event.state := 'undecided';
            event.reason := 'books-closed';
        END;
    END IF;
    UPDATE webhook_events
    SET state = event.state, reason = event.reason, payment_id = event.payment_id, refund_id = event.refund_id,
        possible_duplicate_of = event.possible_duplicate_of
    WHERE tenant_id = in_tenant AND id = in_id;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION apply_webhook_event(in_tenant uuid, in_id uuid, in_chosen text DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
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
DROP TRIGGER refuse_closed ON invoices;
DROP TRIGGER refuse_closed ON payments;
DROP TRIGGER refuse_removal_of_closed ON payments;
DROP TRIGGER refuse_closed ON refunds;
DROP TRIGGER refuse_closed ON credit_notes;
DROP TRIGGER refuse_closed ON receipts;
DROP TRIGGER refuse_removal_of_closed ON receipts;
DROP TRIGGER refuse_closed ON repayments;
DROP TRIGGER refuse_closed ON write_offs;
DROP FUNCTION do_for_event, books_closed;
DROP TABLE closings;
DROP FUNCTION refuse_closed, keep_closings, books_lock;

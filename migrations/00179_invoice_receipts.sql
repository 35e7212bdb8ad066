-- Receipts: money that was received from a customer in one transfer. The parts that pay invoices are payments, which are posted as others
-- are. The rest is the customer's credit, until it is allocated or paid back.
--
-- Rows are locked in this order: customers, receipts, invoices by their ids, references. A merge locks customers first, too.

-- +goose Up
CREATE TABLE receipts (
    tenant_id       uuid           NOT NULL,
    id              uuid           NOT NULL,
    customer_id     uuid           NOT NULL,
    currency        currency_code  NOT NULL,
    amount          minor_units    NOT NULL CHECK (amount > 0),
    allocated       minor_units    NOT NULL DEFAULT 0, -- the sum of its payments that were not removed
    repaid          minor_units    NOT NULL DEFAULT 0, -- the sum of its repayments
    removed_at      timestamptz, -- when it was removed, because it was recorded by mistake
    left_amount     minor_units    NOT NULL
        GENERATED ALWAYS AS (CASE WHEN removed_at IS NULL THEN amount - allocated - repaid ELSE 0 END) STORED,
    received_on     date           NOT NULL,
    method          payment_method NOT NULL,
    -- The bank or provider and its reference, as those of payments.
    provider        text           CHECK (provider <> ''),
    provider_folded text           COLLATE "C" GENERATED ALWAYS AS (fold_text(provider)) STORED,
    reference       text           COLLATE "C" CHECK (reference <> ''),
    version         record_version NOT NULL DEFAULT 1,
    created_at      timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT receipts_referenced CHECK ((provider IS NULL) = (reference IS NULL)),
    CONSTRAINT receipts_dated CHECK (received_on BETWEEN '2000-01-01' AND '2099-12-31'),
    CONSTRAINT receipts_customer FOREIGN KEY (tenant_id, customer_id) REFERENCES customers (tenant_id, live_id)
);
CREATE INDEX receipts_of_customer ON receipts (tenant_id, customer_id, id);
CREATE INDEX receipts_by_reference ON receipts (tenant_id, provider_folded, reference) WHERE reference IS NOT NULL;
CREATE INDEX receipts_with_credit ON receipts (tenant_id, customer_id, id) WHERE left_amount > 0;
CREATE TRIGGER next_version BEFORE UPDATE ON receipts FOR EACH ROW EXECUTE FUNCTION next_version();
ALTER TABLE receipts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON receipts USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON receipts FROM CURRENT_USER; -- replays rely on it

-- Of a receipt nothing changes but its sums, that it is removed, once, and its customer by a merge.
CREATE TRIGGER append_only BEFORE DELETE ON receipts FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_but_sums BEFORE UPDATE ON receipts FOR EACH ROW
    WHEN ((OLD.tenant_id, OLD.id, OLD.currency, OLD.amount, OLD.received_on, OLD.method, OLD.provider, OLD.reference, OLD.created_at,
            COALESCE(OLD.removed_at, NEW.removed_at))
        IS DISTINCT FROM
        (NEW.tenant_id, NEW.id, NEW.currency, NEW.amount, NEW.received_on, NEW.method, NEW.provider, NEW.reference, NEW.created_at,
            NEW.removed_at)
        OR OLD.customer_id <> NEW.customer_id
            AND NOT moved_by_merge('receipts', OLD.tenant_id, OLD.id, OLD.customer_id, NEW.customer_id))
    EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON receipts FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- Credit that was paid back to the customer.
CREATE TABLE repayments (
    tenant_id   uuid           NOT NULL,
    id          uuid           NOT NULL,
    receipt_id  uuid           NOT NULL,
    amount      minor_units    NOT NULL CHECK (amount > 0),
    repaid_on   date           NOT NULL,
    -- The sum of the repayments of the receipt up to this one: see repay_receipt.
    repaid      minor_units    NOT NULL,
    version     record_version NOT NULL DEFAULT 1,
    created_at  timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT repayments_dated CHECK (repaid_on BETWEEN '2000-01-01' AND '2099-12-31'),
    CONSTRAINT repayments_receipt FOREIGN KEY (tenant_id, receipt_id) REFERENCES receipts (tenant_id, id)
);
CREATE INDEX repayments_of_receipt ON repayments (tenant_id, receipt_id, id);
CREATE INDEX repayments_in_order ON repayments (tenant_id, receipt_id, repaid);
CREATE TRIGGER next_version BEFORE UPDATE ON repayments FOR EACH ROW EXECUTE FUNCTION next_version();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON repayments FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON repayments FOR EACH STATEMENT EXECUTE FUNCTION append_only();
ALTER TABLE repayments ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON repayments USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON repayments FROM CURRENT_USER;

-- A part of a receipt that pays an invoice is a payment. The reference of the transfer is the receipt's.
ALTER TABLE payments
    ADD COLUMN receipt_id uuid,
    ADD CONSTRAINT payments_receipt FOREIGN KEY (tenant_id, receipt_id) REFERENCES receipts (tenant_id, id),
    ADD CONSTRAINT payments_referenced_once CHECK (receipt_id IS NULL OR reference IS NULL);
CREATE INDEX payments_of_receipt ON payments (tenant_id, receipt_id, id) WHERE receipt_id IS NOT NULL;
DROP TRIGGER append_only_but_refunded ON payments;
CREATE TRIGGER append_only_but_refunded BEFORE UPDATE ON payments FOR EACH ROW
    WHEN ((OLD.tenant_id, OLD.id, OLD.invoice_id, OLD.receipt_id, OLD.amount, OLD.paid_on, OLD.method, OLD.provider, OLD.reference,
            OLD.source, OLD.external_id, OLD.external_digest, OLD.created_at, COALESCE(OLD.removed_at, NEW.removed_at))
        IS DISTINCT FROM
        (NEW.tenant_id, NEW.id, NEW.invoice_id, NEW.receipt_id, NEW.amount, NEW.paid_on, NEW.method, NEW.provider, NEW.reference,
            NEW.source, NEW.external_id, NEW.external_digest, NEW.created_at, NEW.removed_at))
    EXECUTE FUNCTION append_only();
-- A receipt is compared with others as a whole.
DROP TRIGGER note_likeness ON payments;
CREATE TRIGGER note_likeness AFTER INSERT ON payments FOR EACH ROW WHEN (NEW.receipt_id IS NULL)
    EXECUTE FUNCTION note_likeness('10 minutes', 'invoice_id amount paid_on');
CREATE TRIGGER note_likeness AFTER INSERT ON receipts FOR EACH ROW
    EXECUTE FUNCTION note_likeness('10 minutes', 'customer_id currency amount received_on');
CREATE TRIGGER forget_likeness AFTER UPDATE ON receipts FOR EACH ROW WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL)
    EXECUTE FUNCTION forget_likeness('10 minutes', 'customer_id currency amount received_on');
CREATE TRIGGER note_likeness AFTER INSERT ON repayments FOR EACH ROW
    EXECUTE FUNCTION note_likeness('10 minutes', 'receipt_id repaid_on amount');

-- lock_receipt returns a receipt and locks it, behind its customer, which is then neither merged nor separated; all NULL if there is none.
-- +goose StatementBegin
CREATE FUNCTION lock_receipt(in_tenant uuid, in_id uuid) RETURNS receipts LANGUAGE plpgsql AS $$
DECLARE
    owner uuid;
    moved uuid;
    found receipts;
BEGIN
    LOOP
        SELECT customer_id INTO owner FROM receipts WHERE tenant_id = in_tenant AND id = in_id;
        PERFORM FROM customers WHERE tenant_id = in_tenant AND id = owner FOR KEY SHARE;
        SELECT customer_id INTO moved FROM receipts WHERE tenant_id = in_tenant AND id = in_id;
        EXIT WHEN moved IS NOT DISTINCT FROM owner;
    END LOOP;
    SELECT * INTO found FROM receipts WHERE tenant_id = in_tenant AND id = in_id FOR NO KEY UPDATE;
    RETURN found;
END $$;
-- +goose StatementEnd

-- allocate_receipt takes a payment off what is left of its receipt. By its name it comes before post_payment, so that the receipt is
-- locked before the invoice. It fails with constraint payments_receipt, payments_within_receipt with what is left as detail, or
-- payments_of_customer; the hint is the id of the invoice.
-- +goose StatementBegin
CREATE FUNCTION allocate_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    receipt receipts := lock_receipt(NEW.tenant_id, NEW.receipt_id);
    billed  invoices;
BEGIN
    IF receipt.id IS NULL THEN
        RAISE EXCEPTION 'no such receipt' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'payments_receipt';
    ELSIF NEW.amount > receipt.left_amount THEN
        RAISE EXCEPTION 'more than is left of the receipt' USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_within_receipt',
            DETAIL = receipt.left_amount, HINT = NEW.invoice_id;
    END IF;
    SELECT * INTO billed FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR UPDATE;
    IF (billed.customer_id, billed.currency) <> (receipt.customer_id, receipt.currency) THEN
        RAISE EXCEPTION 'another customer or currency'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_of_customer', HINT = NEW.invoice_id;
    END IF;
    UPDATE receipts SET allocated = allocated + NEW.amount WHERE tenant_id = NEW.tenant_id AND id = NEW.receipt_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER allocate_receipt BEFORE INSERT ON payments
    FOR EACH ROW WHEN (NEW.receipt_id IS NOT NULL) EXECUTE FUNCTION allocate_receipt();

-- free_receipt gives a removed payment back to its receipt. By its name it comes before post_removal, which locks the invoice.
-- +goose StatementBegin
CREATE FUNCTION free_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM lock_receipt(NEW.tenant_id, NEW.receipt_id);
    UPDATE receipts SET allocated = allocated - NEW.amount WHERE tenant_id = NEW.tenant_id AND id = NEW.receipt_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER free_receipt BEFORE UPDATE ON payments
    FOR EACH ROW WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL AND NEW.receipt_id IS NOT NULL)
    EXECUTE FUNCTION free_receipt();

-- repay_receipt takes a repayment off what is left of its receipt. It fails with constraint repayments_receipt, or
-- repayments_within_receipt with what is left as detail.
-- +goose StatementBegin
CREATE FUNCTION repay_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    receipt receipts := lock_receipt(NEW.tenant_id, NEW.receipt_id);
BEGIN
    IF receipt.id IS NULL THEN
        RAISE EXCEPTION 'no such receipt' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'repayments_receipt';
    ELSIF NEW.amount > receipt.left_amount THEN
        RAISE EXCEPTION 'more than is left of the receipt' USING ERRCODE = 'check_violation',
            CONSTRAINT = 'repayments_within_receipt', DETAIL = receipt.left_amount;
    END IF;
    NEW.repaid := receipt.repaid + NEW.amount;
    UPDATE receipts SET repaid = NEW.repaid WHERE tenant_id = NEW.tenant_id AND id = NEW.receipt_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER repay_receipt BEFORE INSERT ON repayments FOR EACH ROW EXECUTE FUNCTION repay_receipt();

-- remove_receipt refuses to remove a receipt of which something is allocated or repaid, with constraint receipts_removed_whole.
-- +goose StatementBegin
CREATE FUNCTION remove_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.allocated > 0 OR NEW.repaid > 0 THEN
        RAISE EXCEPTION 'a part of it is used' USING ERRCODE = 'check_violation', CONSTRAINT = 'receipts_removed_whole';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER remove_receipt BEFORE UPDATE ON receipts
    FOR EACH ROW WHEN (NEW.removed_at IS NOT NULL) EXECUTE FUNCTION remove_receipt();

-- balance_receipt compares, at COMMIT, what a receipt shows as allocated and repaid with its payments and its repayments.
-- +goose StatementBegin
CREATE FUNCTION balance_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    shown receipts;
    paid  bigint;
    back  bigint;
BEGIN
    SELECT * INTO shown FROM receipts WHERE tenant_id = NEW.tenant_id AND id = NEW.id;
    SELECT sum(amount) INTO paid FROM payments WHERE tenant_id = NEW.tenant_id AND receipt_id = NEW.id AND removed_at IS NULL;
    SELECT max(repaid) INTO back FROM repayments WHERE tenant_id = NEW.tenant_id AND receipt_id = NEW.id;
    IF (shown.allocated, shown.repaid) IS DISTINCT FROM (COALESCE(paid, 0), COALESCE(back, 0)) THEN
        RAISE EXCEPTION 'allocated is % and repaid %, the payments are % and the repayments %', shown.allocated, shown.repaid, paid, back
            USING ERRCODE = 'check_violation', CONSTRAINT = 'receipts_balanced';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE CONSTRAINT TRIGGER balance_receipt AFTER INSERT OR UPDATE OF allocated, repaid ON receipts
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION balance_receipt();

-- The references of payments and receipts: each names one transfer, until its payment or receipt is removed.
CREATE TABLE payment_references (
    tenant_id       uuid NOT NULL,
    source_id       uuid NOT NULL, -- the payment or the receipt
    provider_folded text COLLATE "C" NOT NULL,
    reference       text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, source_id),
    CONSTRAINT payment_references_once UNIQUE (tenant_id, provider_folded, reference)
);
ALTER TABLE payments NO FORCE ROW LEVEL SECURITY;
INSERT INTO payment_references (tenant_id, source_id, provider_folded, reference)
SELECT tenant_id, id, provider_folded, reference FROM payments WHERE reference IS NOT NULL AND removed_at IS NULL;
ALTER TABLE payments FORCE ROW LEVEL SECURITY;
ALTER TABLE payment_references ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON payment_references USING (tenant_id = current_tenant());

-- +goose StatementBegin
CREATE FUNCTION hold_reference() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO payment_references (tenant_id, source_id, provider_folded, reference)
    VALUES (NEW.tenant_id, NEW.id, NEW.provider_folded, NEW.reference);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER hold_reference AFTER INSERT ON payments
    FOR EACH ROW WHEN (NEW.reference IS NOT NULL) EXECUTE FUNCTION hold_reference();
CREATE TRIGGER hold_reference AFTER INSERT ON receipts
    FOR EACH ROW WHEN (NEW.reference IS NOT NULL) EXECUTE FUNCTION hold_reference();

-- +goose StatementBegin
CREATE FUNCTION free_reference() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM payment_references WHERE tenant_id = NEW.tenant_id AND source_id = NEW.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER free_reference AFTER UPDATE ON payments
    FOR EACH ROW WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL AND NEW.reference IS NOT NULL)
    EXECUTE FUNCTION free_reference();
CREATE TRIGGER free_reference AFTER UPDATE ON receipts
    FOR EACH ROW WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL AND NEW.reference IS NOT NULL)
    EXECUTE FUNCTION free_reference();

-- post_payment is unchanged, except that the hint of its errors is the id of the invoice.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION post_payment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    billed invoices;
BEGIN
    SELECT * INTO billed FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such invoice'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'payments_invoice', HINT = NEW.invoice_id;
    ELSIF billed.status <> 'issued' THEN
        RAISE EXCEPTION 'not issued' USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_of_issued', HINT = NEW.invoice_id;
    ELSIF NEW.amount > billed.open_amount THEN
        RAISE EXCEPTION 'more than is open' USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_within_open',
            DETAIL = billed.open_amount, HINT = NEW.invoice_id;
    END IF;
    NEW.removed_at := NULL;
    INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
    VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'payment', NEW.amount);
    UPDATE invoices SET paid = paid + NEW.amount WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- pay_for_event is unchanged, except that a receipt with the reference is another payment.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION pay_for_event(event webhook_events, source webhook_sources, in_chosen text) RETURNS webhook_events LANGUAGE plpgsql AS $$
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
        WHEN known.id IS NOT NULL OR EXISTS (
            SELECT FROM receipts
            WHERE tenant_id = event.tenant_id AND provider_folded = source.provider_folded AND reference = event.reference
                AND (removed_at IS NULL OR in_chosen IS NULL)) THEN 'other-payment'
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

-- +goose Down
-- What pays invoices stays, as payments without a reference.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION pay_for_event(event webhook_events, source webhook_sources, in_chosen text) RETURNS webhook_events LANGUAGE plpgsql AS $$
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
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION post_payment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    billed invoices;
BEGIN
    SELECT * INTO billed FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such invoice' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'payments_invoice';
    ELSIF billed.status <> 'issued' THEN
        RAISE EXCEPTION 'not issued' USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_of_issued';
    ELSIF NEW.amount > billed.open_amount THEN
        RAISE EXCEPTION 'more than is open'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_within_open', DETAIL = billed.open_amount;
    END IF;
    NEW.removed_at := NULL;
    INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
    VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'payment', NEW.amount);
    UPDATE invoices SET paid = paid + NEW.amount WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd
DROP TRIGGER free_reference ON payments;
DROP TRIGGER hold_reference ON payments;
DROP TRIGGER free_receipt ON payments;
DROP TRIGGER allocate_receipt ON payments;
DROP TRIGGER note_likeness ON payments;
CREATE TRIGGER note_likeness AFTER INSERT ON payments FOR EACH ROW
    EXECUTE FUNCTION note_likeness('10 minutes', 'invoice_id amount paid_on');
DROP TRIGGER append_only_but_refunded ON payments;
ALTER TABLE payments DROP COLUMN receipt_id;
CREATE TRIGGER append_only_but_refunded BEFORE UPDATE ON payments FOR EACH ROW
    WHEN ((OLD.tenant_id, OLD.id, OLD.invoice_id, OLD.amount, OLD.paid_on, OLD.method, OLD.provider, OLD.reference, OLD.source,
            OLD.external_id, OLD.external_digest, OLD.created_at, COALESCE(OLD.removed_at, NEW.removed_at))
        IS DISTINCT FROM
        (NEW.tenant_id, NEW.id, NEW.invoice_id, NEW.amount, NEW.paid_on, NEW.method, NEW.provider, NEW.reference, NEW.source,
            NEW.external_id, NEW.external_digest, NEW.created_at, NEW.removed_at))
    EXECUTE FUNCTION append_only();
DROP FUNCTION lock_receipt;
DROP TABLE payment_references, repayments, receipts;
DROP FUNCTION free_reference, hold_reference, balance_receipt, remove_receipt, repay_receipt, free_receipt, allocate_receipt;

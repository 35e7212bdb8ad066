-- Refunds give back what was paid. Each is posted to the ledger in the transaction that stores it, and never goes beyond
-- what is left of its payment.

-- +goose Up
CREATE TABLE refunds (
    tenant_id   uuid           NOT NULL,
    id          uuid           NOT NULL,
    payment_id  uuid           NOT NULL,
    invoice_id  uuid           NOT NULL, -- of the payment: see post_refund
    amount      minor_units    NOT NULL CHECK (amount > 0),
    refunded_on date           NOT NULL,
    -- The sum of the refunds of the payment up to this one: see post_refund.
    refunded    minor_units    NOT NULL,
    version     record_version NOT NULL DEFAULT 1,
    created_at  timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT refunds_dated CHECK (refunded_on BETWEEN '2000-01-01' AND '2099-12-31'),
    CONSTRAINT refunds_payment FOREIGN KEY (tenant_id, payment_id) REFERENCES payments (tenant_id, id)
);
CREATE INDEX refunds_of_payment ON refunds (tenant_id, payment_id, id);
CREATE INDEX refunds_of_invoice ON refunds (tenant_id, invoice_id, id);
CREATE INDEX refunds_in_order ON refunds (tenant_id, payment_id, refunded);
CREATE TRIGGER next_version BEFORE UPDATE ON refunds FOR EACH ROW EXECUTE FUNCTION next_version();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON refunds FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON refunds FOR EACH STATEMENT EXECUTE FUNCTION append_only();
ALTER TABLE refunds ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON refunds USING (tenant_id = current_tenant());

-- post_refund writes the posting of a refund. It locks the payment, as its removal does, and behind it the invoice, like
-- post_payment before the row is inserted. The lock of the payment lets others refer to it: who has the invoice already, and refers to
-- the payment, would wait for us, and we for the invoice. It fails with constraint refunds_payment, or refunds_within_payment with what is left of
-- the payment as detail.
-- +goose StatementBegin
CREATE FUNCTION post_refund() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER post_refund BEFORE INSERT ON refunds FOR EACH ROW EXECUTE FUNCTION post_refund();

-- balance_payment compares, at COMMIT, what a payment shows as refunded with the sum of its refunds, which the last one
-- carries.
-- +goose StatementBegin
CREATE FUNCTION balance_payment() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE CONSTRAINT TRIGGER balance_refunded AFTER UPDATE OF refunded ON payments
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION balance_payment();

-- +goose Down
DROP TRIGGER balance_refunded ON payments;
DROP TABLE refunds;
DROP FUNCTION balance_payment, post_refund;

-- Payments of issued invoices. Each is posted to the ledger in the transaction that stores it, and never goes beyond the
-- open amount.

-- +goose Up
CREATE DOMAIN payment_method AS text CHECK (VALUE IN ('bank_transfer', 'card', 'cash', 'other'));

CREATE TABLE payments (
    tenant_id       uuid           NOT NULL,
    id              uuid           NOT NULL,
    invoice_id      uuid           NOT NULL,
    amount          minor_units    NOT NULL CHECK (amount > 0),
    refunded        minor_units    NOT NULL DEFAULT 0, -- the sum of its refunds
    -- When it was removed, because it was recorded by mistake. It keeps its reference, so that nothing records it once more.
    removed_at      timestamptz,
    left_amount     minor_units    NOT NULL
        GENERATED ALWAYS AS (CASE WHEN removed_at IS NULL THEN amount - refunded ELSE 0 END) STORED,
    paid_on         date           NOT NULL,
    method          payment_method NOT NULL,
    -- Who knows the payment by which reference, such as a bank or a card processor; both or neither. Providers are compared
    -- as names are: stripe, Stripe and STRIPE are one. References are compared as they are: those of many providers differ
    -- in capitals only.
    provider        text           CHECK (provider <> ''),
    provider_folded text           COLLATE "C" GENERATED ALWAYS AS (fold_text(provider)) STORED,
    reference       text           CHECK (reference <> ''),
    -- What another system calls the payment, both or neither, and SHA-256 of what that system said of it last.
    source          external_source,
    source_folded   text           COLLATE "C" GENERATED ALWAYS AS (fold_text(source)) STORED,
    external_id     external_id,
    external_digest sha256_digest,
    version         record_version NOT NULL DEFAULT 1,
    created_at      timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT payments_reference_once UNIQUE (tenant_id, provider_folded, reference),
    CONSTRAINT payments_external CHECK (num_nonnulls(source, external_id, external_digest) IN (0, 3)),
    CONSTRAINT payments_referenced CHECK ((provider IS NULL) = (reference IS NULL)),
    CONSTRAINT payments_dated CHECK (paid_on BETWEEN '2000-01-01' AND '2099-12-31'),
    CONSTRAINT payments_invoice FOREIGN KEY (tenant_id, invoice_id) REFERENCES invoices (tenant_id, id)
);
CREATE UNIQUE INDEX payments_external_once ON payments (tenant_id, source_folded, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX payments_of_invoice ON payments (tenant_id, invoice_id, id);
CREATE INDEX payments_by_day ON payments (tenant_id, paid_on, id) WHERE removed_at IS NULL;
CREATE TRIGGER next_version BEFORE UPDATE ON payments FOR EACH ROW EXECUTE FUNCTION next_version();

ALTER TABLE payments ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON payments USING (tenant_id = current_tenant());

-- Of a payment nothing changes but what was given back of it, and that it is removed, once.
CREATE TRIGGER append_only BEFORE DELETE ON payments FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_but_refunded BEFORE UPDATE ON payments FOR EACH ROW
    WHEN ((OLD.tenant_id, OLD.id, OLD.invoice_id, OLD.amount, OLD.paid_on, OLD.method, OLD.provider, OLD.reference, OLD.source,
            OLD.external_id, OLD.external_digest, OLD.created_at, COALESCE(OLD.removed_at, NEW.removed_at))
        IS DISTINCT FROM
        (NEW.tenant_id, NEW.id, NEW.invoice_id, NEW.amount, NEW.paid_on, NEW.method, NEW.provider, NEW.reference, NEW.source,
            NEW.external_id, NEW.external_digest, NEW.created_at, NEW.removed_at))
    EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON payments FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- post_payment writes the posting of a payment. It locks the invoice, so that one payment at a time sees what is open. It
-- does so before the row is inserted: the reference to the invoice locks it too, but weaker, and two payments that held
-- that lock would wait for each other. It fails with constraint payments_invoice, payments_of_issued, or
-- payments_within_open with the open amount as detail.
-- +goose StatementBegin
CREATE FUNCTION post_payment() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER post_payment BEFORE INSERT ON payments FOR EACH ROW EXECUTE FUNCTION post_payment();

-- post_removal takes the posting of a payment back by another one. The UPDATE of the payment has locked it, and the invoice
-- is locked behind it, as in post_refund. It fails with constraint payments_removed_whole if some of the payment was given back.
-- +goose StatementBegin
CREATE FUNCTION post_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.refunded > 0 THEN
        RAISE EXCEPTION 'it has refunds' USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_removed_whole';
    END IF;
    PERFORM FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR UPDATE;
    INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
    VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'removal', -NEW.amount);
    UPDATE invoices SET paid = paid - NEW.amount WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER post_removal BEFORE UPDATE ON payments
    FOR EACH ROW WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL) EXECUTE FUNCTION post_removal();

-- An invoice with payments is not voided.
-- +goose StatementBegin
CREATE FUNCTION void_without_payments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the invoice has payments' USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_void_without_payments';
END $$;
-- +goose StatementEnd
CREATE TRIGGER void_without_payments BEFORE UPDATE ON invoices
    FOR EACH ROW WHEN (NEW.status = 'void' AND OLD.paid > 0) EXECUTE FUNCTION void_without_payments();

-- +goose Down
DROP TRIGGER void_without_payments ON invoices;
DROP TABLE payments;
DROP FUNCTION void_without_payments, post_removal, post_payment;
DROP DOMAIN payment_method;

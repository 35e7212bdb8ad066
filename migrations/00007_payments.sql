-- Payments, and the ledger of what changes the open amount of an invoice. The ledger is append-only, and what an
-- invoice shows as paid is its sum: a payment cannot be stored without its posting, nor beyond the open amount.

-- +goose Up
ALTER TABLE invoices
    ADD COLUMN paid        minor_units NOT NULL DEFAULT 0,
    ADD COLUMN open_amount minor_units NOT NULL GENERATED ALWAYS AS (total - paid) STORED,
    -- The state as people know it.
    ADD COLUMN state       text        NOT NULL GENERATED ALWAYS AS (
        CASE WHEN status <> 'issued' THEN status::text WHEN paid = total THEN 'paid' WHEN paid > 0 THEN 'partially_paid' ELSE 'issued' END)
        STORED;

CREATE DOMAIN payment_method AS text CHECK (VALUE IN ('bank_transfer', 'card', 'cash', 'other'));

CREATE TABLE payments (
    tenant_id  uuid           NOT NULL,
    id         uuid           NOT NULL,
    invoice_id uuid           NOT NULL,
    amount     minor_units    NOT NULL CHECK (amount > 0),
    paid_on    date           NOT NULL,
    method     payment_method NOT NULL,
    -- Who knows the payment by which reference, such as a bank or a card processor; both or neither.
    provider   text           CHECK (provider <> ''),
    reference  text           CHECK (reference <> ''),
    version    record_version NOT NULL DEFAULT 1,
    created_at timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT payments_reference_once UNIQUE (tenant_id, provider, reference),
    CONSTRAINT payments_referenced CHECK ((provider IS NULL) = (reference IS NULL)),
    CONSTRAINT payments_invoice FOREIGN KEY (tenant_id, invoice_id) REFERENCES invoices (tenant_id, id)
);
CREATE INDEX payments_of_invoice ON payments (tenant_id, invoice_id, id);
CREATE TRIGGER next_version BEFORE UPDATE ON payments FOR EACH ROW EXECUTE FUNCTION next_version();

CREATE DOMAIN posting_kind AS text CHECK (VALUE IN ('payment'));

CREATE TABLE postings (
    tenant_id  uuid         NOT NULL,
    invoice_id uuid         NOT NULL,
    -- Of the payment that it is about.
    source_id  uuid         NOT NULL,
    kind       posting_kind NOT NULL,
    amount     bigint       NOT NULL, -- what it adds to paid, in minor units
    -- Its place among the postings of the invoice, and the sum of their amounts up to it: see carry_balance.
    position   integer      NOT NULL,
    balance    minor_units  NOT NULL,
    at         timestamptz  NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, invoice_id, source_id),
    CONSTRAINT postings_invoice FOREIGN KEY (tenant_id, invoice_id) REFERENCES invoices (tenant_id, id)
);
CREATE INDEX postings_in_order ON postings (tenant_id, invoice_id, position);

-- carry_balance puts a posting behind the last one of its invoice, so that their sum is known without reading all.
-- Two that are inserted at once, without the lock of the invoice, carry the same balance on: balance_invoice refuses
-- the second.
-- +goose StatementBegin
CREATE FUNCTION carry_balance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last postings;
BEGIN
    SELECT * INTO last FROM postings
    WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.invoice_id
    ORDER BY position DESC LIMIT 1;
    NEW.position := COALESCE(last.position, 0) + 1;
    NEW.balance := COALESCE(last.balance, 0) + NEW.amount;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER carry_balance BEFORE INSERT ON postings FOR EACH ROW EXECUTE FUNCTION carry_balance();

ALTER TABLE payments ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON payments USING (tenant_id = current_tenant());
ALTER TABLE postings ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON postings USING (tenant_id = current_tenant());

-- append_only refuses what would change the past.
-- +goose StatementBegin
CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'check_violation', CONSTRAINT = TG_TABLE_NAME || '_append_only';
END $$;
-- +goose StatementEnd
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON postings FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON payments FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON postings FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON payments FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- post_payment writes the posting of a payment. It locks the invoice, so that one payment at a time sees what is
-- open. It does so before the row is inserted: the reference to the invoice locks it too, but weaker, and two
-- payments that held that lock would wait for each other. It fails with constraint payments_invoice, payments_of_issued, or payments_within_open with the open
-- amount as detail.
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
    INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
    VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'payment', NEW.amount);
    UPDATE invoices SET paid = paid + NEW.amount WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER post_payment BEFORE INSERT ON payments FOR EACH ROW EXECUTE FUNCTION post_payment();

-- balance_invoice compares, at COMMIT, what an invoice shows as paid with the sum of its postings, which the last one
-- carries, whoever wrote either.
-- +goose StatementBegin
CREATE FUNCTION balance_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_invoice uuid := CASE TG_TABLE_NAME WHEN 'invoices' THEN to_jsonb(NEW)->>'id' ELSE to_jsonb(NEW)->>'invoice_id' END;
    shown      bigint;
    posted     bigint;
BEGIN
    SELECT paid INTO shown FROM invoices WHERE tenant_id = NEW.tenant_id AND id = of_invoice;
    SELECT balance INTO posted FROM postings
    WHERE tenant_id = NEW.tenant_id AND invoice_id = of_invoice
    ORDER BY position DESC LIMIT 1;
    IF shown IS DISTINCT FROM COALESCE(posted, 0) THEN
        RAISE EXCEPTION 'paid is %, and its postings are %', shown, posted
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_balanced';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE CONSTRAINT TRIGGER balance_paid AFTER UPDATE OF paid ON invoices
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION balance_invoice();
CREATE CONSTRAINT TRIGGER balance_postings AFTER INSERT ON postings
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION balance_invoice();

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
DROP FUNCTION void_without_payments;
DROP TRIGGER balance_paid ON invoices;
DROP TABLE postings, payments;
DROP FUNCTION balance_invoice, post_payment, append_only, carry_balance;
DROP DOMAIN posting_kind, payment_method;
ALTER TABLE invoices DROP COLUMN state, DROP COLUMN open_amount, DROP COLUMN paid;

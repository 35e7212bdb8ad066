-- The ledger of what changes the open amount of an invoice. It is append-only, and what an invoice shows as paid and as
-- credited are its sums: no payment, refund or credit note can be stored without its posting, nor beyond what is there to
-- be paid, given back or credited.

-- +goose Up
CREATE DOMAIN posting_kind AS text CHECK (VALUE IN ('payment', 'refund', 'removal', 'credit'));

CREATE TABLE postings (
    tenant_id  uuid         NOT NULL,
    invoice_id uuid         NOT NULL,
    -- The payment, refund or credit note that it is about, or the payment that was removed.
    source_id  uuid         NOT NULL,
    kind       posting_kind NOT NULL,
    amount     bigint       NOT NULL, -- what it adds to paid, or a credit to credited, in minor units
    -- Its place among the postings of the invoice, and their sums up to it: see carry_balance.
    position   integer      NOT NULL,
    paid       minor_units  NOT NULL,
    credited   minor_units  NOT NULL,
    -- When it was written, under the lock of its invoice, as in intents.
    at         timestamptz  NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, invoice_id, source_id, kind),
    CONSTRAINT postings_invoice FOREIGN KEY (tenant_id, invoice_id) REFERENCES invoices (tenant_id, id)
);
CREATE INDEX postings_in_order ON postings (tenant_id, invoice_id, position);
CREATE INDEX postings_in_time ON postings (tenant_id, invoice_id, at);

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
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON postings FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- carry_balance puts a posting behind the last one of its invoice, so that their sums are known without reading all.
-- Two that are inserted at once, without the lock of the invoice, carry the same sums on: balance_invoice refuses the
-- second.
-- +goose StatementBegin
CREATE FUNCTION carry_balance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last postings;
BEGIN
    SELECT * INTO last FROM postings
    WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.invoice_id
    ORDER BY position DESC LIMIT 1;
    NEW.position := COALESCE(last.position, 0) + 1;
    NEW.paid := COALESCE(last.paid, 0) + CASE WHEN NEW.kind = 'credit' THEN 0 ELSE NEW.amount END;
    NEW.credited := COALESCE(last.credited, 0) + CASE WHEN NEW.kind = 'credit' THEN NEW.amount ELSE 0 END;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER carry_balance BEFORE INSERT ON postings FOR EACH ROW EXECUTE FUNCTION carry_balance();

-- balance_invoice compares, at COMMIT, what an invoice shows as paid and credited with the sums of its postings, which the
-- last one carries.
-- +goose StatementBegin
CREATE FUNCTION balance_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_invoice uuid := CASE TG_TABLE_NAME WHEN 'invoices' THEN to_jsonb(NEW)->>'id' ELSE to_jsonb(NEW)->>'invoice_id' END;
    shown      invoices;
    posted     postings;
BEGIN
    SELECT * INTO shown FROM invoices WHERE tenant_id = NEW.tenant_id AND id = of_invoice;
    SELECT * INTO posted FROM postings
    WHERE tenant_id = NEW.tenant_id AND invoice_id = of_invoice
    ORDER BY position DESC LIMIT 1;
    IF (shown.paid, shown.credited) IS DISTINCT FROM (COALESCE(posted.paid, 0), COALESCE(posted.credited, 0)) THEN
        RAISE EXCEPTION 'paid is % and credited %, and the postings are % and %',
            shown.paid, shown.credited, posted.paid, posted.credited
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_balanced';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE CONSTRAINT TRIGGER balance_paid AFTER UPDATE OF paid ON invoices
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION balance_invoice();
CREATE CONSTRAINT TRIGGER balance_credited AFTER UPDATE OF credited ON invoices
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION balance_invoice();
CREATE CONSTRAINT TRIGGER balance_postings AFTER INSERT ON postings
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION balance_invoice();

-- +goose Down
DROP TRIGGER balance_credited ON invoices;
DROP TRIGGER balance_paid ON invoices;
DROP TABLE postings;
DROP FUNCTION balance_invoice, carry_balance, append_only;
DROP DOMAIN posting_kind;

-- A write-off is not dated before its invoice. Those that are stay.

-- +goose Up
-- post_write_off is unchanged, except that it also fails with constraint write_offs_not_before_invoice, with the day of the invoice.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION post_write_off() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    billed invoices;
BEGIN
    SELECT * INTO billed FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such invoice' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'write_offs_invoice';
    ELSIF billed.status <> 'issued' THEN
        RAISE EXCEPTION 'not issued' USING ERRCODE = 'check_violation', CONSTRAINT = 'write_offs_of_issued';
    ELSIF NEW.written_off_on < billed.issue_date THEN
        RAISE EXCEPTION 'written off before the invoice'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'write_offs_not_before_invoice', DETAIL = billed.issue_date;
    ELSIF billed.open_amount = 0 OR NEW.amount > billed.open_amount THEN
        RAISE EXCEPTION 'more than is open'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'write_offs_within_open', DETAIL = billed.open_amount;
    END IF;
    NEW.amount := COALESCE(NEW.amount, billed.open_amount);
    NEW.reversed_at := NULL;
    INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
    VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'write_off', NEW.amount);
    UPDATE invoices SET written_off = written_off + NEW.amount WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION post_write_off() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    billed invoices;
BEGIN
    SELECT * INTO billed FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such invoice' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'write_offs_invoice';
    ELSIF billed.status <> 'issued' THEN
        RAISE EXCEPTION 'not issued' USING ERRCODE = 'check_violation', CONSTRAINT = 'write_offs_of_issued';
    ELSIF billed.open_amount = 0 OR NEW.amount > billed.open_amount THEN
        RAISE EXCEPTION 'more than is open'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'write_offs_within_open', DETAIL = billed.open_amount;
    END IF;
    NEW.amount := COALESCE(NEW.amount, billed.open_amount);
    NEW.reversed_at := NULL;
    INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
    VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'write_off', NEW.amount);
    UPDATE invoices SET written_off = written_off + NEW.amount WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd

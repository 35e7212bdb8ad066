-- An email to a customer has the copies that the customer wants.

-- +goose Up
ALTER TABLE mails ADD copies text COLLATE "C" NOT NULL DEFAULT ''; -- email addresses, as in customers.copies_to

-- An email that goes to the customer has the customer's copies, and queue_mail is otherwise unchanged. 00191 adds customers.copies_to.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION queue_mail() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    billed invoices;
BEGIN
    SELECT * INTO billed FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such invoice' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'mails_invoice';
    ELSIF billed.status <> (CASE NEW.kind WHEN 'void' THEN 'void' ELSE 'issued' END) THEN
        RAISE EXCEPTION 'not issued' USING ERRCODE = 'check_violation', CONSTRAINT = 'mails_of_issued';
    END IF;
    NEW.recipient := COALESCE(NEW.recipient, billed.bill_to->>'email');
    IF lower(NEW.recipient) = lower(billed.bill_to->>'email') THEN
        NEW.copies := COALESCE((SELECT copies_to FROM customers WHERE tenant_id = NEW.tenant_id AND id = billed.customer_id), '');
    END IF;
    NEW.subject := CASE NEW.kind WHEN 'reminder_1' THEN 'Payment reminder: invoice ' WHEN 'reminder_2' THEN 'Second reminder: invoice '
            WHEN 'reminder_3' THEN 'Final reminder: invoice '
            WHEN 'credit_note' THEN 'Credit note for invoice ' ELSE 'Invoice ' END
        || billed.number || ' from ' || (billed.seller->>'name') || CASE NEW.kind WHEN 'void' THEN ' is void' ELSE '' END;
    INSERT INTO river.river_job (kind, queue, args, max_attempts)
    VALUES ('mail', 'mail', jsonb_build_object('tenant', NEW.tenant_id, 'mail', NEW.id), 25);
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- erase_copies erases the addresses with that of the recipient: see erase_invoices.
-- +goose StatementBegin
CREATE FUNCTION erase_copies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.copies := '';
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER erase_copies BEFORE UPDATE ON mails FOR EACH ROW
    WHEN (NEW.recipient = 'erased' AND NEW.copies <> '') EXECUTE FUNCTION erase_copies();

-- +goose Down
DROP TRIGGER erase_copies ON mails;
DROP FUNCTION erase_copies;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION queue_mail() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    billed invoices;
BEGIN
    SELECT * INTO billed FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such invoice' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'mails_invoice';
    ELSIF billed.status <> (CASE NEW.kind WHEN 'void' THEN 'void' ELSE 'issued' END) THEN
        RAISE EXCEPTION 'not issued' USING ERRCODE = 'check_violation', CONSTRAINT = 'mails_of_issued';
    END IF;
    NEW.recipient := COALESCE(NEW.recipient, billed.bill_to->>'email');
    NEW.subject := CASE NEW.kind WHEN 'reminder_1' THEN 'Payment reminder: invoice ' WHEN 'reminder_2' THEN 'Second reminder: invoice '
            WHEN 'reminder_3' THEN 'Final reminder: invoice '
            WHEN 'credit_note' THEN 'Credit note for invoice ' ELSE 'Invoice ' END
        || billed.number || ' from ' || (billed.seller->>'name') || CASE NEW.kind WHEN 'void' THEN ' is void' ELSE '' END;
    INSERT INTO river.river_job (kind, queue, args, max_attempts)
    VALUES ('mail', 'mail', jsonb_build_object('tenant', NEW.tenant_id, 'mail', NEW.id), 25);
    RETURN NEW;
END $$;
-- +goose StatementEnd
ALTER TABLE mails DROP copies;

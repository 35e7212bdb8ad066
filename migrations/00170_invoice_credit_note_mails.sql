-- Credit notes have a reason, and can be sent to the customer.

-- +goose Up
ALTER TABLE credit_notes ADD COLUMN reason text NOT NULL DEFAULT '';

ALTER DOMAIN mail_kind DROP CONSTRAINT mail_kind_check;
ALTER DOMAIN mail_kind ADD CONSTRAINT mail_kind_check
    CHECK (VALUE IN ('invoice', 'void', 'reminder_1', 'reminder_2', 'reminder_3', 'credit_note'));
ALTER TABLE mails ADD COLUMN credit_note_id uuid,
    ADD CONSTRAINT mails_credit_note FOREIGN KEY (tenant_id, credit_note_id) REFERENCES credit_notes (tenant_id, id),
    ADD CONSTRAINT mails_of_credit_note CHECK ((kind = 'credit_note') = (credit_note_id IS NOT NULL));
CREATE INDEX mails_by_credit_note ON mails (tenant_id, credit_note_id);

-- queue_mail is unchanged, except for the subject of credit notes.
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

-- +goose Down
DROP INDEX mails_by_credit_note;
ALTER TABLE mails NO FORCE ROW LEVEL SECURITY;
UPDATE mails SET kind = 'invoice', credit_note_id = NULL WHERE kind = 'credit_note';
ALTER TABLE mails FORCE ROW LEVEL SECURITY;
ALTER TABLE mails DROP COLUMN credit_note_id;
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
            WHEN 'reminder_3' THEN 'Final reminder: invoice ' ELSE 'Invoice ' END
        || billed.number || ' from ' || (billed.seller->>'name') || CASE NEW.kind WHEN 'void' THEN ' is void' ELSE '' END;
    INSERT INTO river.river_job (kind, queue, args, max_attempts)
    VALUES ('mail', 'mail', jsonb_build_object('tenant', NEW.tenant_id, 'mail', NEW.id), 25);
    RETURN NEW;
END $$;
-- +goose StatementEnd
ALTER DOMAIN mail_kind DROP CONSTRAINT mail_kind_check;
ALTER DOMAIN mail_kind ADD CONSTRAINT mail_kind_check CHECK (VALUE IN ('invoice', 'void', 'reminder_1', 'reminder_2', 'reminder_3'));
ALTER TABLE credit_notes DROP COLUMN reason;

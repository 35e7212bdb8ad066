-- Reminders of overdue invoices, in levels. Each is an email, and has its id.

-- +goose Up
ALTER DOMAIN mail_kind DROP CONSTRAINT mail_kind_check;
ALTER DOMAIN mail_kind ADD CONSTRAINT mail_kind_check CHECK (VALUE IN ('invoice', 'void', 'reminder_1', 'reminder_2', 'reminder_3'));

CREATE TABLE invoice_reminders (
    tenant_id  uuid           NOT NULL,
    id         uuid           NOT NULL,
    invoice_id uuid           NOT NULL,
    level      integer        NOT NULL CONSTRAINT reminders_level CHECK (level BETWEEN 1 AND 3),
    sent_on    date           NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,
    version    record_version NOT NULL DEFAULT 1,
    created_at timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT reminders_once UNIQUE (tenant_id, invoice_id, level),
    CONSTRAINT reminders_mail FOREIGN KEY (tenant_id, id) REFERENCES mails (tenant_id, id),
    CONSTRAINT reminders_invoice FOREIGN KEY (tenant_id, invoice_id) REFERENCES invoices (tenant_id, id)
);
CREATE INDEX reminders_of_invoice ON invoice_reminders (tenant_id, invoice_id, id);
CREATE TRIGGER next_version BEFORE UPDATE ON invoice_reminders FOR EACH ROW EXECUTE FUNCTION next_version();

ALTER TABLE invoice_reminders ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoice_reminders USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON invoice_reminders FROM CURRENT_USER; -- replays rely on it

-- queue_mail is unchanged, except for the subjects of reminders.
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

-- send_reminder queues the reminder of a level, unless the invoice has it. The lock makes it wait for payments and for other reminders of
-- the invoice. It fails with constraint reminders_invoice, mails_of_issued, reminders_of_overdue, reminders_of_next_level or
-- reminders_recipient.
-- +goose StatementBegin
CREATE FUNCTION send_reminder(
    in_tenant uuid, in_id uuid, in_invoice uuid, in_level integer, in_recipient text, in_message text, in_operation text, in_key text
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    billed invoices;
    last   invoice_reminders;
    today  date := (now() AT TIME ZONE 'UTC')::date;
BEGIN
    SELECT * INTO billed FROM invoices WHERE tenant_id = in_tenant AND id = in_invoice FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such invoice' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'reminders_invoice';
    END IF;
    SELECT * INTO last FROM invoice_reminders WHERE tenant_id = in_tenant AND invoice_id = in_invoice ORDER BY level DESC LIMIT 1;
    IF in_level <= last.level THEN
        RETURN;
    ELSIF billed.state IN ('draft', 'void') THEN
        RAISE EXCEPTION 'not issued' USING ERRCODE = 'check_violation', CONSTRAINT = 'mails_of_issued';
    ELSIF billed.state NOT IN ('issued', 'partially_paid') OR billed.due_date >= today THEN
        RAISE EXCEPTION 'not overdue' USING ERRCODE = 'check_violation', CONSTRAINT = 'reminders_of_overdue';
    ELSIF in_level > COALESCE(last.level, 0) + 1 OR last.sent_on >= today THEN
        RAISE EXCEPTION 'not the next level' USING ERRCODE = 'check_violation', CONSTRAINT = 'reminders_of_next_level';
    ELSIF in_recipient IS NULL AND COALESCE(billed.bill_to->>'email', '') = '' THEN
        RAISE EXCEPTION 'no address' USING ERRCODE = 'check_violation', CONSTRAINT = 'reminders_recipient';
    END IF;
    INSERT INTO mails (tenant_id, id, invoice_id, kind, recipient, message)
    VALUES (in_tenant, in_id, in_invoice, 'reminder_' || in_level, in_recipient, in_message);
    INSERT INTO invoice_reminders (tenant_id, id, invoice_id, level) VALUES (in_tenant, in_id, in_invoice, in_level);
    INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
    VALUES (in_tenant, in_invoice, in_operation, in_key,
        (ARRAY['payment reminder queued', 'second reminder queued', 'final reminder queued'])[in_level]);
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION send_reminder;
DROP TABLE invoice_reminders;
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
    NEW.subject := 'Invoice ' || billed.number || ' from ' || (billed.seller->>'name')
        || CASE NEW.kind WHEN 'void' THEN ' is void' ELSE '' END;
    INSERT INTO river.river_job (kind, queue, args, max_attempts)
    VALUES ('mail', 'mail', jsonb_build_object('tenant', NEW.tenant_id, 'mail', NEW.id), 25);
    RETURN NEW;
END $$;
-- +goose StatementEnd
ALTER DOMAIN mail_kind DROP CONSTRAINT mail_kind_check;
ALTER TABLE mails NO FORCE ROW LEVEL SECURITY;
UPDATE mails SET kind = 'invoice' WHERE kind LIKE 'reminder%';
ALTER TABLE mails FORCE ROW LEVEL SECURITY;
ALTER DOMAIN mail_kind ADD CONSTRAINT mail_kind_check CHECK (VALUE IN ('invoice', 'void'));

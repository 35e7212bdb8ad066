-- Mails about invoices. A row is the wish that one is sent, and what became of it; its job is inserted with it, in the same
-- transaction.

-- +goose Up
CREATE DOMAIN mail_kind AS text CHECK (VALUE IN ('invoice', 'void'));

CREATE TABLE mails (
    tenant_id  uuid           NOT NULL,
    id         uuid           NOT NULL,
    invoice_id uuid           NOT NULL,
    -- What it is about: the invoice, or that it is void.
    kind       mail_kind      NOT NULL DEFAULT 'invoice',
    recipient  text           NOT NULL CHECK (recipient <> ''),
    subject    text           NOT NULL,
    -- What it says above the lines of the invoice; '' for the usual sentences.
    message    text           NOT NULL DEFAULT '',
    state      mail_state     NOT NULL DEFAULT 'queued',
    attempts   integer        NOT NULL DEFAULT 0,
    -- Of the last attempt, in plain words; '' while none has failed.
    reason     text           NOT NULL DEFAULT '',
    -- Set by the first attempt and the same in all of them, by which a mail that arrives twice is known to be one.
    message_id text,
    -- What was sent, as text; '' until then.
    body       text           NOT NULL DEFAULT '',
    -- Sent to nobody, but kept for reading: see the outbox.
    kept       boolean        NOT NULL DEFAULT false,
    sent_at    timestamptz,
    version    record_version NOT NULL DEFAULT 1,
    created_at timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT mails_sent CHECK ((state = 'sent') = (sent_at IS NOT NULL)),
    CONSTRAINT mails_invoice FOREIGN KEY (tenant_id, invoice_id) REFERENCES invoices (tenant_id, id)
);
CREATE INDEX mails_of_invoice ON mails (tenant_id, invoice_id, id);
CREATE TRIGGER next_version BEFORE UPDATE ON mails FOR EACH ROW EXECUTE FUNCTION next_version();

ALTER TABLE mails ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON mails USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON mails FROM CURRENT_USER; -- replays rely on it

-- queue_mail addresses a mail to the customer of its invoice, unless it says to whom, names the business as the invoice
-- does, and inserts its job. The job has ids only, because its table is not guarded by row-level security. The lock keeps
-- the invoice from being voided meanwhile. It fails with constraint mails_invoice or mails_of_issued.
-- +goose StatementBegin
CREATE FUNCTION queue_mail() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER queue_mail BEFORE INSERT ON mails FOR EACH ROW EXECUTE FUNCTION queue_mail();

-- +goose Down
DROP TABLE mails;
DROP FUNCTION queue_mail;
DROP DOMAIN mail_kind;

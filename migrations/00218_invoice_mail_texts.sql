-- Each business has texts for its emails, with placeholders such as {number}.

-- +goose Up

-- A placeholder is replaced when an email is queued. '' is the standard text of the program.
CREATE DOMAIN mail_subject AS text CHECK (length(VALUE) <= 200 AND VALUE !~ '[[:cntrl:]]'
    AND regexp_replace(VALUE, '\{(business|contact|credit_note|credited|credited_on|customer|due|issued|number|open|total)\}', '', 'g')
        !~ '[{}]');
CREATE DOMAIN mail_text AS text CHECK (length(VALUE) <= 2000
    AND regexp_replace(VALUE, '\{(business|contact|credit_note|credited|credited_on|customer|due|issued|number|open|total)\}', '', 'g')
        !~ '[{}]');

-- Each tenant has exactly one row, which has its id. A column is named after a kind of mails.
CREATE TABLE mail_texts (
    tenant_id            uuid           NOT NULL,
    id                   uuid           NOT NULL CHECK (id = tenant_id),
    invoice_subject      mail_subject   NOT NULL DEFAULT '',
    invoice_text         mail_text      NOT NULL DEFAULT '',
    credit_note_subject  mail_subject   NOT NULL DEFAULT '',
    credit_note_text     mail_text      NOT NULL DEFAULT '',
    void_subject         mail_subject   NOT NULL DEFAULT '',
    void_text            mail_text      NOT NULL DEFAULT '',
    reminder_1_subject   mail_subject   NOT NULL DEFAULT '',
    reminder_1_text      mail_text      NOT NULL DEFAULT '',
    reminder_2_subject   mail_subject   NOT NULL DEFAULT '',
    reminder_2_text      mail_text      NOT NULL DEFAULT '',
    reminder_3_subject   mail_subject   NOT NULL DEFAULT '',
    reminder_3_text      mail_text      NOT NULL DEFAULT '',
    version              record_version NOT NULL DEFAULT 1,
    created_at           timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT mail_texts_settings FOREIGN KEY (tenant_id, id) REFERENCES settings (tenant_id, id)
);
CREATE TRIGGER next_version BEFORE UPDATE ON mail_texts FOR EACH ROW EXECUTE FUNCTION next_version();

-- +goose StatementBegin
CREATE FUNCTION settle_mail_texts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO mail_texts (tenant_id, id) VALUES (NEW.tenant_id, NEW.id);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER settle_mail_texts AFTER INSERT ON settings FOR EACH ROW EXECUTE FUNCTION settle_mail_texts();
INSERT INTO mail_texts (tenant_id, id) SELECT id, id FROM tenants;

ALTER TABLE mail_texts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON mail_texts USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON mail_texts FROM CURRENT_USER; -- replays rely on it

-- currency_decimals returns the number of decimals of a currency.
CREATE FUNCTION currency_decimals(code text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN code IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI', 'VND', 'VUV', 'XAF', 'XOF', 'XPF',
        'ADP', 'BEF', 'BYB', 'BYR', 'ESP', 'GRD', 'ITL', 'LUF', 'MGF', 'PTE', 'TRL') THEN 0
    WHEN code IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') THEN 3
    WHEN code IN ('CLF', 'UYW') THEN 4
    ELSE 2 END;

-- amount_text returns an amount with its currency: 1,234.50 EUR.
CREATE FUNCTION amount_text(minor bigint, currency text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN to_char(minor / 10::numeric ^ currency_decimals(currency),
    'FM9,999,999,999,999,990' || rpad('.', CASE currency_decimals(currency) WHEN 0 THEN 0 ELSE 1 + currency_decimals(currency) END, '0'))
    || ' ' || currency;

-- fill_mail_text replaces the placeholders of a text in one pass, so that those in a value stay. It returns NULL for ''.
CREATE FUNCTION fill_mail_text(template text, of jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    SELECT string_agg(CASE n WHEN 1 THEN part ELSE COALESCE(of->>split_part(part, '}', 1), '') || substr(part, strpos(part, '}') + 1) END,
        '' ORDER BY n)
    FROM string_to_table(NULLIF(template, ''), '{') WITH ORDINALITY AS parts (part, n));

-- mail_wording returns the subject and the body that a tenant's texts make for a kind of mails about an invoice; NULL for the standard one.
-- PL/pgSQL plans the queries once for each session.
-- +goose StatementBegin
CREATE FUNCTION mail_wording(
    in_tenant uuid, in_kind text, in_invoice uuid, in_credit_note uuid, OUT subject text, OUT body text
) LANGUAGE plpgsql STABLE AS $$
DECLARE
    texts jsonb;
    about jsonb;
BEGIN
    SELECT to_jsonb(t) INTO texts FROM mail_texts t WHERE tenant_id = in_tenant AND id = in_tenant;
    IF texts->>(in_kind || '_subject') || (texts->>(in_kind || '_text')) <> '' THEN
        SELECT jsonb_build_object(
            'business', i.seller->>'name', 'customer', i.bill_to->>'name',
            'contact', COALESCE(NULLIF(i.bill_to->>'contact', ''), i.bill_to->>'name'),
            'number', i.number, 'issued', to_char(i.issue_date, 'FMDD FMMonth YYYY'), 'due', to_char(i.due_date, 'FMDD FMMonth YYYY'),
            'total', amount_text(i.total, i.currency),
            'open', amount_text(CASE i.state WHEN 'void' THEN 0 ELSE i.open_amount END, i.currency),
            'credit_note', n.number, 'credited', amount_text(n.total, i.currency),
            'credited_on', to_char(n.issue_date, 'FMDD FMMonth YYYY'))
        INTO about
        FROM invoices i LEFT JOIN credit_notes n ON n.tenant_id = in_tenant AND n.id = in_credit_note
        WHERE i.tenant_id = in_tenant AND i.id = in_invoice;
        subject := left(regexp_replace(fill_mail_text(texts->>(in_kind || '_subject'), about), '[[:cntrl:]]+', ' ', 'g'), 300);
        body := left(fill_mail_text(texts->>(in_kind || '_text'), about), 5000);
    END IF;
END $$;
-- +goose StatementEnd

ALTER TABLE mails ADD introduction text NOT NULL DEFAULT ''; -- '' for the standard one, and for a reminder, which has a message

-- queue_mail words an email by the texts of its tenant, and is otherwise unchanged.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION queue_mail() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    billed invoices;
    worded record;
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
    SELECT * INTO worded FROM mail_wording(NEW.tenant_id, NEW.kind, NEW.invoice_id, NEW.credit_note_id);
    IF NOT starts_with(NEW.kind, 'reminder') THEN
        NEW.introduction := COALESCE(NULLIF(NEW.introduction, ''), worded.body, '');
    END IF;
    NEW.subject := COALESCE(NULLIF(NEW.subject, ''), worded.subject,
        CASE NEW.kind WHEN 'reminder_1' THEN 'Payment reminder: invoice ' WHEN 'reminder_2' THEN 'Second reminder: invoice '
            WHEN 'reminder_3' THEN 'Final reminder: invoice '
            WHEN 'credit_note' THEN 'Credit note for invoice ' ELSE 'Invoice ' END
        || billed.number || ' from ' || (billed.seller->>'name') || CASE NEW.kind WHEN 'void' THEN ' is void' ELSE '' END);
    INSERT INTO river.river_job (kind, queue, args, max_attempts)
    VALUES ('mail', 'mail', jsonb_build_object('tenant', NEW.tenant_id, 'mail', NEW.id), 25);
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- send_reminders is unchanged, except for the texts of the tenant.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION send_reminders(
    in_tenant uuid, in_batch uuid, in_ids uuid[], in_invoices uuid[], in_levels integer[], in_messages text[], in_operation text, in_key text
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    broken text;
    became reminder_outcome;
BEGIN
    INSERT INTO invoice_reminder_batches (tenant_id, id) VALUES (in_tenant, in_batch);
    FOR i IN 1 .. cardinality(in_invoices) LOOP
        BEGIN
            PERFORM send_reminder(in_tenant, in_ids[i], in_invoices[i], in_levels[i], NULL,
                COALESCE((mail_wording(in_tenant, 'reminder_' || in_levels[i], in_invoices[i], NULL)).body, in_messages[in_levels[i]]),
                in_operation, in_key);
            became := CASE WHEN EXISTS (SELECT FROM invoice_reminders WHERE tenant_id = in_tenant AND id = in_ids[i])
                THEN 'sent' ELSE 'sent_before' END;
        EXCEPTION WHEN check_violation THEN
            GET STACKED DIAGNOSTICS broken = CONSTRAINT_NAME;
            became := CASE broken WHEN 'mails_of_issued' THEN 'not_issued' WHEN 'reminders_of_overdue' THEN 'not_overdue'
                WHEN 'reminders_of_next_level' THEN 'not_next' WHEN 'reminders_recipient' THEN 'no_address'
                WHEN 'customers_erased' THEN 'customer_erased' END;
            IF became IS NULL THEN
                RAISE;
            END IF;
        END;
        INSERT INTO invoice_reminder_outcomes (tenant_id, batch_id, invoice_id, level, outcome)
        VALUES (in_tenant, in_batch, in_invoices[i], in_levels[i], became);
    END LOOP;
END $$;
-- +goose StatementEnd

-- erase_mail erases what erase_invoices doesn't: the addresses of copies, and the texts of the email.
DROP TRIGGER erase_copies ON mails;
DROP FUNCTION erase_copies;
-- +goose StatementBegin
CREATE FUNCTION erase_mail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.copies := '';
    NEW.subject := 'Erased';
    NEW.introduction := '';
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER erase_mail BEFORE UPDATE ON mails FOR EACH ROW
    WHEN (NEW.recipient = 'erased' AND OLD.recipient <> 'erased') EXECUTE FUNCTION erase_mail();

-- +goose Down
DROP TRIGGER erase_mail ON mails;
DROP FUNCTION erase_mail;
-- +goose StatementBegin
CREATE FUNCTION erase_copies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.copies := '';
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER erase_copies BEFORE UPDATE ON mails FOR EACH ROW
    WHEN (NEW.recipient = 'erased' AND NEW.copies <> '') EXECUTE FUNCTION erase_copies();
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION send_reminders(
    in_tenant uuid, in_batch uuid, in_ids uuid[], in_invoices uuid[], in_levels integer[], in_messages text[], in_operation text, in_key text
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    broken text;
    became reminder_outcome;
BEGIN
    INSERT INTO invoice_reminder_batches (tenant_id, id) VALUES (in_tenant, in_batch);
    FOR i IN 1 .. cardinality(in_invoices) LOOP
        BEGIN
            PERFORM send_reminder(in_tenant, in_ids[i], in_invoices[i], in_levels[i], NULL, in_messages[in_levels[i]], in_operation, in_key);
            became := CASE WHEN EXISTS (SELECT FROM invoice_reminders WHERE tenant_id = in_tenant AND id = in_ids[i])
                THEN 'sent' ELSE 'sent_before' END;
        EXCEPTION WHEN check_violation THEN
            GET STACKED DIAGNOSTICS broken = CONSTRAINT_NAME;
            became := CASE broken WHEN 'mails_of_issued' THEN 'not_issued' WHEN 'reminders_of_overdue' THEN 'not_overdue'
                WHEN 'reminders_of_next_level' THEN 'not_next' WHEN 'reminders_recipient' THEN 'no_address'
                WHEN 'customers_erased' THEN 'customer_erased' END;
            IF became IS NULL THEN
                RAISE;
            END IF;
        END;
        INSERT INTO invoice_reminder_outcomes (tenant_id, batch_id, invoice_id, level, outcome)
        VALUES (in_tenant, in_batch, in_invoices[i], in_levels[i], became);
    END LOOP;
END $$;
-- +goose StatementEnd
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
ALTER TABLE mails DROP introduction;
DROP TRIGGER settle_mail_texts ON settings;
DROP FUNCTION settle_mail_texts, mail_wording, fill_mail_text, amount_text, currency_decimals;
DROP TABLE mail_texts;
DROP DOMAIN mail_text, mail_subject;

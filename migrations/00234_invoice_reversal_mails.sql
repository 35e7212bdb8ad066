-- The reversal of a credit note can be sent to the customer, with texts of its kind.

-- +goose Up
ALTER DOMAIN mail_kind DROP CONSTRAINT mail_kind_check;
ALTER DOMAIN mail_kind ADD CONSTRAINT mail_kind_check
    CHECK (VALUE IN ('invoice', 'void', 'reminder_1', 'reminder_2', 'reminder_3', 'credit_note', 'reversal'));
ALTER TABLE mails DROP CONSTRAINT mails_of_credit_note,
    ADD CONSTRAINT mails_of_credit_note CHECK ((kind IN ('credit_note', 'reversal')) = (credit_note_id IS NOT NULL)),
    DROP CONSTRAINT mails_e_invoice,
    ADD CONSTRAINT mails_e_invoice CHECK (kind IN ('invoice', 'credit_note', 'reversal') OR NOT e_invoice);
ALTER DOMAIN mail_subject DROP CONSTRAINT mail_subject_check;
ALTER DOMAIN mail_subject ADD CONSTRAINT mail_subject_check CHECK (length(VALUE) <= 200 AND VALUE !~ '[[:cntrl:]]'
    AND regexp_replace(VALUE, '\{(business|contact|credit_note|credited|credited_on|customer|due|issued|number|open|reversed|total)\}', '', 'g')
        !~ '[{}]');
ALTER DOMAIN mail_text DROP CONSTRAINT mail_text_check;
ALTER DOMAIN mail_text ADD CONSTRAINT mail_text_check CHECK (length(VALUE) <= 2100
    AND regexp_replace(VALUE, '\{(business|contact|credit_note|credited|credited_on|customer|due|issued|number|open|reversed|total)\}', '', 'g')
        !~ '[{}]');
ALTER TABLE mail_texts
    ADD reversal_subject mail_subject NOT NULL DEFAULT '',
    ADD reversal_text    mail_text    NOT NULL DEFAULT '';

-- mail_wording is unchanged, except for the number of the reversed credit note, and the sign of a reversal, whose text has the word.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION mail_wording(
    in_tenant uuid, in_kind text, in_invoice uuid, in_credit_note uuid, in_text text DEFAULT '', OUT subject text, OUT body text
) LANGUAGE plpgsql STABLE AS $$
DECLARE
    texts   jsonb;
    about   jsonb;
    wording text;
BEGIN
    SELECT to_jsonb(t) INTO texts FROM mail_texts t WHERE tenant_id = in_tenant AND id = in_tenant;
    wording := COALESCE(NULLIF(texts->>(in_kind || '_text'), ''), in_text);
    IF texts->>(in_kind || '_subject') || wording <> '' THEN
        SELECT jsonb_build_object(
            'business', i.seller->>'name', 'customer', i.bill_to->>'name',
            'contact', COALESCE(NULLIF(i.bill_to->>'contact', ''), i.bill_to->>'name'),
            'number', i.number, 'issued', to_char(i.issue_date, 'FMDD FMMonth YYYY'), 'due', to_char(i.due_date, 'FMDD FMMonth YYYY'),
            'total', amount_text(i.total, i.currency),
            'open', amount_text(CASE i.state WHEN 'void' THEN 0 ELSE i.open_amount END, i.currency),
            'credit_note', n.number, 'credited', amount_text(abs(n.total), i.currency),
            'credited_on', to_char(n.issue_date, 'FMDD FMMonth YYYY'), 'reversed', (
                SELECT number FROM credit_notes WHERE tenant_id = in_tenant AND id = n.reverses_id))
        INTO about
        FROM invoices i LEFT JOIN credit_notes n ON n.tenant_id = in_tenant AND n.id = in_credit_note
        WHERE i.tenant_id = in_tenant AND i.id = in_invoice;
        subject := left(regexp_replace(fill_mail_text(texts->>(in_kind || '_subject'), about), '[[:cntrl:]]+', ' ', 'g'), 300);
        body := left(fill_mail_text(wording, about), 5000);
    END IF;
END $$;
-- +goose StatementEnd

-- queue_mail is unchanged, except for the subject of reversals.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION queue_mail() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    billed  invoices;
    worded  record;
    sent    credit_notes;
    opening text; -- above the amounts
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
    SELECT * INTO sent FROM credit_notes WHERE tenant_id = NEW.tenant_id AND id = NEW.credit_note_id;
    SELECT * INTO worded FROM mail_wording(NEW.tenant_id, NEW.kind, NEW.invoice_id, NEW.credit_note_id);
    opening := CASE WHEN starts_with(NEW.kind, 'reminder') THEN NEW.message ELSE NEW.introduction END;
    NEW.greeted := NEW.greeted OR COALESCE(opening IN ('', worded.body), false) OR starts_with(opening,
        'Hello ' || COALESCE(NULLIF(billed.bill_to->>'contact', ''), billed.bill_to->>'name') || ',');
    IF NOT starts_with(NEW.kind, 'reminder') THEN
        NEW.introduction := COALESCE(NULLIF(NEW.introduction, ''), worded.body, '');
    END IF;
    NEW.subject := COALESCE(NULLIF(NEW.subject, ''), worded.subject,
        CASE NEW.kind WHEN 'reminder_1' THEN 'Payment reminder: invoice ' WHEN 'reminder_2' THEN 'Second reminder: invoice '
            WHEN 'reminder_3' THEN 'Final reminder: invoice '
            WHEN 'credit_note' THEN 'Credit note ' || sent.number || ' for invoice '
            WHEN 'reversal' THEN 'Reversal ' || sent.number || ' for invoice '
            ELSE 'Invoice ' END
        || billed.number || ' from ' || (billed.seller->>'name') || CASE NEW.kind WHEN 'void' THEN ' is void' ELSE '' END);
    INSERT INTO river.river_job (kind, queue, args, max_attempts)
    VALUES ('mail', 'mail', jsonb_build_object('tenant', NEW.tenant_id, 'mail', NEW.id), 25);
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION queue_mail() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    billed  invoices;
    worded  record;
    opening text; -- above the amounts
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
    opening := CASE WHEN starts_with(NEW.kind, 'reminder') THEN NEW.message ELSE NEW.introduction END;
    NEW.greeted := NEW.greeted OR COALESCE(opening IN ('', worded.body), false) OR starts_with(opening,
        'Hello ' || COALESCE(NULLIF(billed.bill_to->>'contact', ''), billed.bill_to->>'name') || ',');
    IF NOT starts_with(NEW.kind, 'reminder') THEN
        NEW.introduction := COALESCE(NULLIF(NEW.introduction, ''), worded.body, '');
    END IF;
    NEW.subject := COALESCE(NULLIF(NEW.subject, ''), worded.subject,
        CASE NEW.kind WHEN 'reminder_1' THEN 'Payment reminder: invoice ' WHEN 'reminder_2' THEN 'Second reminder: invoice '
            WHEN 'reminder_3' THEN 'Final reminder: invoice '
            WHEN 'credit_note' THEN 'Credit note '
                || (SELECT number FROM credit_notes WHERE tenant_id = NEW.tenant_id AND id = NEW.credit_note_id) || ' for invoice '
            ELSE 'Invoice ' END
        || billed.number || ' from ' || (billed.seller->>'name') || CASE NEW.kind WHEN 'void' THEN ' is void' ELSE '' END);
    INSERT INTO river.river_job (kind, queue, args, max_attempts)
    VALUES ('mail', 'mail', jsonb_build_object('tenant', NEW.tenant_id, 'mail', NEW.id), 25);
    RETURN NEW;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION mail_wording(
    in_tenant uuid, in_kind text, in_invoice uuid, in_credit_note uuid, in_text text DEFAULT '', OUT subject text, OUT body text
) LANGUAGE plpgsql STABLE AS $$
DECLARE
    texts   jsonb;
    about   jsonb;
    wording text;
BEGIN
    SELECT to_jsonb(t) INTO texts FROM mail_texts t WHERE tenant_id = in_tenant AND id = in_tenant;
    wording := COALESCE(NULLIF(texts->>(in_kind || '_text'), ''), in_text);
    IF texts->>(in_kind || '_subject') || wording <> '' THEN
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
        body := left(fill_mail_text(wording, about), 5000);
    END IF;
END $$;
-- +goose StatementEnd
ALTER TABLE mail_texts DROP reversal_subject, DROP reversal_text;
-- +goose StatementBegin
DO $$
DECLARE
    tenant uuid;
BEGIN
    FOR tenant IN SELECT id FROM tenants LOOP
        PERFORM set_config('onlyonce.tenant_id', tenant::text, true);
        UPDATE mails SET kind = 'credit_note' WHERE tenant_id = tenant AND kind = 'reversal';
    END LOOP;
    PERFORM set_config('onlyonce.tenant_id', '', true);
END $$;
-- +goose StatementEnd
ALTER DOMAIN mail_text DROP CONSTRAINT mail_text_check;
ALTER DOMAIN mail_text ADD CONSTRAINT mail_text_check CHECK (length(VALUE) <= 2100
    AND regexp_replace(VALUE, '\{(business|contact|credit_note|credited|credited_on|customer|due|issued|number|open|total)\}', '', 'g')
        !~ '[{}]');
ALTER DOMAIN mail_subject DROP CONSTRAINT mail_subject_check;
ALTER DOMAIN mail_subject ADD CONSTRAINT mail_subject_check CHECK (length(VALUE) <= 200 AND VALUE !~ '[[:cntrl:]]'
    AND regexp_replace(VALUE, '\{(business|contact|credit_note|credited|credited_on|customer|due|issued|number|open|total)\}', '', 'g')
        !~ '[{}]');
ALTER TABLE mails DROP CONSTRAINT mails_e_invoice,
    ADD CONSTRAINT mails_e_invoice CHECK (kind IN ('invoice', 'credit_note') OR NOT e_invoice),
    DROP CONSTRAINT mails_of_credit_note,
    ADD CONSTRAINT mails_of_credit_note CHECK ((kind = 'credit_note') = (credit_note_id IS NOT NULL));
ALTER DOMAIN mail_kind DROP CONSTRAINT mail_kind_check;
ALTER DOMAIN mail_kind ADD CONSTRAINT mail_kind_check
    CHECK (VALUE IN ('invoice', 'void', 'reminder_1', 'reminder_2', 'reminder_3', 'credit_note'));

-- The texts of emails begin with their greeting, and the standard subject of a credit note has its number.

-- +goose Up
ALTER DOMAIN mail_text DROP CONSTRAINT mail_text_check;
ALTER DOMAIN mail_text ADD CONSTRAINT mail_text_check CHECK (length(VALUE) <= 2100 -- 2000 and a greeting
    AND regexp_replace(VALUE, '\{(business|contact|credit_note|credited|credited_on|customer|due|issued|number|open|total)\}', '', 'g')
        !~ '[{}]');

-- +goose StatementBegin
DO $$
DECLARE
    tenant uuid;
BEGIN
    FOR tenant IN SELECT id FROM tenants LOOP
        PERFORM set_config('onlyonce.tenant_id', tenant::text, true);
        UPDATE mail_texts SET
            invoice_text = COALESCE(E'Hello {contact},\n\n' || NULLIF(invoice_text, ''), ''),
            credit_note_text = COALESCE(E'Hello {contact},\n\n' || NULLIF(credit_note_text, ''), ''),
            void_text = COALESCE(E'Hello {contact},\n\n' || NULLIF(void_text, ''), ''),
            reminder_1_text = COALESCE(E'Hello {contact},\n\n' || NULLIF(reminder_1_text, ''), ''),
            reminder_2_text = COALESCE(E'Hello {contact},\n\n' || NULLIF(reminder_2_text, ''), ''),
            reminder_3_text = COALESCE(E'Hello {contact},\n\n' || NULLIF(reminder_3_text, ''), '')
        WHERE tenant_id = tenant
            AND invoice_text || credit_note_text || void_text || reminder_1_text || reminder_2_text || reminder_3_text <> '';
    END LOOP;
    PERFORM set_config('onlyonce.tenant_id', '', true);
END $$;
-- +goose StatementEnd

-- Emails of the version before get the greeting when they are sent.
ALTER TABLE mails ADD greeted boolean NOT NULL DEFAULT false; -- whether the text above the amounts has the greeting

-- mail_wording is unchanged, except for in_text: the standard text, which '' omits.
DROP FUNCTION mail_wording;
-- +goose StatementBegin
CREATE FUNCTION mail_wording(
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

-- queue_mail is unchanged, except for the greeting, which the version before omits, and the number of a credit note.
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

-- send_reminder is unchanged, except for in_greeted.
DROP FUNCTION send_reminder;
-- +goose StatementBegin
CREATE FUNCTION send_reminder(
    in_tenant uuid, in_id uuid, in_invoice uuid, in_level integer, in_recipient text, in_message text, in_operation text, in_key text,
    in_greeted boolean DEFAULT false
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    billed invoices;
    last   invoice_reminders;
    today  date := business_day();
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
    INSERT INTO mails (tenant_id, id, invoice_id, kind, recipient, message, greeted)
    VALUES (in_tenant, in_id, in_invoice, 'reminder_' || in_level, in_recipient, in_message, in_greeted);
    INSERT INTO invoice_reminders (tenant_id, id, invoice_id, level) VALUES (in_tenant, in_id, in_invoice, in_level);
    INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
    VALUES (in_tenant, in_invoice, in_operation, in_key,
        (ARRAY['payment reminder queued', 'second reminder queued', 'final reminder queued'])[in_level]);
END $$;
-- +goose StatementEnd

-- send_reminders is unchanged, except that the standard messages have placeholders.
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
                (mail_wording(in_tenant, 'reminder_' || in_levels[i], in_invoices[i], NULL, in_messages[in_levels[i]])).body,
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

-- +goose Down
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
DROP FUNCTION send_reminder;
-- +goose StatementBegin
CREATE FUNCTION send_reminder(
    in_tenant uuid, in_id uuid, in_invoice uuid, in_level integer, in_recipient text, in_message text, in_operation text, in_key text
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    billed invoices;
    last   invoice_reminders;
    today  date := business_day();
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
DROP FUNCTION mail_wording;
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
ALTER TABLE mails DROP greeted;
-- +goose StatementBegin
DO $$
DECLARE
    tenant uuid;
BEGIN
    FOR tenant IN SELECT id FROM tenants LOOP
        PERFORM set_config('onlyonce.tenant_id', tenant::text, true);
        UPDATE mail_texts SET
            invoice_text = regexp_replace(left(regexp_replace(invoice_text, '^Hello \{contact\},\n\n', ''), 2000), '\{[^}]*$', ''),
            credit_note_text = regexp_replace(left(regexp_replace(credit_note_text, '^Hello \{contact\},\n\n', ''), 2000), '\{[^}]*$', ''),
            void_text = regexp_replace(left(regexp_replace(void_text, '^Hello \{contact\},\n\n', ''), 2000), '\{[^}]*$', ''),
            reminder_1_text = regexp_replace(left(regexp_replace(reminder_1_text, '^Hello \{contact\},\n\n', ''), 2000), '\{[^}]*$', ''),
            reminder_2_text = regexp_replace(left(regexp_replace(reminder_2_text, '^Hello \{contact\},\n\n', ''), 2000), '\{[^}]*$', ''),
            reminder_3_text = regexp_replace(left(regexp_replace(reminder_3_text, '^Hello \{contact\},\n\n', ''), 2000), '\{[^}]*$', '')
        WHERE tenant_id = tenant
            AND invoice_text || credit_note_text || void_text || reminder_1_text || reminder_2_text || reminder_3_text <> '';
    END LOOP;
    PERFORM set_config('onlyonce.tenant_id', '', true);
END $$;
-- +goose StatementEnd
ALTER DOMAIN mail_text DROP CONSTRAINT mail_text_check;
ALTER DOMAIN mail_text ADD CONSTRAINT mail_text_check CHECK (length(VALUE) <= 2000
    AND regexp_replace(VALUE, '\{(business|contact|credit_note|credited|credited_on|customer|due|issued|number|open|total)\}', '', 'g')
        !~ '[{}]');

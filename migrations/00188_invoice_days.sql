-- Days of invoices are days of their business: the default dates, the day of a void and the days of reminders.

-- +goose Up
ALTER TABLE credit_notes ALTER issue_date SET DEFAULT business_day();
ALTER TABLE invoice_reminders ALTER sent_on SET DEFAULT business_day();

-- send_reminder is unchanged, except for the day.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION send_reminder(
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

-- tax_invoice is unchanged, except for the day of a void.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION tax_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status = 'issued' THEN
        INSERT INTO invoice_taxes (tenant_id, invoice_id, source_id, kind, tax_rate, treatment, day, billed_on, currency, net, tax)
        SELECT NEW.tenant_id, NEW.id, NEW.id, 'invoice', tax_rate, taxed_as(tax_treatment, tax_rate), NEW.issue_date, NEW.issue_date, NEW.currency,
            sum(net), round(sum(net) * tax_rate * 0.01)
        FROM invoice_lines WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.id
        GROUP BY tax_rate, tax_treatment;
    ELSE
        INSERT INTO invoice_taxes (tenant_id, invoice_id, source_id, kind, tax_rate, treatment, day, billed_on, currency, net, tax)
        SELECT tenant_id, invoice_id, source_id, 'void', tax_rate, treatment, greatest(billed_on, business_day(NEW.voided_at)),
            billed_on, currency, net, tax
        FROM invoice_taxes WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.id AND source_id = NEW.id AND kind = 'invoice';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- keep_closings is unchanged, except for the day.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_closings() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last date;
BEGIN
    PERFORM pg_advisory_xact_lock(books_lock(NEW.tenant_id));
    last := books_closed(NEW.tenant_id, NEW.through);
    IF NEW.through >= business_day() THEN
        RAISE EXCEPTION 'the day is not over' USING ERRCODE = 'check_violation', CONSTRAINT = 'closings_of_past';
    ELSIF last > NEW.through THEN
        RAISE EXCEPTION 'a later day is closed' USING ERRCODE = 'check_violation', CONSTRAINT = 'closings_in_order', DETAIL = last;
    ELSIF TG_OP = 'INSERT' THEN
        NEW.created_at := clock_timestamp();
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_closings() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last date;
BEGIN
    PERFORM pg_advisory_xact_lock(books_lock(NEW.tenant_id));
    last := books_closed(NEW.tenant_id, NEW.through);
    IF NEW.through >= (now() AT TIME ZONE 'UTC')::date THEN
        RAISE EXCEPTION 'the day is not over' USING ERRCODE = 'check_violation', CONSTRAINT = 'closings_of_past';
    ELSIF last > NEW.through THEN
        RAISE EXCEPTION 'a later day is closed' USING ERRCODE = 'check_violation', CONSTRAINT = 'closings_in_order', DETAIL = last;
    ELSIF TG_OP = 'INSERT' THEN
        NEW.created_at := clock_timestamp();
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION tax_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status = 'issued' THEN
        INSERT INTO invoice_taxes (tenant_id, invoice_id, source_id, kind, tax_rate, treatment, day, billed_on, currency, net, tax)
        SELECT NEW.tenant_id, NEW.id, NEW.id, 'invoice', tax_rate, taxed_as(tax_treatment, tax_rate), NEW.issue_date, NEW.issue_date, NEW.currency,
            sum(net), round(sum(net) * tax_rate * 0.01)
        FROM invoice_lines WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.id
        GROUP BY tax_rate, tax_treatment;
    ELSE
        INSERT INTO invoice_taxes (tenant_id, invoice_id, source_id, kind, tax_rate, treatment, day, billed_on, currency, net, tax)
        SELECT tenant_id, invoice_id, source_id, 'void', tax_rate, treatment, greatest(billed_on, (NEW.voided_at AT TIME ZONE 'UTC')::date),
            billed_on, currency, net, tax
        FROM invoice_taxes WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.id AND source_id = NEW.id AND kind = 'invoice';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION send_reminder(
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
ALTER TABLE invoice_reminders ALTER sent_on SET DEFAULT (now() AT TIME ZONE 'UTC')::date;
ALTER TABLE credit_notes ALTER issue_date SET DEFAULT (now() AT TIME ZONE 'UTC')::date;

-- Erasure of a customer, in the tables of invoices. An issued invoice stays as it is, with all that belongs to it: the law keeps it. What
-- was never issued stays without texts.

-- +goose Up

-- being_erased reports whether this very transaction erases a customer.
-- +goose StatementBegin
CREATE FUNCTION being_erased(in_tenant uuid, in_customer uuid) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM customers WHERE tenant_id = in_tenant AND id = in_customer AND erased_at = now());
END $$;
-- +goose StatementEnd

-- keep_invoice is unchanged, except that an erasure may empty the notes of an invoice that was voided as a draft.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'an invoice is voided, never deleted' USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_kept';
    END IF;
    IF (OLD.status, NEW.status) NOT IN (('draft', 'draft'), ('draft', 'issued'), ('draft', 'void'),
        ('issued', 'issued'), ('issued', 'void'))
        -- A merge moves the void ones too.
        AND (OLD.customer_id = NEW.customer_id
            OR (OLD.status, OLD.voided_at, OLD.duplicate_of) IS DISTINCT FROM (NEW.status, NEW.voided_at, NEW.duplicate_of))
        AND NOT (NEW.status = 'void' AND OLD.issued_at IS NULL AND being_erased(OLD.tenant_id, OLD.customer_id)) THEN
        RAISE EXCEPTION 'no way from % to %', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_life';
    END IF;
    IF (NEW.issued_at IS NULL) <> (NEW.bill_to IS NULL) OR (NEW.issued_at IS NULL) <> (NEW.seller IS NULL)
        OR NEW.status = 'issued' AND NEW.issued_at IS NULL OR (NEW.status = 'void') <> (NEW.voided_at IS NOT NULL)
        OR NEW.status = 'draft' AND NEW.issued_at IS NOT NULL THEN
        RAISE EXCEPTION 'stamps do not go with the state %', NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_stamped';
    END IF;
    IF OLD.status <> 'draft' AND (
        (OLD.number, OLD.currency, OLD.issue_date, OLD.due_date,
            CASE WHEN OLD.issued_at IS NULL AND being_erased(OLD.tenant_id, OLD.customer_id) THEN NEW.notes ELSE OLD.notes END,
            OLD.subtotal, OLD.tax_total,
            OLD.total, OLD.issued_at, OLD.bill_to::text, OLD.seller::text, OLD.source, OLD.external_id)
        IS DISTINCT FROM
        (NEW.number, NEW.currency, NEW.issue_date, NEW.due_date, NEW.notes, NEW.subtotal, NEW.tax_total,
            NEW.total, NEW.issued_at, NEW.bill_to::text, NEW.seller::text, NEW.source, NEW.external_id)
        OR OLD.customer_id <> NEW.customer_id
            AND NOT moved_by_merge('invoices', OLD.tenant_id, OLD.id, OLD.customer_id, NEW.customer_id)) THEN
        RAISE EXCEPTION 'an invoice that was issued does not change'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_frozen';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- keep_invoice_lines has the same exception.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_invoice_lines() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM touched t
        WHERE (
            SELECT status <> 'draft' AND (TG_OP <> 'UPDATE' OR issued_at IS NOT NULL OR NOT being_erased(i.tenant_id, i.customer_id))
            FROM invoices i WHERE i.tenant_id = t.tenant_id AND i.id = t.invoice_id)) THEN
        RAISE EXCEPTION 'an invoice that was issued does not change'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_frozen';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- A schedule of an erased customer stays archived.
CREATE TRIGGER refuse_erased_customer BEFORE INSERT OR UPDATE OF customer_id, archived_at ON schedules FOR EACH ROW
    WHEN (NEW.archived_at IS NULL) EXECUTE FUNCTION refuse_erased_customer();

-- refuse_mail_to_erased keeps the address of an erased customer from being stored once more.
-- +goose StatementBegin
CREATE FUNCTION refuse_mail_to_erased() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM live_customer(tenant_id, customer_id) FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER refuse_mail_to_erased BEFORE INSERT ON mails FOR EACH ROW EXECUTE FUNCTION refuse_mail_to_erased();

-- erase_invoices erases what the tables of invoices have of a customer besides issued invoices. It fails with constraint customers_in_use
-- if something is still to come: a draft, an unpaid invoice, a schedule or an email. The detail names it, as JSON.
-- +goose StatementBegin
CREATE FUNCTION erase_invoices() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    billed    uuid[] := ARRAY(SELECT id FROM invoices WHERE tenant_id = NEW.tenant_id AND customer_id = NEW.id);
    scheduled uuid[] := ARRAY(SELECT id FROM schedules WHERE tenant_id = NEW.tenant_id AND customer_id = NEW.id);
    mailed    uuid[] := ARRAY(SELECT id FROM mails WHERE tenant_id = NEW.tenant_id AND invoice_id = ANY (billed));
    in_use    json;
BEGIN
    SELECT json_build_object('many', many, 'id', id, 'name', name, 'why', why) INTO in_use FROM (
        (SELECT 'invoices' AS many, id, number AS name,
            'Invoice ' || number || CASE state WHEN 'draft' THEN ' is a draft.' ELSE ' isn''t paid yet.' END AS why
        FROM invoices WHERE tenant_id = NEW.tenant_id AND customer_id = NEW.id AND state IN ('draft', 'issued', 'partially_paid')
        ORDER BY issue_date, id LIMIT 1)
        UNION ALL
        (SELECT 'schedules', id, 'the recurring invoice', 'A recurring invoice isn''t archived.'
        FROM schedules WHERE tenant_id = NEW.tenant_id AND id = ANY (scheduled) AND archived_at IS NULL LIMIT 1)
        UNION ALL
        (SELECT 'outbox', id, 'the email', 'An email to the customer is still to be sent.'
        FROM mails WHERE tenant_id = NEW.tenant_id AND id = ANY (mailed) AND state = 'queued' LIMIT 1)) AS any_use LIMIT 1;
    IF in_use IS NOT NULL THEN
        RAISE EXCEPTION 'the customer is in use' USING ERRCODE = 'check_violation', CONSTRAINT = 'customers_in_use', DETAIL = in_use;
    END IF;

    UPDATE mails SET recipient = 'erased', message = '', body = '', reason = '' WHERE tenant_id = NEW.tenant_id AND id = ANY (mailed);
    UPDATE schedules
    SET notes = '', lines = (SELECT jsonb_agg(line || '{"description": "Erased"}') FROM jsonb_array_elements(lines) AS line)
    WHERE tenant_id = NEW.tenant_id AND id = ANY (scheduled);
    UPDATE invoice_lines SET description = 'Erased'
    WHERE tenant_id = NEW.tenant_id AND invoice_id = ANY (ARRAY(
        SELECT id FROM invoices WHERE tenant_id = NEW.tenant_id AND id = ANY (billed) AND issued_at IS NULL));
    UPDATE invoices SET notes = '' WHERE tenant_id = NEW.tenant_id AND id = ANY (billed) AND issued_at IS NULL AND notes <> '';

    PERFORM erase_history(NEW.tenant_id, mailed || scheduled);
    PERFORM erase_history(NEW.tenant_id, billed, '{customer,notes,lines}');
    -- Drafts and schedules that were the customer's before they got another one.
    PERFORM erase_history(NEW.tenant_id, ARRAY(
        SELECT record_id FROM intents WHERE tenant_id = NEW.tenant_id AND changes ? 'customer'
            AND NEW.id::text IN (changes #>> '{customer,0,id}', changes #>> '{customer,1,id}')), '{customer,notes,lines}');
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER erase_invoices AFTER UPDATE OF erased_at ON customers FOR EACH ROW
    WHEN (OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL) EXECUTE FUNCTION erase_invoices();

-- The few changes of an invoice's or a schedule's customer. Without the index, an erasure would read all intents of the tenant.
CREATE INDEX intents_of_other_customer ON intents (tenant_id, at) WHERE changes ? 'customer';

-- +goose Down
DROP INDEX intents_of_other_customer;
DROP TRIGGER erase_invoices ON customers;
DROP TRIGGER refuse_mail_to_erased ON mails;
DROP TRIGGER refuse_erased_customer ON schedules;
DROP FUNCTION erase_invoices, refuse_mail_to_erased;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_invoice_lines() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM touched t
        WHERE (SELECT status FROM invoices i WHERE i.tenant_id = t.tenant_id AND i.id = t.invoice_id) <> 'draft') THEN
        RAISE EXCEPTION 'an invoice that was issued does not change'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_frozen';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'an invoice is voided, never deleted' USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_kept';
    END IF;
    IF (OLD.status, NEW.status) NOT IN (('draft', 'draft'), ('draft', 'issued'), ('draft', 'void'),
        ('issued', 'issued'), ('issued', 'void'))
        -- A merge moves the void ones too.
        AND (OLD.customer_id = NEW.customer_id
            OR (OLD.status, OLD.voided_at, OLD.duplicate_of) IS DISTINCT FROM (NEW.status, NEW.voided_at, NEW.duplicate_of)) THEN
        RAISE EXCEPTION 'no way from % to %', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_life';
    END IF;
    IF (NEW.issued_at IS NULL) <> (NEW.bill_to IS NULL) OR (NEW.issued_at IS NULL) <> (NEW.seller IS NULL)
        OR NEW.status = 'issued' AND NEW.issued_at IS NULL OR (NEW.status = 'void') <> (NEW.voided_at IS NOT NULL)
        OR NEW.status = 'draft' AND NEW.issued_at IS NOT NULL THEN
        RAISE EXCEPTION 'stamps do not go with the state %', NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_stamped';
    END IF;
    IF OLD.status <> 'draft' AND (
        (OLD.number, OLD.currency, OLD.issue_date, OLD.due_date, OLD.notes, OLD.subtotal, OLD.tax_total,
            OLD.total, OLD.issued_at, OLD.bill_to::text, OLD.seller::text, OLD.source, OLD.external_id)
        IS DISTINCT FROM
        (NEW.number, NEW.currency, NEW.issue_date, NEW.due_date, NEW.notes, NEW.subtotal, NEW.tax_total,
            NEW.total, NEW.issued_at, NEW.bill_to::text, NEW.seller::text, NEW.source, NEW.external_id)
        OR OLD.customer_id <> NEW.customer_id
            AND NOT moved_by_merge('invoices', OLD.tenant_id, OLD.id, OLD.customer_id, NEW.customer_id)) THEN
        RAISE EXCEPTION 'an invoice that was issued does not change'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_frozen';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
DROP FUNCTION being_erased;

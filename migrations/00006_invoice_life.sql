-- The life of an invoice: a draft is issued, and a draft or an issued invoice is voided. What was issued is
-- frozen, and nothing is ever deleted.

-- +goose Up
ALTER DOMAIN invoice_status DROP CONSTRAINT invoice_status_check;
ALTER DOMAIN invoice_status ADD CHECK (VALUE IN ('draft', 'issued', 'void'));

ALTER TABLE invoices
    ADD COLUMN issued_at timestamptz,
    ADD COLUMN voided_at timestamptz,
    -- The customer as the issued invoice names them, whatever becomes of the customer.
    ADD COLUMN bill_to   json;

-- keep_invoice holds the life of an invoice, whoever sends the UPDATE: which state follows which, and that what
-- was issued stays as it is.
-- +goose StatementBegin
CREATE FUNCTION keep_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'an invoice is voided, never deleted' USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_kept';
    END IF;
    IF (OLD.status, NEW.status) NOT IN (('draft', 'draft'), ('draft', 'issued'), ('draft', 'void'),
        ('issued', 'issued'), ('issued', 'void')) THEN
        RAISE EXCEPTION 'no way from % to %', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_life';
    END IF;
    IF (NEW.issued_at IS NULL) <> (NEW.bill_to IS NULL) OR NEW.status = 'issued' AND NEW.issued_at IS NULL
        OR (NEW.status = 'void') <> (NEW.voided_at IS NOT NULL) OR NEW.status = 'draft' AND NEW.issued_at IS NOT NULL THEN
        RAISE EXCEPTION 'stamps do not go with the state %', NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_stamped';
    END IF;
    IF OLD.status <> 'draft' AND (
        (OLD.number, OLD.customer_id, OLD.currency, OLD.issue_date, OLD.due_date, OLD.notes, OLD.subtotal, OLD.tax_total,
            OLD.total, OLD.issued_at, OLD.bill_to::text)
        IS DISTINCT FROM
        (NEW.number, NEW.customer_id, NEW.currency, NEW.issue_date, NEW.due_date, NEW.notes, NEW.subtotal, NEW.tax_total,
            NEW.total, NEW.issued_at, NEW.bill_to::text)) THEN
        RAISE EXCEPTION 'an invoice that was issued does not change'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_frozen';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER keep_invoice BEFORE UPDATE OR DELETE ON invoices FOR EACH ROW EXECUTE FUNCTION keep_invoice();

-- keep_invoice_lines holds the lines of an invoice that is no draft.
-- +goose StatementBegin
CREATE FUNCTION keep_invoice_lines() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER keep_new_lines AFTER INSERT ON invoice_lines
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION keep_invoice_lines();
CREATE TRIGGER keep_changed_lines AFTER UPDATE ON invoice_lines
    REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION keep_invoice_lines();
CREATE TRIGGER keep_old_lines AFTER DELETE ON invoice_lines
    REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION keep_invoice_lines();

-- release_invoice_number marks a place as free again, because a draft was given another number. The caller
-- holds the lock of the series.
-- +goose StatementBegin
CREATE FUNCTION release_invoice_number(in_tenant uuid, in_year integer, place bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    run invoice_number_runs; -- that the place is in
BEGIN
    SELECT * INTO run FROM invoice_number_runs
    WHERE tenant_id = in_tenant AND year = in_year AND first <= place
    ORDER BY first DESC LIMIT 1;
    IF run.last IS NULL OR run.last < place THEN
        RETURN;
    END IF;
    IF run.first < place THEN
        UPDATE invoice_number_runs SET last = place - 1 WHERE tenant_id = in_tenant AND year = in_year AND first = run.first;
    ELSE
        DELETE FROM invoice_number_runs WHERE tenant_id = in_tenant AND year = in_year AND first = run.first;
    END IF;
    IF place < run.last THEN
        INSERT INTO invoice_number_runs (tenant_id, year, first, last) VALUES (in_tenant, in_year, place + 1, run.last);
    END IF;
END $$;
-- +goose StatementEnd

-- renumber_invoice keeps account of the number that a draft gives up.
-- +goose StatementBegin
CREATE FUNCTION renumber_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    old_place bigint := series_place(OLD.number_folded, OLD.issue_year);
BEGIN
    IF old_place IS NOT NULL
        AND (OLD.issue_year, OLD.number_folded) IS DISTINCT FROM (NEW.issue_year, NEW.number_folded) THEN
        PERFORM pg_advisory_xact_lock(invoice_series_lock(OLD.tenant_id, OLD.issue_year)),
            release_invoice_number(OLD.tenant_id, OLD.issue_year, old_place);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER renumber_invoice AFTER UPDATE OF number, issue_date ON invoices
    FOR EACH ROW EXECUTE FUNCTION renumber_invoice();

-- +goose Down
DROP TRIGGER renumber_invoice ON invoices;
DROP FUNCTION renumber_invoice;
DROP FUNCTION release_invoice_number;
DROP TRIGGER keep_old_lines ON invoice_lines;
DROP TRIGGER keep_changed_lines ON invoice_lines;
DROP TRIGGER keep_new_lines ON invoice_lines;
DROP FUNCTION keep_invoice_lines;
DROP TRIGGER keep_invoice ON invoices;
DROP FUNCTION keep_invoice;
ALTER TABLE invoices DROP COLUMN bill_to, DROP COLUMN voided_at, DROP COLUMN issued_at;
ALTER DOMAIN invoice_status DROP CONSTRAINT invoice_status_check;
ALTER DOMAIN invoice_status ADD CHECK (VALUE IN ('draft'));

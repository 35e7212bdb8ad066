-- Invoices and their lines. A draft is issued, and a draft or an issued invoice is voided. What was issued is frozen, and
-- nothing is ever deleted.

-- +goose Up
CREATE DOMAIN invoice_status AS text CHECK (VALUE IN ('draft', 'issued', 'void'));

-- invoice_state returns the state as people know it. It is written in PL/pgSQL, of which a statement that writes to the table
-- reads no more than the call.
-- +goose StatementBegin
CREATE FUNCTION invoice_state(status text, total bigint, paid bigint, credited bigint) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN CASE
        WHEN status <> 'issued' THEN status
        WHEN paid + credited = total AND paid = 0 AND credited > 0 THEN 'credited'
        WHEN paid + credited = total THEN 'paid'
        WHEN paid > 0 THEN 'partially_paid'
        ELSE 'issued'
    END;
END $$;
-- +goose StatementEnd

CREATE TABLE invoices (
    tenant_id     uuid           NOT NULL,
    id            uuid           NOT NULL,
    number        text           NOT NULL,
    number_folded text           COLLATE "C" NOT NULL GENERATED ALWAYS AS (fold_invoice_number(number)) STORED,
    status        invoice_status NOT NULL DEFAULT 'draft',
    customer_id   uuid           NOT NULL,
    currency      currency_code  NOT NULL,
    issue_date    date           NOT NULL,
    issue_year    integer        NOT NULL GENERATED ALWAYS AS (extract(year FROM issue_date)::integer) STORED,
    due_date      date           NOT NULL,
    notes         text           NOT NULL,
    subtotal      minor_units    NOT NULL,
    tax_total     minor_units    NOT NULL,
    total         minor_units    NOT NULL,
    -- What invoices are sorted by when it goes by the total: the currency, and within it the largest total first.
    total_rank    text           COLLATE "C" NOT NULL GENERATED ALWAYS AS (
        currency || lpad((9223372036854775807 - total)::text, 19, '0')) STORED,
    -- The sums of the postings of the invoice: see the ledger.
    paid          minor_units    NOT NULL DEFAULT 0,
    credited      minor_units    NOT NULL DEFAULT 0,
    open_amount   minor_units    NOT NULL GENERATED ALWAYS AS (total - paid - credited) STORED,
    state         text           NOT NULL GENERATED ALWAYS AS (invoice_state(status, total, paid, credited)) STORED,
    -- The business and the customer as the issued invoice names them, whatever becomes of them.
    seller        json,
    bill_to       json,
    issued_at     timestamptz,
    voided_at     timestamptz,
    -- The invoice that is kept, where this one was voided because it was there twice.
    duplicate_of  uuid,
    -- What another system calls the invoice, both or neither, and SHA-256 of what that system said of it last.
    source        external_source,
    source_folded text           COLLATE "C" GENERATED ALWAYS AS (fold_text(source)) STORED,
    external_id   external_id,
    external_digest sha256_digest,
    version       record_version NOT NULL DEFAULT 1,
    created_at    timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT invoices_number_once_per_year UNIQUE (tenant_id, issue_year, number_folded),
    CONSTRAINT invoices_external CHECK (num_nonnulls(source, external_id, external_digest) IN (0, 3)),
    -- Printable ASCII with single spaces: nothing invisible, and no letters that look like others.
    CONSTRAINT invoices_number_ascii CHECK (number_folded ~ '^[!-~]+( [!-~]+)*$'),
    -- What looks like a number of another year's series would be allocated there once more.
    CONSTRAINT invoices_number_of_its_year CHECK (
        number_folded !~ '^(19|[2-9][0-9])[0-9]{2}-[0-9]{4,}$' OR left(number_folded, 4) = issue_year::text),
    CONSTRAINT invoices_customer FOREIGN KEY (tenant_id, customer_id) REFERENCES customers (tenant_id, live_id),
    -- What is entered into the books has a date of this century, so that a slip of the finger is found.
    CONSTRAINT invoices_dated CHECK (issue_date >= '2000-01-01' AND due_date <= '2099-12-31'),
    CONSTRAINT invoices_due_after_issue CHECK (due_date >= issue_date),
    CONSTRAINT invoices_total_adds_up CHECK (total = subtotal + tax_total),
    CONSTRAINT invoices_duplicate_of FOREIGN KEY (tenant_id, duplicate_of) REFERENCES invoices (tenant_id, id),
    CONSTRAINT invoices_duplicates_are_void CHECK (duplicate_of IS NULL OR status = 'void')
);
CREATE UNIQUE INDEX invoices_external_once ON invoices (tenant_id, source_folded, external_id) WHERE external_id IS NOT NULL;
-- An index for each order of a list. The state leads: a list is merged from one stream for each state that is wanted, and
-- none is read in vain.
CREATE INDEX invoices_by_date ON invoices (tenant_id, state, issue_date, id);
CREATE INDEX invoices_by_due ON invoices (tenant_id, state, due_date, id);
CREATE INDEX invoices_by_total ON invoices (tenant_id, state, total_rank, id);
CREATE INDEX invoices_of_customer ON invoices (tenant_id, customer_id, issue_date, id);
CREATE INDEX invoices_duplicates ON invoices (tenant_id, duplicate_of, id) WHERE duplicate_of IS NOT NULL;
-- What a customer owes.
CREATE INDEX invoices_open_of_customer ON invoices (tenant_id, customer_id, due_date, id) WHERE state IN ('issued', 'partially_paid');

CREATE TABLE invoice_lines (
    tenant_id   uuid        NOT NULL,
    invoice_id  uuid        NOT NULL,
    position    integer     NOT NULL,
    description text        NOT NULL,
    quantity    numeric     NOT NULL,
    unit_price  minor_units NOT NULL,
    tax_rate    numeric     NOT NULL,
    net         minor_units NOT NULL,
    PRIMARY KEY (tenant_id, invoice_id, position),
    CONSTRAINT invoice_lines_in_range CHECK (
        position > 0 AND description <> '' AND quantity > 0 AND tax_rate BETWEEN 0 AND 100),
    CONSTRAINT invoice_lines_invoice FOREIGN KEY (tenant_id, invoice_id) REFERENCES invoices (tenant_id, id)
);

ALTER TABLE invoices ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoices USING (tenant_id = current_tenant());
REVOKE TRUNCATE ON invoices FROM CURRENT_USER;
ALTER TABLE invoice_lines ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoice_lines USING (tenant_id = current_tenant());

CREATE TRIGGER next_version BEFORE UPDATE ON invoices FOR EACH ROW EXECUTE FUNCTION next_version();
CREATE TRIGGER number_invoice BEFORE INSERT OR UPDATE OF number, issue_date ON invoices
    FOR EACH ROW EXECUTE FUNCTION number_invoice();
CREATE TRIGGER renumber_invoice AFTER UPDATE OF number, issue_date ON invoices
    FOR EACH ROW EXECUTE FUNCTION renumber_invoice();

-- keep_invoice refuses every UPDATE that skips a state, or that changes an issued invoice. Only a merge
-- of its customer, or its undoing, moves the reference, and it is recorded before.
-- +goose StatementBegin
CREATE FUNCTION keep_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER keep_invoice BEFORE UPDATE OR DELETE ON invoices FOR EACH ROW EXECUTE FUNCTION keep_invoice();

-- keep_duplicate refuses an invoice as a duplicate of what is not another invoice of its customer, or is void. The lock lets two
-- that are voided at once, each as a duplicate of the other, wait for each other: one of them is kept.
-- +goose StatementBegin
CREATE FUNCTION keep_duplicate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM invoices
    WHERE tenant_id = NEW.tenant_id AND id = NEW.duplicate_of AND id <> NEW.id AND customer_id = NEW.customer_id AND status <> 'void'
    FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no invoice to be a duplicate of' USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_duplicate_of';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER keep_duplicate BEFORE INSERT OR UPDATE OF duplicate_of ON invoices FOR EACH ROW
    WHEN (NEW.duplicate_of IS NOT NULL) EXECUTE FUNCTION keep_duplicate();

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

-- +goose Down
DROP TABLE invoice_lines, invoices;
DROP FUNCTION keep_invoice_lines, keep_duplicate, keep_invoice, invoice_state;
DROP DOMAIN invoice_status;

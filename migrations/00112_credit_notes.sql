-- Credit notes take back what was billed. Each is posted to the ledger in the transaction that stores it, and never goes
-- beyond what is open, nor beyond what its lines bill.

-- +goose Up

-- The last number that the series of a year has given out. Its row is locked until the transaction ends, so numbers
-- are consecutive, and one that is rolled back leaves no gap.
CREATE TABLE credit_note_series (
    tenant_id uuid    NOT NULL REFERENCES tenants,
    year      integer NOT NULL,
    last      bigint  NOT NULL CHECK (last > 0),
    PRIMARY KEY (tenant_id, year)
);
ALTER TABLE credit_note_series ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON credit_note_series USING (tenant_id = current_tenant());

CREATE TABLE credit_notes (
    tenant_id  uuid           NOT NULL,
    id         uuid           NOT NULL,
    invoice_id uuid           NOT NULL,
    issue_date date           NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,
    -- What follows from the lines, and the next number of the series, such as CN-2026-0042: see post_credit_note.
    number     text           NOT NULL,
    subtotal   minor_units    NOT NULL,
    tax_total  minor_units    NOT NULL,
    total      minor_units    NOT NULL,
    taxes      json           NOT NULL, -- [{"rate": "23", "net": 1000, "tax": 230}], lowest rate first
    version    record_version NOT NULL DEFAULT 1,
    created_at timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT credit_notes_number_once UNIQUE (tenant_id, number),
    CONSTRAINT credit_notes_invoice FOREIGN KEY (tenant_id, invoice_id) REFERENCES invoices (tenant_id, id)
);
CREATE INDEX credit_notes_of_invoice ON credit_notes (tenant_id, invoice_id, id);
CREATE INDEX credit_notes_by_day ON credit_notes (tenant_id, issue_date, id);

-- The lines come before their credit note, which adds them up.
CREATE TABLE credit_note_lines (
    tenant_id      uuid        NOT NULL,
    credit_note_id uuid        NOT NULL,
    invoice_id     uuid        NOT NULL,
    position       integer     NOT NULL, -- of the line of the invoice
    quantity       numeric     NOT NULL CHECK (quantity > 0),
    -- How much of the line was credited up to this credit note, and how much of its net amount this one credits: see
    -- credit_line.
    credited       numeric     NOT NULL,
    net            minor_units NOT NULL,
    PRIMARY KEY (tenant_id, credit_note_id, position),
    CONSTRAINT credit_note_lines_credit_note FOREIGN KEY (tenant_id, credit_note_id) REFERENCES credit_notes (tenant_id, id)
        DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT credit_note_lines_line FOREIGN KEY (tenant_id, invoice_id, position)
        REFERENCES invoice_lines (tenant_id, invoice_id, position)
);
CREATE INDEX credit_note_lines_in_order ON credit_note_lines (tenant_id, invoice_id, position, credited);

CREATE TRIGGER next_version BEFORE UPDATE ON credit_notes FOR EACH ROW EXECUTE FUNCTION next_version();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON credit_notes FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON credit_note_lines FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON credit_notes FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON credit_note_lines FOR EACH STATEMENT EXECUTE FUNCTION append_only();
ALTER TABLE credit_notes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON credit_notes USING (tenant_id = current_tenant());
ALTER TABLE credit_note_lines ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON credit_note_lines USING (tenant_id = current_tenant());

-- credited_quantity returns how much of a line of an invoice was credited.
CREATE FUNCTION credited_quantity(in_tenant uuid, in_invoice uuid, in_position integer) RETURNS numeric
LANGUAGE sql STABLE
RETURN COALESCE((
    SELECT max(credited) FROM credit_note_lines
    WHERE tenant_id = in_tenant AND invoice_id = in_invoice AND position = in_position), 0);

-- credit_line credits a quantity of a line. Its net amount is that of all that was credited of the line, less that of
-- what was credited before: rounded steps add up to the rounded whole. It locks the invoice like post_payment. It fails
-- with constraint credit_notes_of_issued, credit_note_lines_line, credit_notes_append_only if the credit note is there
-- already, or credit_note_lines_within_line with a JSON object as detail: the position, and the quantity that is left.
-- +goose StatementBegin
CREATE FUNCTION credit_line() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    its_status invoice_status;
    line       invoice_lines;
    before     numeric;
BEGIN
    SELECT status INTO its_status FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR UPDATE;
    SELECT * INTO line FROM invoice_lines
    WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.invoice_id AND position = NEW.position;
    before := credited_quantity(NEW.tenant_id, NEW.invoice_id, NEW.position);
    NEW.credited := before + NEW.quantity;
    NEW.net := round(line.unit_price * NEW.credited) - round(line.unit_price * before);
    IF its_status <> 'issued' THEN
        RAISE EXCEPTION 'not issued' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_of_issued';
    ELSIF line IS NULL THEN
        RAISE EXCEPTION 'no such line' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'credit_note_lines_line';
    ELSIF EXISTS (SELECT FROM credit_notes WHERE tenant_id = NEW.tenant_id AND id = NEW.credit_note_id) THEN
        RAISE EXCEPTION 'a credit note does not change' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_append_only';
    ELSIF NEW.credited > line.quantity THEN
        RAISE EXCEPTION 'more than is left of the line'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_note_lines_within_line',
                DETAIL = json_build_object('position', NEW.position, 'left', trim_scale(line.quantity - before)::text);
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER credit_line BEFORE INSERT ON credit_note_lines FOR EACH ROW EXECUTE FUNCTION credit_line();

-- post_credit_note adds up the lines of a credit note, gives it the next number and writes its posting. The tax of a rate
-- is that of all that was credited of the rate, less that of what was credited before. It locks the invoice like
-- post_payment, and then the series. It fails with constraint credit_notes_invoice, also if a line is of another one,
-- credit_notes_of_issued, credit_notes_of_lines if there are none, or credit_notes_within_open with the open amount as
-- detail.
-- +goose StatementBegin
CREATE FUNCTION post_credit_note() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    billed  invoices;
    in_year integer := extract(year FROM NEW.issue_date);
    place   bigint;
BEGIN
    SELECT * INTO billed FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR UPDATE;
    IF NOT FOUND OR EXISTS (
        SELECT FROM credit_note_lines
        WHERE tenant_id = NEW.tenant_id AND credit_note_id = NEW.id AND invoice_id <> NEW.invoice_id) THEN
        RAISE EXCEPTION 'no such invoice' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'credit_notes_invoice';
    ELSIF billed.status <> 'issued' THEN
        RAISE EXCEPTION 'not issued' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_of_issued';
    END IF;
    WITH line AS (
        SELECT l.tax_rate, c.net, round(l.unit_price * credited_quantity(l.tenant_id, l.invoice_id, l.position)) AS credited
        FROM invoice_lines l
        LEFT JOIN credit_note_lines c ON c.tenant_id = l.tenant_id AND c.credit_note_id = NEW.id AND c.position = l.position
        WHERE l.tenant_id = NEW.tenant_id AND l.invoice_id = NEW.invoice_id
    ), by_rate AS (
        SELECT
            tax_rate, sum(net) AS net,
            round(sum(credited) * tax_rate * 0.01) - round((sum(credited) - sum(net)) * tax_rate * 0.01) AS tax
        FROM line GROUP BY tax_rate HAVING sum(net) IS NOT NULL
    )
    SELECT
        sum(net), sum(tax), sum(net) + sum(tax),
        json_agg(json_build_object('rate', trim_scale(tax_rate)::text, 'net', net, 'tax', tax) ORDER BY tax_rate)
    INTO NEW.subtotal, NEW.tax_total, NEW.total, NEW.taxes
    FROM by_rate;
    IF NEW.total IS NULL THEN
        RAISE EXCEPTION 'no lines' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_of_lines';
    ELSIF NEW.total > billed.open_amount THEN
        RAISE EXCEPTION 'more than is open'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_within_open', DETAIL = billed.open_amount;
    END IF;
    INSERT INTO credit_note_series AS s (tenant_id, year, last) VALUES (NEW.tenant_id, in_year, 1)
    ON CONFLICT (tenant_id, year) DO UPDATE SET last = s.last + 1
    RETURNING last INTO place;
    NEW.number := 'CN-' || format_invoice_number(in_year, place);
    INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
    VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'credit', NEW.total);
    UPDATE invoices SET credited = credited + NEW.total WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER post_credit_note BEFORE INSERT ON credit_notes FOR EACH ROW EXECUTE FUNCTION post_credit_note();

-- An invoice with credit notes, also with such of nothing, is not voided.
-- +goose StatementBegin
CREATE FUNCTION void_without_credit_notes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM credit_notes WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.id) THEN
        RAISE EXCEPTION 'the invoice has credit notes'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_void_without_credit_notes';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER void_without_credit_notes BEFORE UPDATE ON invoices
    FOR EACH ROW WHEN (NEW.status = 'void') EXECUTE FUNCTION void_without_credit_notes();

-- +goose Down
DROP TRIGGER void_without_credit_notes ON invoices;
DROP FUNCTION void_without_credit_notes, credited_quantity;
DROP TABLE credit_note_lines, credit_notes, credit_note_series;
DROP FUNCTION post_credit_note, credit_line;

-- Why a line has no tax. Without a treatment, its rate decides: standard above 0, zero-rated at 0.

-- +goose Up
CREATE DOMAIN tax_treatment AS text CHECK (VALUE IN ('exempt', 'reverse_charge', 'intra_community', 'export', 'outside_scope'));

ALTER TABLE invoice_lines ADD tax_treatment tax_treatment;
ALTER TABLE invoice_lines ADD CONSTRAINT invoice_lines_untaxed CHECK (tax_treatment IS NULL OR tax_rate = 0);

-- keep_outside_scope refuses an invoice with lines of both kinds, outside of the scope of tax and within it (BR-O-11, BR-O-12).
-- +goose StatementBegin
CREATE FUNCTION keep_outside_scope() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM (SELECT DISTINCT tenant_id, invoice_id FROM touched) AS t, LATERAL (
            SELECT count(*) AS n, count(*) FILTER (WHERE tax_treatment = 'outside_scope') AS outside
            FROM invoice_lines l WHERE l.tenant_id = t.tenant_id AND l.invoice_id = t.invoice_id) AS lines
        WHERE outside NOT IN (0, n)) THEN
        RAISE EXCEPTION 'lines outside of the scope of tax beside others'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoice_lines_outside_scope';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER scope_of_new_lines AFTER INSERT ON invoice_lines
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION keep_outside_scope();
CREATE TRIGGER scope_of_changed_lines AFTER UPDATE ON invoice_lines
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION keep_outside_scope();

-- post_credit_note is unchanged, except that the taxes of a credit note are by treatment too.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION post_credit_note() RETURNS trigger LANGUAGE plpgsql AS $$
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
        SELECT
            l.tax_rate, l.tax_treatment, c.net,
            round(l.unit_price * credited_quantity(l.tenant_id, l.invoice_id, l.position)) AS credited
        FROM invoice_lines l
        LEFT JOIN credit_note_lines c ON c.tenant_id = l.tenant_id AND c.credit_note_id = NEW.id AND c.position = l.position
        WHERE l.tenant_id = NEW.tenant_id AND l.invoice_id = NEW.invoice_id
    ), by_rate AS (
        SELECT
            tax_rate, tax_treatment, sum(net) AS net,
            round(sum(credited) * tax_rate * 0.01) - round((sum(credited) - sum(net)) * tax_rate * 0.01) AS tax
        FROM line GROUP BY tax_rate, tax_treatment HAVING sum(net) IS NOT NULL
    )
    SELECT
        sum(net), sum(tax), sum(net) + sum(tax),
        json_agg(json_strip_nulls(json_build_object(
            'rate', trim_scale(tax_rate)::text, 'tax_treatment', tax_treatment, 'net', net, 'tax', tax))
            ORDER BY tax_rate, tax_treatment NULLS FIRST)
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

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION post_credit_note() RETURNS trigger LANGUAGE plpgsql AS $$
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
DROP TRIGGER scope_of_changed_lines ON invoice_lines;
DROP TRIGGER scope_of_new_lines ON invoice_lines;
DROP FUNCTION keep_outside_scope;
ALTER TABLE invoice_lines DROP tax_treatment;
DROP DOMAIN tax_treatment;

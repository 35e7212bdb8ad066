-- A line may have a unit of its quantity, and a discount: an amount, or a share of what it costs without the discount.

-- +goose Up
-- The codes are of UN/ECE Recommendation 20.
CREATE DOMAIN line_unit AS text CHECK (VALUE IN (
    'H87', 'HUR', 'DAY', 'WEE', 'MON', 'ANN', 'KGM', 'KMT', 'MTR', 'MTK', 'MTQ', 'LTR', 'KWH', 'D68'));

ALTER TABLE invoice_lines
    ADD unit          line_unit,
    ADD discount      bigint NOT NULL DEFAULT 0, -- minor units
    ADD discount_rate numeric, -- percent, if the discount follows from it
    ADD CONSTRAINT invoice_lines_net CHECK (net = round(quantity * unit_price) - discount),
    ADD CONSTRAINT invoice_lines_discount CHECK (discount BETWEEN 0 AND round(quantity * unit_price)),
    ADD CONSTRAINT invoice_lines_discount_rate CHECK (
        discount_rate > 0 AND discount_rate <= 100 AND discount = round(round(quantity * unit_price) * discount_rate * 0.01));

-- credited_net returns the net amount of a credited quantity of a line. A discount is shared out evenly over the quantity.
CREATE FUNCTION credited_net(quantity numeric, unit_price numeric, discount bigint, net bigint, credited numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE
RETURN round(CASE WHEN discount = 0 THEN unit_price * credited ELSE net * credited / quantity END);

-- credit_line and post_credit_note are unchanged, except that a line may have a discount.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION credit_line() RETURNS trigger LANGUAGE plpgsql AS $$
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
    NEW.net := credited_net(line.quantity, line.unit_price, line.discount, line.net, NEW.credited)
        - credited_net(line.quantity, line.unit_price, line.discount, line.net, before);
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
            credited_net(l.quantity, l.unit_price, l.discount, l.net, credited_quantity(l.tenant_id, l.invoice_id, l.position)) AS credited
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
CREATE OR REPLACE FUNCTION credit_line() RETURNS trigger LANGUAGE plpgsql AS $$
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
DROP FUNCTION credited_net;
ALTER TABLE invoice_lines
    DROP CONSTRAINT invoice_lines_net, DROP CONSTRAINT invoice_lines_discount, DROP CONSTRAINT invoice_lines_discount_rate,
    DROP discount_rate, DROP discount, DROP unit;
DROP DOMAIN line_unit;

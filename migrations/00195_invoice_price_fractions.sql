-- A unit price may have a fraction of the minor unit: 0.085 EUR is 8 and 0.5.

-- +goose Up
ALTER TABLE invoice_lines
    ADD price_fraction numeric NOT NULL DEFAULT 0,
    ADD CONSTRAINT invoice_lines_price_fraction CHECK (price_fraction >= 0 AND price_fraction < 1 AND scale(price_fraction) <= 6),
    DROP CONSTRAINT invoice_lines_net,
    DROP CONSTRAINT invoice_lines_discount,
    DROP CONSTRAINT invoice_lines_discount_rate,
    ADD CONSTRAINT invoice_lines_net CHECK (net = round(quantity * (unit_price + price_fraction)) - discount),
    ADD CONSTRAINT invoice_lines_discount CHECK (
        discount BETWEEN least(0, round(quantity * (unit_price + price_fraction))) AND greatest(0, round(quantity * (unit_price + price_fraction)))),
    ADD CONSTRAINT invoice_lines_discount_rate CHECK (
        discount_rate > 0 AND discount_rate <= 100 AND discount = round(round(quantity * (unit_price + price_fraction)) * discount_rate * 0.01));

-- credit_line and post_credit_note are unchanged, except for the fraction.
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
    NEW.net := credited_net(line.quantity, line.unit_price + line.price_fraction, line.discount, line.net, NEW.credited)
        - credited_net(line.quantity, line.unit_price + line.price_fraction, line.discount, line.net, before);
    IF its_status <> 'issued' THEN
        RAISE EXCEPTION 'not issued' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_of_issued';
    ELSIF line IS NULL THEN
        RAISE EXCEPTION 'no such line' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'credit_note_lines_line';
    ELSIF EXISTS (SELECT FROM credit_notes WHERE tenant_id = NEW.tenant_id AND id = NEW.credit_note_id) THEN
        RAISE EXCEPTION 'a credit note does not change' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_append_only';
    ELSIF sign(NEW.quantity) = -sign(line.quantity) OR abs(NEW.credited) > abs(line.quantity) THEN
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
    sums    record;
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
            credited_net(l.quantity, l.unit_price + l.price_fraction, l.discount, l.net,
                credited_quantity(l.tenant_id, l.invoice_id, l.position)) AS credited
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
        sum(net) AS net, sum(tax) AS tax,
        json_agg(json_strip_nulls(json_build_object(
            'rate', trim_scale(tax_rate)::text, 'tax_treatment', tax_treatment, 'net', net, 'tax', tax))
            ORDER BY tax_rate, tax_treatment NULLS FIRST) AS taxes
    INTO sums
    FROM by_rate;
    IF sums.net IS NULL THEN
        RAISE EXCEPTION 'no lines' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_of_lines';
    ELSIF least(sums.net, sums.tax) < 0 THEN
        RAISE EXCEPTION 'less than nothing' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_not_negative';
    END IF;
    NEW.subtotal := sums.net;
    NEW.tax_total := sums.tax;
    NEW.total := sums.net + sums.tax;
    NEW.taxes := sums.taxes;
    IF NEW.total > billed.open_amount THEN
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
    NEW.net := credited_net(line.quantity, line.unit_price, line.discount, line.net, NEW.credited)
        - credited_net(line.quantity, line.unit_price, line.discount, line.net, before);
    IF its_status <> 'issued' THEN
        RAISE EXCEPTION 'not issued' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_of_issued';
    ELSIF line IS NULL THEN
        RAISE EXCEPTION 'no such line' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'credit_note_lines_line';
    ELSIF EXISTS (SELECT FROM credit_notes WHERE tenant_id = NEW.tenant_id AND id = NEW.credit_note_id) THEN
        RAISE EXCEPTION 'a credit note does not change' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_append_only';
    ELSIF sign(NEW.quantity) = -sign(line.quantity) OR abs(NEW.credited) > abs(line.quantity) THEN
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
    sums    record;
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
        sum(net) AS net, sum(tax) AS tax,
        json_agg(json_strip_nulls(json_build_object(
            'rate', trim_scale(tax_rate)::text, 'tax_treatment', tax_treatment, 'net', net, 'tax', tax))
            ORDER BY tax_rate, tax_treatment NULLS FIRST) AS taxes
    INTO sums
    FROM by_rate;
    IF sums.net IS NULL THEN
        RAISE EXCEPTION 'no lines' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_of_lines';
    ELSIF least(sums.net, sums.tax) < 0 THEN
        RAISE EXCEPTION 'less than nothing' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_not_negative';
    END IF;
    NEW.subtotal := sums.net;
    NEW.tax_total := sums.tax;
    NEW.total := sums.net + sums.tax;
    NEW.taxes := sums.taxes;
    IF NEW.total > billed.open_amount THEN
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
ALTER TABLE invoice_lines
    DROP CONSTRAINT invoice_lines_net,
    DROP CONSTRAINT invoice_lines_discount,
    DROP CONSTRAINT invoice_lines_discount_rate,
    ADD CONSTRAINT invoice_lines_net CHECK (net = round(quantity * unit_price) - discount),
    ADD CONSTRAINT invoice_lines_discount CHECK (
        discount BETWEEN least(0, round(quantity * unit_price)) AND greatest(0, round(quantity * unit_price))),
    ADD CONSTRAINT invoice_lines_discount_rate CHECK (
        discount_rate > 0 AND discount_rate <= 100 AND discount = round(round(quantity * unit_price) * discount_rate * 0.01)),
    DROP price_fraction;

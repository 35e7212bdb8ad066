-- A credit note may be of an amount with tax, instead of quantities. It's shared out over the tax rates in proportion to what is left of
-- them, and its net amount over the lines. What is left of a line, and of the tax of a rate, is carried forward: the last row of
-- credit_note_lines has the sums of a line, and the row of invoice_taxes of an invoice has those of a rate.

-- +goose Up
ALTER TABLE credit_note_lines
    ADD COLUMN ordinal integer NOT NULL DEFAULT 1, -- counts the credits of a line of the invoice
    ADD COLUMN net_credited bigint NOT NULL DEFAULT 0, -- the net amount that was credited of the line up to this one, like credited
    DROP CONSTRAINT credit_note_lines_quantity_check,
    ADD CONSTRAINT credit_note_lines_quantity_check CHECK (quantity <> 0 OR net <> 0); -- 0 is of an amount
ALTER TABLE invoice_taxes -- of an invoice: up to its last credit note
    ADD COLUMN credited_net bigint NOT NULL DEFAULT 0,
    ADD COLUMN credited_tax bigint NOT NULL DEFAULT 0;

-- The credit notes so far, without the policies, which hide those of tenants.
ALTER TABLE credit_note_lines NO FORCE ROW LEVEL SECURITY;
ALTER TABLE credit_note_lines DISABLE TRIGGER append_only;
UPDATE credit_note_lines c SET ordinal = s.ordinal, net_credited = s.net_credited
FROM (
    SELECT tenant_id, credit_note_id, position, row_number() OVER steps AS ordinal, sum(net) OVER steps AS net_credited
    FROM credit_note_lines
    WINDOW steps AS (PARTITION BY tenant_id, invoice_id, position ORDER BY abs(credited), credit_note_id ROWS UNBOUNDED PRECEDING)
) AS s
WHERE s.tenant_id = c.tenant_id AND s.credit_note_id = c.credit_note_id AND s.position = c.position;
ALTER TABLE credit_note_lines ENABLE TRIGGER append_only;
ALTER TABLE credit_note_lines FORCE ROW LEVEL SECURITY;
ALTER TABLE invoice_taxes NO FORCE ROW LEVEL SECURITY;
DROP TRIGGER append_only ON invoice_taxes;
UPDATE invoice_taxes t SET credited_net = s.net, credited_tax = s.tax
FROM (
    SELECT tenant_id, invoice_id, tax_rate, treatment, sum(net) AS net, sum(tax) AS tax FROM invoice_taxes
    WHERE kind = 'credit' GROUP BY 1, 2, 3, 4) AS s
WHERE t.kind = 'invoice' AND t.tenant_id = s.tenant_id AND t.invoice_id = s.invoice_id AND t.source_id = s.invoice_id
    AND t.tax_rate = s.tax_rate AND t.treatment = s.treatment;
CREATE TRIGGER append_only BEFORE DELETE ON invoice_taxes FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_but_sums BEFORE UPDATE ON invoice_taxes FOR EACH ROW
    WHEN ((OLD.tenant_id, OLD.invoice_id, OLD.source_id, OLD.kind, OLD.tax_rate, OLD.treatment, OLD.day, OLD.billed_on, OLD.currency,
            OLD.net, OLD.tax)
        IS DISTINCT FROM
        (NEW.tenant_id, NEW.invoice_id, NEW.source_id, NEW.kind, NEW.tax_rate, NEW.treatment, NEW.day, NEW.billed_on, NEW.currency,
            NEW.net, NEW.tax))
    EXECUTE FUNCTION append_only();
ALTER TABLE invoice_taxes FORCE ROW LEVEL SECURITY;
DROP INDEX credit_note_lines_in_order;
CREATE INDEX credit_note_lines_in_order ON credit_note_lines (tenant_id, invoice_id, position, ordinal);

-- credited_quantity is unchanged, except that the last row has it. credited_amount returns the net amount.
CREATE OR REPLACE FUNCTION credited_quantity(in_tenant uuid, in_invoice uuid, in_position integer) RETURNS numeric
LANGUAGE sql STABLE
RETURN COALESCE((
    SELECT credited FROM credit_note_lines
    WHERE tenant_id = in_tenant AND invoice_id = in_invoice AND position = in_position ORDER BY ordinal DESC LIMIT 1), 0);
CREATE FUNCTION credited_amount(in_tenant uuid, in_invoice uuid, in_position integer) RETURNS bigint
LANGUAGE sql STABLE
RETURN COALESCE((
    SELECT net_credited FROM credit_note_lines
    WHERE tenant_id = in_tenant AND invoice_id = in_invoice AND position = in_position ORDER BY ordinal DESC LIMIT 1), 0);

-- credit_shares shares an amount with tax out over the tax rates of an invoice, in proportion to what is left of them. Rounded running
-- totals make the shares add up to the amount, and none exceeds what is left.
-- +goose StatementBegin
CREATE FUNCTION credit_shares(in_tenant uuid, in_invoice uuid, amount bigint)
RETURNS TABLE (
    tax_rate numeric, treatment text, credited_net bigint, credited_tax bigint, left_net bigint, left_tax bigint,
    share_net bigint, share_tax bigint)
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH rate AS (
        SELECT tax_rate, treatment, credited_net, credited_tax, net - credited_net AS left_net, tax - credited_tax AS left_tax,
            sum(net - credited_net + tax - credited_tax) OVER (ORDER BY tax_rate, treatment) AS upto,
            sum(net - credited_net + tax - credited_tax) OVER () AS whole
        FROM invoice_taxes
        WHERE tenant_id = in_tenant AND invoice_id = in_invoice AND source_id = in_invoice AND kind = 'invoice'
    ), share AS (
        SELECT *, CASE
            WHEN amount = whole THEN left_net + left_tax
            ELSE round(amount * upto / NULLIF(whole, 0)) - round(amount * (upto - left_net - left_tax) / NULLIF(whole, 0)) END AS gross
        FROM rate
    ), split AS (
        SELECT *, CASE
            WHEN amount = whole THEN left_net ELSE round(gross * left_net / NULLIF(left_net + left_tax, 0)) END AS net
        FROM share
    )
    SELECT tax_rate, treatment, credited_net, credited_tax, left_net, left_tax, COALESCE(net, 0)::bigint, COALESCE(gross - net, 0)::bigint
    FROM split;
END;
-- +goose StatementEnd

-- credit_amount inserts the lines of a credit note of an amount. It locks the invoice like post_credit_note. It fails with constraint
-- credit_notes_within_open and the sum of the open and paid amounts as detail, or credit_notes_by_quantity if less than nothing is left
-- of a rate.
-- +goose StatementBegin
CREATE FUNCTION credit_amount(in_tenant uuid, in_note uuid, in_invoice uuid, amount bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    billed invoices;
BEGIN
    SELECT * INTO billed FROM invoices WHERE tenant_id = in_tenant AND id = in_invoice AND status = 'issued' FOR UPDATE;
    IF NOT FOUND THEN
        RETURN; -- post_credit_note reports why
    ELSIF amount > billed.open_amount + billed.paid THEN
        RAISE EXCEPTION 'more than is open and paid' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_within_open',
            DETAIL = billed.open_amount + billed.paid;
    ELSIF amount < billed.total - billed.credited AND EXISTS (
        SELECT FROM credit_shares(in_tenant, in_invoice, amount) WHERE least(left_net, left_tax) < 0) THEN
        RAISE EXCEPTION 'less than nothing is left of a rate'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_by_quantity';
    END IF;
    INSERT INTO credit_note_lines (tenant_id, credit_note_id, invoice_id, position, quantity, net)
    SELECT in_tenant, in_note, in_invoice, position, 0, net
    FROM (
        SELECT position, COALESCE(
            round(share_net * upto / NULLIF(left_net, 0)) - round(share_net * (upto - uncredited) / NULLIF(left_net, 0)), 0)::bigint AS net
        FROM (
            SELECT l.position, l.uncredited, t.left_net, t.share_net,
                sum(l.uncredited) OVER (PARTITION BY t.tax_rate, t.treatment ORDER BY l.position) AS upto
            FROM credit_shares(in_tenant, in_invoice, amount) AS t
            JOIN (
                SELECT position, tax_rate, taxed_as(tax_treatment, tax_rate) AS treatment,
                    net - credited_amount(tenant_id, invoice_id, position) AS uncredited
                FROM invoice_lines WHERE tenant_id = in_tenant AND invoice_id = in_invoice
            ) AS l USING (tax_rate, treatment)) AS running) AS share
    WHERE net <> 0;
END $$;
-- +goose StatementEnd

-- credit_line is unchanged, except for the sums, and that an amount has a net amount instead of a quantity. Of a line of which an amount
-- was credited, each quantity has its part of the rest.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION credit_line() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    its_status invoice_status;
    line       invoice_lines;
    before     credit_note_lines;
    whole      numeric; -- the net amount of the quantity that was left, and of NEW.quantity, without credits by amount
    part       numeric;
    left_net   bigint;
BEGIN
    SELECT status INTO its_status FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR UPDATE;
    SELECT * INTO line FROM invoice_lines
    WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.invoice_id AND position = NEW.position;
    SELECT * INTO before FROM credit_note_lines
    WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.invoice_id AND position = NEW.position ORDER BY ordinal DESC LIMIT 1;
    before.credited := COALESCE(before.credited, 0);
    left_net := line.net - COALESCE(before.net_credited, 0);
    NEW.ordinal := COALESCE(before.ordinal, 0) + 1;
    NEW.credited := before.credited + NEW.quantity;
    IF NEW.net IS NULL THEN
        whole := line.net - credited_net(line.quantity, line.unit_price + line.price_fraction, line.discount, line.net, before.credited);
        part := whole - line.net
            + credited_net(line.quantity, line.unit_price + line.price_fraction, line.discount, line.net, NEW.credited);
        NEW.net := CASE
            WHEN NEW.credited = line.quantity THEN left_net
            WHEN whole = 0 THEN 0
            ELSE round(left_net * part / whole) END;
    END IF;
    NEW.net_credited := COALESCE(before.net_credited, 0) + NEW.net;
    IF its_status <> 'issued' THEN
        RAISE EXCEPTION 'not issued' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_of_issued';
    ELSIF line IS NULL THEN
        RAISE EXCEPTION 'no such line' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'credit_note_lines_line';
    ELSIF EXISTS (SELECT FROM credit_notes WHERE tenant_id = NEW.tenant_id AND id = NEW.credit_note_id) THEN
        RAISE EXCEPTION 'a credit note does not change' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_append_only';
    ELSIF sign(NEW.quantity) = -sign(line.quantity) OR abs(NEW.credited) > abs(line.quantity)
        OR NEW.net NOT BETWEEN least(0, left_net) AND greatest(0, left_net) THEN
        RAISE EXCEPTION 'more than is left of the line'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_note_lines_within_line',
                DETAIL = json_build_object('position', NEW.position, 'left', trim_scale(line.quantity - before.credited)::text);
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- post_credit_note is unchanged, except that the sums of the rates have what was credited before, and that the total is given for a
-- credit note of an amount, or of all that is left. Its taxes are the shares then.
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
    ELSIF NEW.issue_date < billed.issue_date THEN
        RAISE EXCEPTION 'before its invoice'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_not_before_invoice', DETAIL = billed.issue_date;
    END IF;
    WITH line AS (
        SELECT l.tax_rate, taxed_as(l.tax_treatment, l.tax_rate) AS treatment, l.tax_treatment, sum(c.net) AS net
        FROM invoice_lines l
        LEFT JOIN credit_note_lines c ON c.tenant_id = l.tenant_id AND c.credit_note_id = NEW.id AND c.position = l.position
        WHERE l.tenant_id = NEW.tenant_id AND l.invoice_id = NEW.invoice_id
        GROUP BY l.tax_rate, l.tax_treatment
    ), by_rate AS (
        SELECT t.tax_rate, t.treatment, line.tax_treatment, COALESCE(line.net, 0) AS net, CASE
            WHEN NEW.total IS NOT NULL THEN t.share_tax
            WHEN line.net < 0 THEN least(0, round((t.credited_net + line.net) * t.tax_rate * 0.01) - t.credited_tax)
            ELSE greatest(0, round((t.credited_net + line.net) * t.tax_rate * 0.01) - t.credited_tax) END AS tax, t.share_net
        FROM credit_shares(NEW.tenant_id, NEW.invoice_id, NEW.total) AS t JOIN line USING (tax_rate, treatment)
        WHERE line.net IS NOT NULL OR t.share_net <> 0 OR t.share_tax <> 0
    ), counted AS (
        UPDATE invoice_taxes t SET credited_net = t.credited_net + by_rate.net, credited_tax = t.credited_tax + by_rate.tax
        FROM by_rate
        WHERE t.tenant_id = NEW.tenant_id AND t.invoice_id = NEW.invoice_id AND t.source_id = NEW.invoice_id AND t.kind = 'invoice'
            AND t.tax_rate = by_rate.tax_rate AND t.treatment = by_rate.treatment
    )
    SELECT
        sum(net) AS net, sum(tax) AS tax, bool_and(NEW.total IS NULL OR net = share_net) AS as_shared,
        json_agg(json_strip_nulls(json_build_object(
            'rate', trim_scale(tax_rate)::text, 'tax_treatment', tax_treatment, 'net', net, 'tax', tax))
            ORDER BY tax_rate, tax_treatment NULLS FIRST) AS taxes
    INTO sums
    FROM by_rate;
    IF sums.net IS NULL OR NOT sums.as_shared THEN
        RAISE EXCEPTION 'no lines' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_of_lines';
    ELSIF least(sums.net, sums.tax) < 0 THEN
        RAISE EXCEPTION 'less than nothing' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_not_negative';
    END IF;
    NEW.subtotal := sums.net;
    NEW.tax_total := sums.tax;
    NEW.total := sums.net + sums.tax;
    NEW.taxes := sums.taxes;
    NEW.became_credit := greatest(0, NEW.total - billed.open_amount);
    IF NEW.became_credit > billed.paid THEN
        RAISE EXCEPTION 'more than is open and paid' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_within_open',
            DETAIL = billed.open_amount + billed.paid;
    END IF;
    INSERT INTO credit_note_series AS s (tenant_id, year, last) VALUES (NEW.tenant_id, in_year, 1)
    ON CONFLICT (tenant_id, year) DO UPDATE SET last = s.last + 1
    RETURNING last INTO place;
    NEW.number := 'CN-' || format_invoice_number(in_year, place);
    INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
    VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'credit', NEW.total);
    IF NEW.became_credit > 0 THEN
        INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
        VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'to_credit', -NEW.became_credit);
    END IF;
    UPDATE invoices SET credited = credited + NEW.total, paid = paid - NEW.became_credit
    WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- +goose Down
-- What was credited by an amount stays credited; its quantities can be credited again.
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
    ELSIF NEW.issue_date < billed.issue_date THEN
        RAISE EXCEPTION 'before its invoice'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_not_before_invoice', DETAIL = billed.issue_date;
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
    NEW.became_credit := greatest(0, NEW.total - billed.open_amount);
    IF NEW.became_credit > billed.paid THEN
        RAISE EXCEPTION 'more than is open and paid' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_within_open',
            DETAIL = billed.open_amount + billed.paid;
    END IF;
    INSERT INTO credit_note_series AS s (tenant_id, year, last) VALUES (NEW.tenant_id, in_year, 1)
    ON CONFLICT (tenant_id, year) DO UPDATE SET last = s.last + 1
    RETURNING last INTO place;
    NEW.number := 'CN-' || format_invoice_number(in_year, place);
    INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
    VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'credit', NEW.total);
    IF NEW.became_credit > 0 THEN
        INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
        VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'to_credit', -NEW.became_credit);
    END IF;
    UPDATE invoices SET credited = credited + NEW.total, paid = paid - NEW.became_credit
    WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd
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
DROP FUNCTION credit_amount, credit_shares, credited_amount;
CREATE OR REPLACE FUNCTION credited_quantity(in_tenant uuid, in_invoice uuid, in_position integer) RETURNS numeric
LANGUAGE sql STABLE
RETURN greatest(0, (
    SELECT credited FROM credit_note_lines
    WHERE tenant_id = in_tenant AND invoice_id = in_invoice AND position = in_position ORDER BY credited DESC LIMIT 1)) + least(0, (
    SELECT credited FROM credit_note_lines
    WHERE tenant_id = in_tenant AND invoice_id = in_invoice AND position = in_position ORDER BY credited LIMIT 1));
DROP INDEX credit_note_lines_in_order;
CREATE INDEX credit_note_lines_in_order ON credit_note_lines (tenant_id, invoice_id, position, credited);
DROP TRIGGER append_only_but_sums ON invoice_taxes;
DROP TRIGGER append_only ON invoice_taxes;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON invoice_taxes FOR EACH ROW EXECUTE FUNCTION append_only();
ALTER TABLE invoice_taxes DROP COLUMN credited_net, DROP COLUMN credited_tax;
ALTER TABLE credit_note_lines
    DROP COLUMN ordinal, DROP COLUMN net_credited,
    DROP CONSTRAINT credit_note_lines_quantity_check,
    ADD CONSTRAINT credit_note_lines_quantity_check CHECK (quantity <> 0) NOT VALID;

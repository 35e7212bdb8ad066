-- A credit note that was created by mistake is reversed, once, by another one of the same series with its amounts below zero. So each sum
-- over credit notes is right by itself. What became credit is taken back with it, unless it's used.

-- +goose Up
DROP TRIGGER credit_customer ON credit_notes;
DROP TRIGGER note_likeness ON credit_notes;
ALTER TABLE credit_notes
    ALTER subtotal TYPE bigint, ALTER tax_total TYPE bigint, ALTER total TYPE bigint, ALTER became_credit TYPE bigint,
    ADD COLUMN reverses_id uuid,
    ADD CONSTRAINT credit_notes_reverses FOREIGN KEY (tenant_id, reverses_id) REFERENCES credit_notes (tenant_id, id),
    ADD CONSTRAINT credit_notes_sign CHECK (
        least(subtotal, tax_total, total, became_credit) >= 0 OR greatest(subtotal, tax_total, total, became_credit) <= 0);
CREATE UNIQUE INDEX credit_notes_reversed_once ON credit_notes (tenant_id, reverses_id) WHERE reverses_id IS NOT NULL;
ALTER TABLE credit_note_lines ADD COLUMN reverses_id uuid; -- the credit note whose line this one takes back
CREATE TRIGGER credit_customer AFTER INSERT ON credit_notes FOR EACH ROW WHEN (NEW.became_credit <> 0) EXECUTE FUNCTION credit_customer();
CREATE TRIGGER note_likeness AFTER INSERT ON credit_notes FOR EACH ROW WHEN (NEW.reverses_id IS NULL)
    EXECUTE FUNCTION note_likeness('10 minutes', 'invoice_id issue_date total');
-- The receipt of a credit note is removed on the day of the reversal.
DROP TRIGGER refuse_removal_of_closed ON receipts;
CREATE CONSTRAINT TRIGGER refuse_removal_of_closed AFTER UPDATE OF removed_at ON receipts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL AND NEW.credit_note_id IS NULL)
    EXECUTE FUNCTION refuse_closed('received_on');

-- credit_line is unchanged, except for the lines of a reversal.
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
    IF NEW.reverses_id IS NOT NULL THEN
        SELECT -quantity, -net INTO NEW.quantity, NEW.net FROM credit_note_lines
        WHERE tenant_id = NEW.tenant_id AND credit_note_id = NEW.reverses_id AND position = NEW.position;
    END IF;
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
    ELSIF NEW.reverses_id IS NULL AND (sign(NEW.quantity) = -sign(line.quantity) OR abs(NEW.credited) > abs(line.quantity)
            OR NEW.net NOT BETWEEN least(0, left_net) AND greatest(0, left_net)) THEN
        RAISE EXCEPTION 'more than is left of the line'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_note_lines_within_line',
                DETAIL = json_build_object('position', NEW.position, 'left', trim_scale(line.quantity - before.credited)::text);
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- post_credit_note is unchanged, except for reversals. They fail with constraint credit_notes_reverses_no_reversal,
-- credit_notes_not_before_reversed with the day of the credit note, or credit_notes_reversed_whole if its credit was used. The receipt with
-- the credit is locked before its invoice: see lock_reversal.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION post_credit_note() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    billed   invoices;
    reversed credit_notes;
    in_year  integer := extract(year FROM NEW.issue_date);
    place    bigint;
    sums     record;
BEGIN
    IF NEW.reverses_id IS NOT NULL THEN
        SELECT * INTO reversed FROM credit_notes WHERE tenant_id = NEW.tenant_id AND id = NEW.reverses_id;
        NEW.invoice_id := reversed.invoice_id;
    END IF;
    SELECT * INTO billed FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR UPDATE;
    IF NOT FOUND OR EXISTS (
        SELECT FROM credit_note_lines
        WHERE tenant_id = NEW.tenant_id AND credit_note_id = NEW.id
            AND (invoice_id <> NEW.invoice_id OR reverses_id IS DISTINCT FROM NEW.reverses_id)) THEN
        RAISE EXCEPTION 'no such invoice' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = CASE
            WHEN NEW.reverses_id IS NULL OR FOUND THEN 'credit_notes_invoice' ELSE 'credit_notes_reverses' END;
    ELSIF reversed.reverses_id IS NOT NULL THEN
        RAISE EXCEPTION 'a reversal' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_reverses_no_reversal';
    ELSIF NEW.issue_date < reversed.issue_date THEN
        RAISE EXCEPTION 'before its credit note'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_not_before_reversed', DETAIL = reversed.issue_date;
    ELSIF billed.status <> 'issued' THEN
        RAISE EXCEPTION 'not issued' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_of_issued';
    ELSIF NEW.issue_date < billed.issue_date THEN
        RAISE EXCEPTION 'before its invoice'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_not_before_invoice', DETAIL = billed.issue_date;
    END IF;
    IF NEW.reverses_id IS NOT NULL THEN
        IF EXISTS (SELECT FROM credit_notes WHERE tenant_id = NEW.tenant_id AND reverses_id = NEW.reverses_id) THEN
            RAISE EXCEPTION 'reversed before' USING ERRCODE = 'unique_violation', CONSTRAINT = 'credit_notes_reversed_once';
        ELSIF EXISTS (
            SELECT FROM receipts
            WHERE tenant_id = NEW.tenant_id AND credit_note_id = NEW.reverses_id AND (allocated > 0 OR repaid > 0)) THEN
            RAISE EXCEPTION 'its credit is used' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_reversed_whole';
        END IF;
        INSERT INTO credit_note_lines (tenant_id, credit_note_id, invoice_id, position, reverses_id)
        SELECT tenant_id, NEW.id, invoice_id, position, NEW.reverses_id FROM credit_note_lines
        WHERE tenant_id = NEW.tenant_id AND credit_note_id = NEW.reverses_id;
        WITH by_rate AS (
            SELECT rate, tax_treatment, -net AS net, -tax AS tax
            FROM json_to_recordset(reversed.taxes) AS t (rate numeric, tax_treatment tax_treatment, net bigint, tax bigint)
        ), counted AS (
            UPDATE invoice_taxes t SET credited_net = t.credited_net + by_rate.net, credited_tax = t.credited_tax + by_rate.tax
            FROM by_rate
            WHERE t.tenant_id = NEW.tenant_id AND t.invoice_id = NEW.invoice_id AND t.source_id = NEW.invoice_id AND t.kind = 'invoice'
                AND t.tax_rate = by_rate.rate AND t.treatment = taxed_as(by_rate.tax_treatment, by_rate.rate)
        )
        SELECT json_agg(json_strip_nulls(json_build_object(
            'rate', trim_scale(rate)::text, 'tax_treatment', tax_treatment, 'net', net, 'tax', tax))
            ORDER BY rate, tax_treatment NULLS FIRST)
        INTO NEW.taxes FROM by_rate;
        NEW.subtotal := -reversed.subtotal;
        NEW.tax_total := -reversed.tax_total;
        NEW.total := -reversed.total;
        NEW.became_credit := -reversed.became_credit;
    ELSE
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
    END IF;
    INSERT INTO credit_note_series AS s (tenant_id, year, last) VALUES (NEW.tenant_id, in_year, 1)
    ON CONFLICT (tenant_id, year) DO UPDATE SET last = s.last + 1
    RETURNING last INTO place;
    NEW.number := 'CN-' || format_invoice_number(in_year, place);
    INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
    VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'credit', NEW.total);
    IF NEW.became_credit <> 0 THEN
        INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
        VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'to_credit', -NEW.became_credit);
    END IF;
    UPDATE invoices SET credited = credited + NEW.total, paid = paid - NEW.became_credit
    WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- lock_reversal locks the receipt with the credit from a credit note, if there is one, and the invoice, in the order of lock_receipt.
-- +goose StatementBegin
CREATE FUNCTION lock_reversal(in_tenant uuid, in_note uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM lock_receipt(in_tenant, id) FROM receipts WHERE tenant_id = in_tenant AND credit_note_id = in_note;
    PERFORM lock_invoice(in_tenant, invoice_id) FROM credit_notes WHERE tenant_id = in_tenant AND id = in_note;
END $$;
-- +goose StatementEnd

-- credit_customer, standing_by_the_books and remove_receipt are unchanged, except for reversals.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION credit_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.reverses_id IS NOT NULL THEN
        UPDATE receipts SET removed_at = now() WHERE tenant_id = NEW.tenant_id AND credit_note_id = NEW.reverses_id;
    ELSE
        INSERT INTO receipts (tenant_id, id, customer_id, currency, amount, received_on, method, credit_note_id)
        SELECT tenant_id, new_id(), customer_id, currency, NEW.became_credit, NEW.issue_date, 'other', NEW.id
        FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    END IF;
    PERFORM add_to_standing(tenant_id, tenant_id, 'paid_month', date_trunc('month', NEW.issue_date)::date, currency,
        -NEW.became_credit::bigint, 0)
    FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION standing_by_the_books()
RETURNS TABLE (tenant_id uuid, of_id uuid, kind text, day date, currency text, amount numeric, invoices bigint) LANGUAGE sql STABLE
AS $$
    SELECT i.tenant_id, owner.of_id, due.kind, due.day, i.currency, sum(i.open_amount), count(*)
    FROM invoices i,
        LATERAL (VALUES (i.tenant_id), (i.customer_id)) AS owner (of_id),
        LATERAL (VALUES ('due_day', i.due_date), ('due_month', date_trunc('month', i.due_date)::date)) AS due (kind, day)
    WHERE i.state IN ('issued', 'partially_paid')
    GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT paid.tenant_id, paid.tenant_id, 'paid_month', date_trunc('month', paid.day)::date, i.currency, sum(paid.amount),
        count(DISTINCT paid.of)
    FROM (
        SELECT p.tenant_id, p.invoice_id, p.paid_on, p.amount::bigint, p.invoice_id FROM payments p WHERE p.removed_at IS NULL
        UNION ALL
        SELECT r.tenant_id, r.invoice_id, r.refunded_on, -r.amount::bigint, NULL FROM refunds r WHERE r.removed_at IS NULL
        UNION ALL
        SELECT n.tenant_id, n.invoice_id, n.issue_date, -n.became_credit::bigint, NULL FROM credit_notes n WHERE n.became_credit <> 0
    ) AS paid (tenant_id, invoice_id, day, amount, of)
    JOIN invoices i ON i.tenant_id = paid.tenant_id AND i.id = paid.invoice_id
    GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT billed.tenant_id, billed.tenant_id, 'billed_month', date_trunc('month', billed.day)::date, billed.currency,
        sum(billed.amount), sum(billed.invoices)::bigint
    FROM (
        SELECT i.tenant_id, i.issue_date, i.currency, i.total::bigint, 1 FROM invoices i WHERE i.state NOT IN ('draft', 'void')
        UNION ALL
        SELECT n.tenant_id, n.issue_date, i.currency, -n.total::bigint, 0
        FROM credit_notes n JOIN invoices i ON i.tenant_id = n.tenant_id AND i.id = n.invoice_id
    ) AS billed (tenant_id, day, currency, amount, invoices)
    GROUP BY 1, 2, 3, 4, 5
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION remove_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.credit_note_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM credit_notes WHERE tenant_id = NEW.tenant_id AND reverses_id = NEW.credit_note_id) THEN
        RAISE EXCEPTION 'it is of a credit note' USING ERRCODE = 'check_violation', CONSTRAINT = 'receipts_not_of_credit_note';
    ELSIF NEW.allocated > 0 OR NEW.repaid > 0 THEN
        RAISE EXCEPTION 'a part of it is used' USING ERRCODE = 'check_violation', CONSTRAINT = 'receipts_removed_whole';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- +goose Down
-- The reversals stay, and so do the amounts below zero.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION remove_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.credit_note_id IS NOT NULL THEN
        RAISE EXCEPTION 'it is of a credit note' USING ERRCODE = 'check_violation', CONSTRAINT = 'receipts_not_of_credit_note';
    ELSIF NEW.allocated > 0 OR NEW.repaid > 0 THEN
        RAISE EXCEPTION 'a part of it is used' USING ERRCODE = 'check_violation', CONSTRAINT = 'receipts_removed_whole';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION standing_by_the_books()
RETURNS TABLE (tenant_id uuid, of_id uuid, kind text, day date, currency text, amount numeric, invoices bigint) LANGUAGE sql STABLE
AS $$
    SELECT i.tenant_id, owner.of_id, due.kind, due.day, i.currency, sum(i.open_amount), count(*)
    FROM invoices i,
        LATERAL (VALUES (i.tenant_id), (i.customer_id)) AS owner (of_id),
        LATERAL (VALUES ('due_day', i.due_date), ('due_month', date_trunc('month', i.due_date)::date)) AS due (kind, day)
    WHERE i.state IN ('issued', 'partially_paid')
    GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT paid.tenant_id, paid.tenant_id, 'paid_month', date_trunc('month', paid.day)::date, i.currency, sum(paid.amount),
        count(DISTINCT paid.of)
    FROM (
        SELECT p.tenant_id, p.invoice_id, p.paid_on, p.amount::bigint, p.invoice_id FROM payments p WHERE p.removed_at IS NULL
        UNION ALL
        SELECT r.tenant_id, r.invoice_id, r.refunded_on, -r.amount::bigint, NULL FROM refunds r WHERE r.removed_at IS NULL
        UNION ALL
        SELECT n.tenant_id, n.invoice_id, n.issue_date, -n.became_credit::bigint, NULL FROM credit_notes n WHERE n.became_credit > 0
    ) AS paid (tenant_id, invoice_id, day, amount, of)
    JOIN invoices i ON i.tenant_id = paid.tenant_id AND i.id = paid.invoice_id
    GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT billed.tenant_id, billed.tenant_id, 'billed_month', date_trunc('month', billed.day)::date, billed.currency,
        sum(billed.amount), sum(billed.invoices)::bigint
    FROM (
        SELECT i.tenant_id, i.issue_date, i.currency, i.total::bigint, 1 FROM invoices i WHERE i.state NOT IN ('draft', 'void')
        UNION ALL
        SELECT n.tenant_id, n.issue_date, i.currency, -n.total::bigint, 0
        FROM credit_notes n JOIN invoices i ON i.tenant_id = n.tenant_id AND i.id = n.invoice_id
    ) AS billed (tenant_id, day, currency, amount, invoices)
    GROUP BY 1, 2, 3, 4, 5
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION credit_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO receipts (tenant_id, id, customer_id, currency, amount, received_on, method, credit_note_id)
    SELECT tenant_id, new_id(), customer_id, currency, NEW.became_credit, NEW.issue_date, 'other', NEW.id
    FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    PERFORM add_to_standing(tenant_id, tenant_id, 'paid_month', date_trunc('month', NEW.issue_date)::date, currency,
        -NEW.became_credit::bigint, 0)
    FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP FUNCTION lock_reversal;
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
DROP TRIGGER refuse_removal_of_closed ON receipts;
CREATE CONSTRAINT TRIGGER refuse_removal_of_closed AFTER UPDATE OF removed_at ON receipts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL) EXECUTE FUNCTION refuse_closed('received_on');
DROP TRIGGER note_likeness ON credit_notes;
DROP TRIGGER credit_customer ON credit_notes;
ALTER TABLE credit_note_lines DROP COLUMN reverses_id;
ALTER TABLE credit_notes DROP COLUMN reverses_id, DROP CONSTRAINT credit_notes_sign;
ALTER TABLE credit_notes NO FORCE ROW LEVEL SECURITY; -- a policy hides rows
-- +goose StatementBegin
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM credit_notes WHERE total < 0) THEN
        ALTER TABLE credit_notes ALTER subtotal TYPE minor_units, ALTER tax_total TYPE minor_units, ALTER total TYPE minor_units,
            ALTER became_credit TYPE minor_units;
    END IF;
END $$;
-- +goose StatementEnd
ALTER TABLE credit_notes FORCE ROW LEVEL SECURITY;
CREATE TRIGGER credit_customer AFTER INSERT ON credit_notes FOR EACH ROW WHEN (NEW.became_credit > 0) EXECUTE FUNCTION credit_customer();
CREATE TRIGGER note_likeness AFTER INSERT ON credit_notes FOR EACH ROW
    EXECUTE FUNCTION note_likeness('10 minutes', 'invoice_id issue_date total');

-- A credit note may exceed the open amount of its invoice. Then a part of what was paid becomes the customer's credit: it is posted off the
-- invoice, and is a receipt from then on.

-- +goose Up
ALTER DOMAIN posting_kind DROP CONSTRAINT posting_kind_check;
ALTER DOMAIN posting_kind ADD CONSTRAINT posting_kind_check
    CHECK (VALUE IN ('payment', 'refund', 'removal', 'credit', 'write_off', 'reversal', 'to_credit'));

ALTER TABLE credit_notes ADD COLUMN became_credit minor_units NOT NULL DEFAULT 0; -- the part of the total that was paid
ALTER TABLE receipts
    ADD COLUMN credit_note_id uuid, -- from which the credit comes, instead of a transfer
    ADD CONSTRAINT receipts_credit_note FOREIGN KEY (tenant_id, credit_note_id) REFERENCES credit_notes (tenant_id, id);
CREATE UNIQUE INDEX receipts_credit_note_once ON receipts (tenant_id, credit_note_id) WHERE credit_note_id IS NOT NULL;
DROP TRIGGER append_only_but_sums ON receipts;
CREATE TRIGGER append_only_but_sums BEFORE UPDATE ON receipts FOR EACH ROW
    WHEN ((OLD.tenant_id, OLD.id, OLD.currency, OLD.amount, OLD.received_on, OLD.method, OLD.provider, OLD.reference, OLD.credit_note_id,
            OLD.created_at, COALESCE(OLD.removed_at, NEW.removed_at))
        IS DISTINCT FROM
        (NEW.tenant_id, NEW.id, NEW.currency, NEW.amount, NEW.received_on, NEW.method, NEW.provider, NEW.reference, NEW.credit_note_id,
            NEW.created_at, NEW.removed_at)
        OR OLD.customer_id <> NEW.customer_id
            AND NOT moved_by_merge('receipts', OLD.tenant_id, OLD.id, OLD.customer_id, NEW.customer_id))
    EXECUTE FUNCTION append_only();
DROP TRIGGER note_likeness ON receipts;
CREATE TRIGGER note_likeness AFTER INSERT ON receipts FOR EACH ROW WHEN (NEW.credit_note_id IS NULL)
    EXECUTE FUNCTION note_likeness('10 minutes', 'customer_id currency amount received_on');

-- lock_invoice locks an invoice behind its customer, as lock_receipt does.
-- +goose StatementBegin
CREATE FUNCTION lock_invoice(in_tenant uuid, in_id uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    owner uuid;
    moved uuid;
BEGIN
    LOOP
        SELECT customer_id INTO owner FROM invoices WHERE tenant_id = in_tenant AND id = in_id;
        PERFORM FROM customers WHERE tenant_id = in_tenant AND id = owner FOR KEY SHARE;
        SELECT customer_id INTO moved FROM invoices WHERE tenant_id = in_tenant AND id = in_id FOR UPDATE;
        EXIT WHEN moved IS NOT DISTINCT FROM owner;
    END LOOP;
END $$;
-- +goose StatementEnd

-- carry_balance is unchanged, except for to_credit.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION carry_balance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last postings;
BEGIN
    SELECT * INTO last FROM postings
    WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.invoice_id
    ORDER BY position DESC LIMIT 1;
    NEW.position := COALESCE(last.position, 0) + 1;
    NEW.paid := COALESCE(last.paid, 0)
        + CASE WHEN NEW.kind IN ('payment', 'refund', 'removal', 'to_credit') THEN NEW.amount ELSE 0 END;
    NEW.credited := COALESCE(last.credited, 0) + CASE WHEN NEW.kind = 'credit' THEN NEW.amount ELSE 0 END;
    NEW.written_off := COALESCE(last.written_off, 0) + CASE WHEN NEW.kind IN ('write_off', 'reversal') THEN NEW.amount ELSE 0 END;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- post_credit_note is unchanged, except that the total may exceed the open amount by what was paid, and that its day isn't before the
-- invoice's. It fails with constraint credit_notes_within_open and the sum of the open and paid amounts as detail, or
-- credit_notes_not_before_invoice with the day of the invoice.
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

-- credit_customer stores what became credit as a receipt, and takes it off what was paid in the month of the credit note.
-- +goose StatementBegin
CREATE FUNCTION credit_customer() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER credit_customer AFTER INSERT ON credit_notes FOR EACH ROW WHEN (NEW.became_credit > 0) EXECUTE FUNCTION credit_customer();

-- standing_by_the_books is unchanged, except for what became credit.
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

-- post_refund and post_removal are unchanged, except that they leave what became credit. They fail with constraint refunds_not_of_credit
-- and the paid amount of the invoice as detail, or payments_not_of_credit.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION post_refund() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    payment payments;
    billed  invoices;
BEGIN
    SELECT * INTO payment FROM payments WHERE tenant_id = NEW.tenant_id AND id = NEW.payment_id FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such payment' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'refunds_payment';
    ELSIF NEW.amount > payment.left_amount THEN
        RAISE EXCEPTION 'more than is left of the payment'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds_within_payment', DETAIL = payment.left_amount;
    END IF;
    SELECT * INTO billed FROM invoices WHERE tenant_id = NEW.tenant_id AND id = payment.invoice_id FOR UPDATE;
    IF NEW.amount > billed.paid THEN
        RAISE EXCEPTION 'the payment became credit'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds_not_of_credit', DETAIL = billed.paid;
    END IF;
    NEW.invoice_id := payment.invoice_id;
    NEW.refunded := payment.refunded + NEW.amount;
    NEW.position := payment.version;
    NEW.removed_at := NULL;
    INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
    VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'refund', -NEW.amount);
    UPDATE payments SET refunded = NEW.refunded WHERE tenant_id = NEW.tenant_id AND id = NEW.payment_id;
    UPDATE invoices SET paid = paid - NEW.amount WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION post_removal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    billed invoices;
BEGIN
    IF NEW.refunded > 0 THEN
        RAISE EXCEPTION 'it has refunds' USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_removed_whole';
    END IF;
    SELECT * INTO billed FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR UPDATE;
    IF NEW.amount > billed.paid THEN
        RAISE EXCEPTION 'the payment became credit' USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_not_of_credit';
    END IF;
    INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
    VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'removal', -NEW.amount);
    UPDATE invoices SET paid = paid - NEW.amount WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- remove_receipt also refuses to remove the receipt of a credit note, with constraint receipts_not_of_credit_note.
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

-- refund_for_event is unchanged, except for what became credit, and for receipts.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refund_for_event(event webhook_events, source webhook_sources) RETURNS webhook_events LANGUAGE plpgsql AS $$
DECLARE
    paid   payments;
    billed invoices;
    others integer; -- that wait for the payment
BEGIN
    PERFORM pg_advisory_xact_lock(payment_lock(event.tenant_id, source.provider_folded, event.reference));
    -- The lock is that of post_refund, so that what was refunded stays as it is.
    SELECT * INTO paid FROM payments
    WHERE tenant_id = event.tenant_id AND provider_folded = source.provider_folded AND reference = event.reference
    ORDER BY removed_at IS NULL DESC LIMIT 1
    FOR NO KEY UPDATE;
    IF NOT FOUND AND EXISTS (
        SELECT FROM receipts
        WHERE tenant_id = event.tenant_id AND provider_folded = source.provider_folded AND reference = event.reference
            AND removed_at IS NULL) THEN
        event.state := 'undecided';
        event.reason := 'of-receipt';
        RETURN event;
    ELSIF NOT FOUND THEN
        SELECT count(*) INTO others FROM (
            SELECT FROM webhook_events
            WHERE tenant_id = event.tenant_id AND source_id = ANY (sources_of(event.tenant_id, source.provider_folded))
                AND reference = event.reference AND state = 'waiting' AND id <> event.id
            LIMIT refunds_may_wait()) AS waiting;
        event.state := CASE WHEN others < refunds_may_wait() THEN 'waiting' ELSE 'undecided' END;
        event.reason := CASE WHEN others < refunds_may_wait() THEN 'no-payment' ELSE 'many-waiting' END;
        RETURN event;
    END IF;
    SELECT * INTO billed FROM invoices WHERE tenant_id = event.tenant_id AND id = paid.invoice_id FOR UPDATE;
    event.state := 'undecided';
    event.reason := CASE
        WHEN event.currency <> billed.currency THEN 'other-currency'
        WHEN event.invoice <> '' AND lower(event.invoice) <> billed.id::text
            AND fold_invoice_number(event.invoice) <> billed.number_folded THEN 'other-invoice'
        WHEN paid.removed_at IS NOT NULL THEN 'removed-payment'
        WHEN event.amount > paid.amount THEN 'more-than-paid'
        WHEN event.amount <= paid.refunded THEN 'recorded-before'
        WHEN event.amount - paid.refunded > billed.paid THEN 'became-credit'
        WHEN EXISTS (
            SELECT FROM refunds r JOIN webhook_events e ON e.tenant_id = r.tenant_id AND e.refund_id = r.id
            WHERE r.tenant_id = event.tenant_id AND r.payment_id = paid.id AND r.removed_at IS NOT NULL) THEN 'removed-refund'
        ELSE '' END;
    IF event.reason = '' THEN
        INSERT INTO refunds (tenant_id, id, payment_id, amount, refunded_on)
        VALUES (event.tenant_id, new_id(), paid.id, event.amount - paid.refunded, event.day)
        RETURNING id INTO event.refund_id;
    END IF;
    IF event.reason IN ('', 'recorded-before') THEN
        event.state := 'applied';
        event.payment_id := paid.id;
    END IF;
    RETURN event;
END $$;
-- +goose StatementEnd

-- +goose Down
-- What became credit stays, as a receipt, and as a refund of the invoice without a row of refunds.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refund_for_event(event webhook_events, source webhook_sources) RETURNS webhook_events LANGUAGE plpgsql AS $$
DECLARE
    paid   payments;
    billed invoices;
    others integer; -- that wait for the payment
BEGIN
    PERFORM pg_advisory_xact_lock(payment_lock(event.tenant_id, source.provider_folded, event.reference));
    -- The lock is that of post_refund, so that what was refunded stays as it is.
    SELECT * INTO paid FROM payments
    WHERE tenant_id = event.tenant_id AND provider_folded = source.provider_folded AND reference = event.reference
    ORDER BY removed_at IS NULL DESC LIMIT 1
    FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        SELECT count(*) INTO others FROM (
            SELECT FROM webhook_events
            WHERE tenant_id = event.tenant_id AND source_id = ANY (sources_of(event.tenant_id, source.provider_folded))
                AND reference = event.reference AND state = 'waiting' AND id <> event.id
            LIMIT refunds_may_wait()) AS waiting;
        event.state := CASE WHEN others < refunds_may_wait() THEN 'waiting' ELSE 'undecided' END;
        event.reason := CASE WHEN others < refunds_may_wait() THEN 'no-payment' ELSE 'many-waiting' END;
        RETURN event;
    END IF;
    SELECT * INTO billed FROM invoices WHERE tenant_id = event.tenant_id AND id = paid.invoice_id;
    event.state := 'undecided';
    event.reason := CASE
        WHEN event.currency <> billed.currency THEN 'other-currency'
        WHEN event.invoice <> '' AND lower(event.invoice) <> billed.id::text
            AND fold_invoice_number(event.invoice) <> billed.number_folded THEN 'other-invoice'
        WHEN paid.removed_at IS NOT NULL THEN 'removed-payment'
        WHEN event.amount > paid.amount THEN 'more-than-paid'
        WHEN event.amount <= paid.refunded THEN 'recorded-before'
        WHEN EXISTS (
            SELECT FROM refunds r JOIN webhook_events e ON e.tenant_id = r.tenant_id AND e.refund_id = r.id
            WHERE r.tenant_id = event.tenant_id AND r.payment_id = paid.id AND r.removed_at IS NOT NULL) THEN 'removed-refund'
        ELSE '' END;
    IF event.reason = '' THEN
        INSERT INTO refunds (tenant_id, id, payment_id, amount, refunded_on)
        VALUES (event.tenant_id, new_id(), paid.id, event.amount - paid.refunded, event.day)
        RETURNING id INTO event.refund_id;
    END IF;
    IF event.reason IN ('', 'recorded-before') THEN
        event.state := 'applied';
        event.payment_id := paid.id;
    END IF;
    RETURN event;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION remove_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.allocated > 0 OR NEW.repaid > 0 THEN
        RAISE EXCEPTION 'a part of it is used' USING ERRCODE = 'check_violation', CONSTRAINT = 'receipts_removed_whole';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION post_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.refunded > 0 THEN
        RAISE EXCEPTION 'it has refunds' USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_removed_whole';
    END IF;
    PERFORM FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR UPDATE;
    INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
    VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'removal', -NEW.amount);
    UPDATE invoices SET paid = paid - NEW.amount WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION post_refund() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    payment payments;
BEGIN
    SELECT * INTO payment FROM payments WHERE tenant_id = NEW.tenant_id AND id = NEW.payment_id FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such payment' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'refunds_payment';
    ELSIF NEW.amount > payment.left_amount THEN
        RAISE EXCEPTION 'more than is left of the payment'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds_within_payment', DETAIL = payment.left_amount;
    END IF;
    PERFORM FROM invoices WHERE tenant_id = NEW.tenant_id AND id = payment.invoice_id FOR UPDATE;
    NEW.invoice_id := payment.invoice_id;
    NEW.refunded := payment.refunded + NEW.amount;
    NEW.position := payment.version;
    NEW.removed_at := NULL;
    INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
    VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'refund', -NEW.amount);
    UPDATE payments SET refunded = NEW.refunded WHERE tenant_id = NEW.tenant_id AND id = NEW.payment_id;
    UPDATE invoices SET paid = paid - NEW.amount WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
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
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION carry_balance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last postings;
BEGIN
    SELECT * INTO last FROM postings
    WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.invoice_id
    ORDER BY position DESC LIMIT 1;
    NEW.position := COALESCE(last.position, 0) + 1;
    NEW.paid := COALESCE(last.paid, 0) + CASE WHEN NEW.kind IN ('payment', 'refund', 'removal') THEN NEW.amount ELSE 0 END;
    NEW.credited := COALESCE(last.credited, 0) + CASE WHEN NEW.kind = 'credit' THEN NEW.amount ELSE 0 END;
    NEW.written_off := COALESCE(last.written_off, 0) + CASE WHEN NEW.kind IN ('write_off', 'reversal') THEN NEW.amount ELSE 0 END;
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
DO $$
DECLARE
    entered text := COALESCE(current_setting('onlyonce.tenant_id', true), '');
    tenant  uuid;
BEGIN
    FOR tenant IN SELECT id FROM tenants LOOP
        PERFORM set_config('onlyonce.tenant_id', tenant::text, true);
        PERFORM add_to_standing(tenant, tenant, 'paid_month', date_trunc('month', n.issue_date)::date, i.currency,
            sum(n.became_credit)::bigint, 0)
        FROM credit_notes n JOIN invoices i ON i.tenant_id = n.tenant_id AND i.id = n.invoice_id
        WHERE n.tenant_id = tenant AND n.became_credit > 0
        GROUP BY date_trunc('month', n.issue_date), i.currency;
    END LOOP;
    PERFORM set_config('onlyonce.tenant_id', entered, true);
END $$;
-- +goose StatementEnd
ALTER TABLE postings NO FORCE ROW LEVEL SECURITY;
ALTER TABLE postings DISABLE TRIGGER append_only;
UPDATE postings SET kind = 'refund' WHERE kind = 'to_credit';
ALTER TABLE postings ENABLE TRIGGER append_only;
ALTER TABLE postings FORCE ROW LEVEL SECURITY;
DROP TRIGGER credit_customer ON credit_notes;
DROP FUNCTION credit_customer, lock_invoice;
DROP TRIGGER note_likeness ON receipts;
CREATE TRIGGER note_likeness AFTER INSERT ON receipts FOR EACH ROW
    EXECUTE FUNCTION note_likeness('10 minutes', 'customer_id currency amount received_on');
DROP TRIGGER append_only_but_sums ON receipts;
ALTER TABLE receipts DROP COLUMN credit_note_id;
ALTER TABLE credit_notes DROP COLUMN became_credit;
CREATE TRIGGER append_only_but_sums BEFORE UPDATE ON receipts FOR EACH ROW
    WHEN ((OLD.tenant_id, OLD.id, OLD.currency, OLD.amount, OLD.received_on, OLD.method, OLD.provider, OLD.reference, OLD.created_at,
            COALESCE(OLD.removed_at, NEW.removed_at))
        IS DISTINCT FROM
        (NEW.tenant_id, NEW.id, NEW.currency, NEW.amount, NEW.received_on, NEW.method, NEW.provider, NEW.reference, NEW.created_at,
            NEW.removed_at)
        OR OLD.customer_id <> NEW.customer_id
            AND NOT moved_by_merge('receipts', OLD.tenant_id, OLD.id, OLD.customer_id, NEW.customer_id))
    EXECUTE FUNCTION append_only();
ALTER DOMAIN posting_kind DROP CONSTRAINT posting_kind_check;
ALTER DOMAIN posting_kind ADD CONSTRAINT posting_kind_check
    CHECK (VALUE IN ('payment', 'refund', 'removal', 'credit', 'write_off', 'reversal'));

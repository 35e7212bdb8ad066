-- An invoice that is voided stays billed in the month of its issue, and is taken off in the month of the void, as in the tax summary.

-- +goose Up
LOCK TABLE invoices IN SHARE ROW EXCLUSIVE MODE; -- functions that run have the earlier bodies

-- stand_invoices is unchanged, except that void invoices stay billed.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION stand_invoices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_standing(tenant_id, of_id, kind, day, currency, sum(amount), sum(invoices))
    FROM (
            SELECT tenant_id, customer_id, currency, issue_date, due_date, state, total, open_amount, issued_at, 1 AS invoices FROM is_now
            UNION ALL
            SELECT tenant_id, customer_id, currency, issue_date, due_date, state, total, open_amount, issued_at, -1 FROM was
        ) AS change,
        LATERAL (
            SELECT of_id, kind, day, invoices * open_amount::bigint AS amount
            FROM (VALUES (tenant_id), (customer_id)) AS owner (of_id),
                (VALUES ('due_day', due_date), ('due_month', date_trunc('month', due_date)::date)) AS due (kind, day)
            WHERE state IN ('issued', 'partially_paid')
            UNION ALL
            SELECT tenant_id, 'billed_month', date_trunc('month', issue_date)::date, invoices * total::bigint
            WHERE issued_at IS NOT NULL
        ) AS part
    GROUP BY tenant_id, of_id, kind, day, currency
    HAVING sum(amount) <> 0 OR sum(invoices) <> 0;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- stand_void takes a void invoice off what was billed, on the day of tax_invoice.
-- +goose StatementBegin
CREATE FUNCTION stand_void() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_standing(NEW.tenant_id, NEW.tenant_id, 'billed_month',
        date_trunc('month', greatest(NEW.issue_date, business_day(NEW.voided_at)))::date, NEW.currency, -NEW.total, 0);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER stand_void AFTER UPDATE OF status ON invoices
    FOR EACH ROW WHEN (OLD.status = 'issued' AND NEW.status = 'void') EXECUTE FUNCTION stand_void();

-- The sums so far, one tenant after the other: a policy hides the rest.
-- +goose StatementBegin
DO $$
DECLARE
    entered text := COALESCE(current_setting('onlyonce.tenant_id', true), '');
    tenant  uuid;
BEGIN
    FOR tenant IN SELECT id FROM tenants LOOP
        PERFORM set_config('onlyonce.tenant_id', tenant::text, true);
        PERFORM add_to_standing(tenant, tenant, 'billed_month', month, currency, sum(amount), sum(invoices))
        FROM (
            SELECT currency, date_trunc('month', issue_date)::date, total::bigint, 1
            FROM invoices WHERE tenant_id = tenant AND status = 'void' AND issued_at IS NOT NULL
            UNION ALL
            SELECT currency, date_trunc('month', day)::date, -(net + tax)::bigint, 0
            FROM invoice_taxes WHERE tenant_id = tenant AND kind = 'void'
        ) AS voided (currency, month, amount, invoices)
        GROUP BY month, currency;
    END LOOP;
    PERFORM set_config('onlyonce.tenant_id', entered, true);
END $$;
-- +goose StatementEnd

-- standing_by_the_books is unchanged, except for this.
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
    SELECT paid.tenant_id, paid.tenant_id, 'paid_month', date_trunc('month', paid.day)::date, paid.currency, sum(paid.amount),
        count(DISTINCT paid.of)
    FROM (
        SELECT p.tenant_id, i.currency, p.paid_on, CASE WHEN p.receipt_id IS NULL THEN p.amount::bigint ELSE 0 END, p.invoice_id
        FROM payments p JOIN invoices i ON i.tenant_id = p.tenant_id AND i.id = p.invoice_id
        WHERE p.removed_at IS NULL
        UNION ALL
        SELECT r.tenant_id, i.currency, r.refunded_on, -r.amount::bigint, NULL
        FROM refunds r JOIN invoices i ON i.tenant_id = r.tenant_id AND i.id = r.invoice_id
        WHERE r.removed_at IS NULL
        UNION ALL
        SELECT tenant_id, currency, received_on, amount::bigint, NULL FROM receipts
        WHERE removed_at IS NULL AND credit_note_id IS NULL
        UNION ALL
        SELECT b.tenant_id, r.currency, b.repaid_on, -b.amount::bigint, NULL
        FROM repayments b JOIN receipts r ON r.tenant_id = b.tenant_id AND r.id = b.receipt_id
        WHERE b.removed_at IS NULL
    ) AS paid (tenant_id, currency, day, amount, of)
    GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT billed.tenant_id, billed.tenant_id, 'billed_month', date_trunc('month', billed.day)::date, billed.currency,
        sum(billed.amount), sum(billed.invoices)::bigint
    FROM (
        SELECT i.tenant_id, i.issue_date, i.currency, i.total::bigint, 1 FROM invoices i WHERE i.issued_at IS NOT NULL
        UNION ALL
        SELECT tenant_id, day, currency, -(net + tax)::bigint, 0 FROM invoice_taxes WHERE invoice_taxes.kind = 'void'
        UNION ALL
        SELECT n.tenant_id, n.issue_date, i.currency, -n.total::bigint, 0
        FROM credit_notes n JOIN invoices i ON i.tenant_id = n.tenant_id AND i.id = n.invoice_id
    ) AS billed (tenant_id, day, currency, amount, invoices)
    GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT e.tenant_id, e.customer_id, 'account_month', date_trunc('month', e.day)::date, e.currency, sum(e.amount), count(*)
    FROM account_entries e
    GROUP BY 1, 2, 3, 4, 5
$$;
-- +goose StatementEnd

-- +goose Down
LOCK TABLE invoices IN SHARE ROW EXCLUSIVE MODE; -- functions that run have the earlier bodies
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
    SELECT paid.tenant_id, paid.tenant_id, 'paid_month', date_trunc('month', paid.day)::date, paid.currency, sum(paid.amount),
        count(DISTINCT paid.of)
    FROM (
        SELECT p.tenant_id, i.currency, p.paid_on, CASE WHEN p.receipt_id IS NULL THEN p.amount::bigint ELSE 0 END, p.invoice_id
        FROM payments p JOIN invoices i ON i.tenant_id = p.tenant_id AND i.id = p.invoice_id
        WHERE p.removed_at IS NULL
        UNION ALL
        SELECT r.tenant_id, i.currency, r.refunded_on, -r.amount::bigint, NULL
        FROM refunds r JOIN invoices i ON i.tenant_id = r.tenant_id AND i.id = r.invoice_id
        WHERE r.removed_at IS NULL
        UNION ALL
        SELECT tenant_id, currency, received_on, amount::bigint, NULL FROM receipts
        WHERE removed_at IS NULL AND credit_note_id IS NULL
        UNION ALL
        SELECT b.tenant_id, r.currency, b.repaid_on, -b.amount::bigint, NULL
        FROM repayments b JOIN receipts r ON r.tenant_id = b.tenant_id AND r.id = b.receipt_id
        WHERE b.removed_at IS NULL
    ) AS paid (tenant_id, currency, day, amount, of)
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
    UNION ALL
    SELECT e.tenant_id, e.customer_id, 'account_month', date_trunc('month', e.day)::date, e.currency, sum(e.amount), count(*)
    FROM account_entries e
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
        PERFORM add_to_standing(tenant, tenant, 'billed_month', month, currency, -sum(amount), -sum(invoices))
        FROM (
            SELECT currency, date_trunc('month', issue_date)::date, total::bigint, 1
            FROM invoices WHERE tenant_id = tenant AND status = 'void' AND issued_at IS NOT NULL
            UNION ALL
            SELECT currency, date_trunc('month', day)::date, -(net + tax)::bigint, 0
            FROM invoice_taxes WHERE tenant_id = tenant AND kind = 'void'
        ) AS voided (currency, month, amount, invoices)
        GROUP BY month, currency;
    END LOOP;
    PERFORM set_config('onlyonce.tenant_id', entered, true);
END $$;
-- +goose StatementEnd
DROP TRIGGER stand_void ON invoices;
DROP FUNCTION stand_void;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION stand_invoices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_standing(tenant_id, of_id, kind, day, currency, sum(amount), sum(invoices))
    FROM (
            SELECT tenant_id, customer_id, currency, issue_date, due_date, state, total, open_amount, 1 AS invoices FROM is_now
            UNION ALL
            SELECT tenant_id, customer_id, currency, issue_date, due_date, state, total, open_amount, -1 FROM was
        ) AS change,
        LATERAL (
            SELECT of_id, kind, day, invoices * open_amount::bigint AS amount
            FROM (VALUES (tenant_id), (customer_id)) AS owner (of_id),
                (VALUES ('due_day', due_date), ('due_month', date_trunc('month', due_date)::date)) AS due (kind, day)
            WHERE state IN ('issued', 'partially_paid')
            UNION ALL
            SELECT tenant_id, 'billed_month', date_trunc('month', issue_date)::date, invoices * total::bigint
            WHERE state NOT IN ('draft', 'void')
        ) AS part
    GROUP BY tenant_id, of_id, kind, day, currency
    HAVING sum(amount) <> 0 OR sum(invoices) <> 0;
    RETURN NULL;
END $$;
-- +goose StatementEnd

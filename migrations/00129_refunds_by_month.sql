-- What was paid in a month is what its payments come to, less the refunds of that month. A refund used to count in the month of its
-- payment, so that last year's sums changed.

-- +goose Up

-- stand_paid adds a payment to its month, and the invoice if it has no other payment in that month. By its name it comes behind
-- post_payment and post_removal, which have locked the invoice: of two first payments in a month, the second sees the first, and of the
-- last two that are removed too.
-- +goose StatementBegin
CREATE FUNCTION stand_paid() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    month date   := date_trunc('month', NEW.paid_on);
    sign  bigint := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
    other boolean;
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.removed_at IS NOT DISTINCT FROM OLD.removed_at THEN
        RETURN NEW;
    END IF;
    SELECT true INTO other FROM payments
    WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.invoice_id AND removed_at IS NULL AND id <> NEW.id
        AND paid_on >= month AND paid_on < (month + interval '1 month')::date LIMIT 1;
    PERFORM add_to_standing(tenant_id, tenant_id, 'paid_month', month, currency, sign * NEW.amount::bigint,
        CASE WHEN other THEN 0 ELSE sign END)
    FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd
DROP TRIGGER stand_payment ON payments;
CREATE TRIGGER stand_paid BEFORE INSERT OR UPDATE OF removed_at ON payments FOR EACH ROW EXECUTE FUNCTION stand_paid();
DROP FUNCTION stand_payment;

-- stand_refund takes a refund off what was paid in its month.
-- +goose StatementBegin
CREATE FUNCTION stand_refund() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_standing(tenant_id, tenant_id, 'paid_month', date_trunc('month', NEW.refunded_on)::date, currency,
        -NEW.amount::bigint, 0)
    FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER stand_refund AFTER INSERT ON refunds FOR EACH ROW EXECUTE FUNCTION stand_refund();

-- The refunds so far go from the months of their payments to their own, one tenant after the other: a policy hides the rest. The
-- triggers above have locked both tables.
-- +goose StatementBegin
DO $$
DECLARE
    entered text := COALESCE(current_setting('onlyonce.tenant_id', true), '');
    tenant  uuid;
BEGIN
    FOR tenant IN SELECT id FROM tenants LOOP
        PERFORM set_config('onlyonce.tenant_id', tenant::text, true);
        PERFORM add_to_standing(tenant, tenant, 'paid_month', day, currency, sum(amount), 0)
        FROM (
            SELECT i.currency, date_trunc('month', moved.day)::date AS day, moved.amount
            FROM refunds r
            JOIN payments p ON p.tenant_id = r.tenant_id AND p.id = r.payment_id
            JOIN invoices i ON i.tenant_id = r.tenant_id AND i.id = r.invoice_id,
                LATERAL (VALUES (p.paid_on, r.amount::bigint), (r.refunded_on, -r.amount::bigint)) AS moved (day, amount)
            WHERE r.tenant_id = tenant
        ) AS moved
        GROUP BY day, currency HAVING sum(amount) <> 0;
    END LOOP;
    PERFORM set_config('onlyonce.tenant_id', entered, true);
END $$;
-- +goose StatementEnd

DROP FUNCTION standing_by_the_books;
-- +goose StatementBegin
CREATE FUNCTION standing_by_the_books()
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
        SELECT r.tenant_id, r.invoice_id, r.refunded_on, -r.amount::bigint, NULL FROM refunds r
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

-- +goose Down
-- +goose StatementBegin
CREATE FUNCTION stand_payment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    month date   := date_trunc('month', NEW.paid_on);
    added bigint := CASE WHEN NEW.removed_at IS NULL THEN NEW.amount - NEW.refunded ELSE 0 END;
    more  bigint := 0; -- invoices with a payment in the month
BEGIN
    IF TG_OP = 'UPDATE' THEN
        added := added - OLD.left_amount;
    END IF;
    IF (TG_OP = 'INSERT' OR NEW.removed_at IS DISTINCT FROM OLD.removed_at) AND NOT EXISTS (
        SELECT FROM payments
        WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.invoice_id AND removed_at IS NULL AND id <> NEW.id
            AND paid_on >= month AND paid_on < (month + interval '1 month')::date) THEN
        more := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
    END IF;
    PERFORM add_to_standing(tenant_id, tenant_id, 'paid_month', month, currency, added, more)
    FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd
DROP TRIGGER stand_refund ON refunds;
DROP TRIGGER stand_paid ON payments;
DROP FUNCTION stand_refund, stand_paid;
CREATE TRIGGER stand_payment BEFORE INSERT OR UPDATE OF refunded, removed_at ON payments
    FOR EACH ROW EXECUTE FUNCTION stand_payment();
-- +goose StatementBegin
DO $$
DECLARE
    entered text := COALESCE(current_setting('onlyonce.tenant_id', true), '');
    tenant  uuid;
BEGIN
    FOR tenant IN SELECT id FROM tenants LOOP
        PERFORM set_config('onlyonce.tenant_id', tenant::text, true);
        PERFORM add_to_standing(tenant, tenant, 'paid_month', day, currency, sum(amount), 0)
        FROM (
            SELECT i.currency, date_trunc('month', moved.day)::date AS day, moved.amount
            FROM refunds r
            JOIN payments p ON p.tenant_id = r.tenant_id AND p.id = r.payment_id
            JOIN invoices i ON i.tenant_id = r.tenant_id AND i.id = r.invoice_id,
                LATERAL (VALUES (p.paid_on, -r.amount::bigint), (r.refunded_on, r.amount::bigint)) AS moved (day, amount)
            WHERE r.tenant_id = tenant
        ) AS moved
        GROUP BY day, currency HAVING sum(amount) <> 0;
    END LOOP;
    PERFORM set_config('onlyonce.tenant_id', entered, true);
END $$;
-- +goose StatementEnd
DROP FUNCTION standing_by_the_books;
-- +goose StatementBegin
CREATE FUNCTION standing_by_the_books()
RETURNS TABLE (tenant_id uuid, of_id uuid, kind text, day date, currency text, amount bigint, invoices bigint) LANGUAGE sql STABLE
AS $$
    SELECT i.tenant_id, owner.of_id, due.kind, due.day, i.currency, sum(i.open_amount)::bigint, count(*)
    FROM invoices i,
        LATERAL (VALUES (i.tenant_id), (i.customer_id)) AS owner (of_id),
        LATERAL (VALUES ('due_day', i.due_date), ('due_month', date_trunc('month', i.due_date)::date)) AS due (kind, day)
    WHERE i.state IN ('issued', 'partially_paid')
    GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT p.tenant_id, p.tenant_id, 'paid_month', date_trunc('month', p.paid_on)::date, i.currency, sum(p.left_amount)::bigint,
        count(DISTINCT i.id)
    FROM payments p JOIN invoices i ON i.tenant_id = p.tenant_id AND i.id = p.invoice_id
    WHERE p.removed_at IS NULL
    GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT billed.tenant_id, billed.tenant_id, 'billed_month', date_trunc('month', billed.day)::date, billed.currency,
        sum(billed.amount)::bigint, sum(billed.invoices)::bigint
    FROM (
        SELECT i.tenant_id, i.issue_date, i.currency, i.total::bigint, 1 FROM invoices i WHERE i.state NOT IN ('draft', 'void')
        UNION ALL
        SELECT n.tenant_id, n.issue_date, i.currency, -n.total::bigint, 0
        FROM credit_notes n JOIN invoices i ON i.tenant_id = n.tenant_id AND i.id = n.invoice_id
    ) AS billed (tenant_id, day, currency, amount, invoices)
    GROUP BY 1, 2, 3, 4, 5
$$;
-- +goose StatementEnd

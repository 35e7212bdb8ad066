-- What was paid in a month is the money that came in, less the money that went out: receipts count as a whole on their day, and repayments
-- are taken off. A payment from a receipt, and a credit note by which a payment becomes credit, move no money.

-- +goose Up
LOCK TABLE credit_notes, payments, receipts, repayments IN SHARE ROW EXCLUSIVE MODE; -- functions that run have the earlier bodies

-- stand_paid is unchanged, except that a payment from a receipt has no amount.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION stand_paid() RETURNS trigger LANGUAGE plpgsql AS $$
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
    PERFORM add_to_standing(tenant_id, tenant_id, 'paid_month', month, currency,
        CASE WHEN NEW.receipt_id IS NULL THEN sign * NEW.amount::bigint ELSE 0 END, CASE WHEN other THEN 0 ELSE sign END)
    FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- credit_customer is unchanged, except that it adds to no sum of a month.
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
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- stand_receipt adds a receipt to what was paid in its month, and takes a removed one off.
-- +goose StatementBegin
CREATE FUNCTION stand_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_standing(NEW.tenant_id, NEW.tenant_id, 'paid_month', date_trunc('month', NEW.received_on)::date, NEW.currency,
        CASE TG_OP WHEN 'INSERT' THEN NEW.amount ELSE -NEW.amount END::bigint, 0);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER stand_receipt AFTER INSERT ON receipts
    FOR EACH ROW WHEN (NEW.credit_note_id IS NULL) EXECUTE FUNCTION stand_receipt();
CREATE TRIGGER stand_receipt_removal AFTER UPDATE ON receipts
    FOR EACH ROW WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL AND NEW.credit_note_id IS NULL)
    EXECUTE FUNCTION stand_receipt();

-- stand_repayment takes a repayment off what was paid in its month, and adds a removed one.
-- +goose StatementBegin
CREATE FUNCTION stand_repayment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_standing(tenant_id, tenant_id, 'paid_month', date_trunc('month', NEW.repaid_on)::date, currency,
        CASE TG_OP WHEN 'INSERT' THEN -NEW.amount ELSE NEW.amount END::bigint, 0)
    FROM receipts WHERE tenant_id = NEW.tenant_id AND id = NEW.receipt_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER stand_repayment AFTER INSERT ON repayments FOR EACH ROW EXECUTE FUNCTION stand_repayment();
CREATE TRIGGER stand_repayment_removal AFTER UPDATE ON repayments
    FOR EACH ROW WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL) EXECUTE FUNCTION stand_repayment();

-- The sums so far, one tenant after the other: a policy hides the rest.
-- +goose StatementBegin
DO $$
DECLARE
    entered text := COALESCE(current_setting('onlyonce.tenant_id', true), '');
    tenant  uuid;
BEGIN
    FOR tenant IN SELECT id FROM tenants LOOP
        PERFORM set_config('onlyonce.tenant_id', tenant::text, true);
        PERFORM add_to_standing(tenant, tenant, 'paid_month', month, currency, sum(amount)::bigint, 0)
        FROM (
            SELECT r.currency, date_trunc('month', moved.day)::date AS month, moved.amount
            FROM receipts r, LATERAL (
                SELECT received_on AS day, r.amount::bigint AS amount WHERE r.removed_at IS NULL AND credit_note_id IS NULL
                UNION ALL
                SELECT repaid_on, -amount FROM repayments
                WHERE tenant_id = r.tenant_id AND receipt_id = r.id AND removed_at IS NULL
                UNION ALL
                SELECT paid_on, -amount FROM payments WHERE tenant_id = r.tenant_id AND receipt_id = r.id AND removed_at IS NULL
                UNION ALL
                SELECT issue_date, became_credit FROM credit_notes
                WHERE tenant_id = r.tenant_id AND r.credit_note_id IN (id, reverses_id)
            ) AS moved
            WHERE r.tenant_id = tenant
        ) AS moved
        GROUP BY month, currency HAVING sum(amount) <> 0;
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

-- +goose Down
LOCK TABLE credit_notes, payments, receipts, repayments IN SHARE ROW EXCLUSIVE MODE; -- functions that run have the earlier bodies
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
        PERFORM add_to_standing(tenant, tenant, 'paid_month', month, currency, -sum(amount)::bigint, 0)
        FROM (
            SELECT r.currency, date_trunc('month', moved.day)::date AS month, moved.amount
            FROM receipts r, LATERAL (
                SELECT received_on AS day, r.amount::bigint AS amount WHERE r.removed_at IS NULL AND credit_note_id IS NULL
                UNION ALL
                SELECT repaid_on, -amount FROM repayments
                WHERE tenant_id = r.tenant_id AND receipt_id = r.id AND removed_at IS NULL
                UNION ALL
                SELECT paid_on, -amount FROM payments WHERE tenant_id = r.tenant_id AND receipt_id = r.id AND removed_at IS NULL
                UNION ALL
                SELECT issue_date, became_credit FROM credit_notes
                WHERE tenant_id = r.tenant_id AND r.credit_note_id IN (id, reverses_id)
            ) AS moved
            WHERE r.tenant_id = tenant
        ) AS moved
        GROUP BY month, currency HAVING sum(amount) <> 0;
    END LOOP;
    PERFORM set_config('onlyonce.tenant_id', entered, true);
END $$;
-- +goose StatementEnd
DROP TRIGGER stand_repayment_removal ON repayments;
DROP TRIGGER stand_repayment ON repayments;
DROP TRIGGER stand_receipt_removal ON receipts;
DROP TRIGGER stand_receipt ON receipts;
DROP FUNCTION stand_repayment, stand_receipt;
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
CREATE OR REPLACE FUNCTION stand_paid() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- What is open and what was paid, summed up as the books change, for pages that show it: exact, and read at a cost that does not
-- grow with what was summed up.
--
-- A sum is the total of its parts. A change of it takes the parts that nobody else holds, or begins another one. So nobody waits
-- for the commit of another, and there are no more parts than there are changes at once, but for the last of them.

-- +goose Up

-- What is open, by the day and by the month in which it is due, what was paid in a month, less what was given back of it, and what was
-- billed by the invoices of a month, less the credit notes of that month. What was due before a day is the sum of the months before
-- and of some days.
CREATE DOMAIN standing_kind AS text CHECK (VALUE IN ('due_day', 'due_month', 'paid_month', 'billed_month'));

CREATE TABLE standing (
    tenant_id uuid          NOT NULL,
    of_id     uuid          NOT NULL, -- a customer, or the tenant for all of them
    kind      standing_kind NOT NULL,
    day       date          NOT NULL, -- of a month the first
    currency  currency_code NOT NULL,
    part      uuid          NOT NULL DEFAULT gen_random_uuid(),
    amount    bigint        NOT NULL, -- minor units; of a part alone it may be less than 0
    invoices  bigint        NOT NULL, -- how many
    PRIMARY KEY (tenant_id, of_id, kind, day, currency, part)
);
ALTER TABLE standing ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON standing USING (tenant_id = current_tenant());

-- add_to_standing adds to one sum. The parts that are free become one, or none if they come to nothing.
-- +goose StatementBegin
CREATE FUNCTION add_to_standing(
    in_tenant uuid, in_of uuid, in_kind text, in_day date, in_currency text, in_amount bigint, in_invoices bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    parts        uuid[];
    new_amount   bigint;
    new_invoices bigint;
BEGIN
    SELECT array_agg(part), COALESCE(sum(amount), 0) + in_amount, COALESCE(sum(invoices), 0) + in_invoices
    INTO parts, new_amount, new_invoices
    FROM (
        SELECT part, amount, invoices FROM standing
        WHERE tenant_id = in_tenant AND of_id = in_of AND kind = in_kind AND day = in_day AND currency = in_currency
        FOR UPDATE SKIP LOCKED) AS free;
    IF parts IS NULL THEN
        INSERT INTO standing (tenant_id, of_id, kind, day, currency, amount, invoices)
        VALUES (in_tenant, in_of, in_kind, in_day, in_currency, new_amount, new_invoices);
        RETURN;
    END IF;
    IF new_amount <> 0 OR new_invoices <> 0 THEN
        UPDATE standing SET amount = new_amount, invoices = new_invoices
        WHERE tenant_id = in_tenant AND of_id = in_of AND kind = in_kind AND day = in_day AND currency = in_currency
            AND part = parts[1];
        parts := parts[2:];
    END IF;
    IF cardinality(parts) > 0 THEN
        DELETE FROM standing
        WHERE tenant_id = in_tenant AND of_id = in_of AND kind = in_kind AND day = in_day AND currency = in_currency
            AND part = ANY (parts);
    END IF;
END $$;
-- +goose StatementEnd

-- stand_invoices follows what is open and what was billed of invoices: when they are issued, paid, credited or voided, or go to another
-- customer. It takes all rows of a statement together, since a merge moves thousands.
-- +goose StatementBegin
CREATE FUNCTION stand_invoices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_standing(tenant_id, of_id, kind, day, currency, sum(amount)::bigint, sum(invoices))
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
CREATE TRIGGER stand_invoices AFTER UPDATE ON invoices
    REFERENCING OLD TABLE AS was NEW TABLE AS is_now FOR EACH STATEMENT EXECUTE FUNCTION stand_invoices();

-- An invoice begins as a draft, which counts for nothing here. A trigger would cost each create more.
CREATE POLICY begin_as_draft ON invoices AS RESTRICTIVE FOR INSERT WITH CHECK (status = 'draft');

-- Whether an invoice had a payment in the month before.
CREATE INDEX payments_of_invoice_by_day ON payments (tenant_id, invoice_id, paid_on) WHERE removed_at IS NULL;

-- stand_payment follows what was paid in a month, and of how many invoices. By its name it comes behind post_payment and post_removal,
-- which have locked the invoice: of two first payments in a month, the second sees the first, and of the last two that are removed too.
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
CREATE TRIGGER stand_payment BEFORE INSERT OR UPDATE OF refunded, removed_at ON payments
    FOR EACH ROW EXECUTE FUNCTION stand_payment();

-- stand_credit_note takes a credit note off what was billed.
-- +goose StatementBegin
CREATE FUNCTION stand_credit_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_standing(tenant_id, tenant_id, 'billed_month', date_trunc('month', NEW.issue_date)::date, currency, -NEW.total, 0)
    FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER stand_credit_note AFTER INSERT ON credit_notes FOR EACH ROW EXECUTE FUNCTION stand_credit_note();

-- standing_by_the_books returns what the sums have to be by the invoices and payments: for checks, since it reads all of them. Its body
-- is text: a parsed one is another after a backup was restored, by what the catalog says.
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

-- +goose Down
DROP TRIGGER stand_credit_note ON credit_notes;
DROP TRIGGER stand_payment ON payments;
DROP INDEX payments_of_invoice_by_day;
DROP POLICY begin_as_draft ON invoices;
DROP TRIGGER stand_invoices ON invoices;
DROP FUNCTION standing_by_the_books, stand_credit_note, stand_payment, stand_invoices, add_to_standing;
DROP TABLE standing;
DROP DOMAIN standing_kind;

-- The account of each customer: an entry for each record that changes the amount owed, on its day. Entries stay: a record that is voided,
-- removed or taken back later gets another one on that day, so that earlier months don't change.

-- +goose Up
ALTER DOMAIN standing_kind DROP CONSTRAINT standing_kind_check;
ALTER DOMAIN standing_kind ADD CONSTRAINT standing_kind_check
    CHECK (VALUE IN ('due_day', 'due_month', 'paid_month', 'billed_month', 'account_month'));

CREATE DOMAIN account_kind AS text COLLATE "C" CHECK (VALUE IN (
    'invoice', 'void', 'credit_note', 'payment', 'payment_removal', 'refund', 'refund_removal', 'write_off', 'write_off_reversal',
    'receipt', 'receipt_removal', 'repayment', 'repayment_removal'));

CREATE TABLE account_entries (
    tenant_id   uuid          NOT NULL,
    source_id   uuid          NOT NULL, -- the record that the kind names, or the one that was voided, removed or taken back
    kind        account_kind  NOT NULL,
    of_id       uuid          NOT NULL, -- the invoice or receipt of the record, which has the customer
    customer_id uuid          NOT NULL,
    currency    currency_code COLLATE "C" NOT NULL,
    day         date          NOT NULL,
    amount      bigint        NOT NULL, -- minor units; less than 0 if the customer owes less
    PRIMARY KEY (tenant_id, source_id, kind)
);
-- All that a balance reads, so that it needs the index only.
CREATE INDEX account_entries_by_day ON account_entries (tenant_id, customer_id, currency, day, source_id, kind) INCLUDE (amount);
CREATE INDEX account_entries_of_record ON account_entries (tenant_id, of_id);
ALTER TABLE account_entries ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON account_entries USING (tenant_id = current_tenant());
CREATE TRIGGER append_only BEFORE DELETE ON account_entries FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_but_customer BEFORE UPDATE ON account_entries FOR EACH ROW
    WHEN ((OLD.tenant_id, OLD.source_id, OLD.kind, OLD.of_id, OLD.currency, OLD.day, OLD.amount)
        IS DISTINCT FROM (NEW.tenant_id, NEW.source_id, NEW.kind, NEW.of_id, NEW.currency, NEW.day, NEW.amount))
    EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON account_entries FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- enter_in_account enters a record in the account of its customer. The arguments are the kind, the column of the day, and the sign of the
-- amount. An UPDATE that voids, removes or takes back is entered on the business day, but not before the day of the record. The transaction
-- has locked the invoice or receipt, so its customer doesn't change meanwhile.
-- +goose StatementBegin
CREATE FUNCTION enter_in_account() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    source jsonb := to_jsonb(NEW);
    entry  account_entries;
BEGIN
    entry.tenant_id := NEW.tenant_id;
    entry.source_id := NEW.id;
    entry.kind := TG_ARGV[0];
    entry.day := source->>TG_ARGV[1];
    entry.amount := TG_ARGV[2]::integer * COALESCE(source->>'amount', source->>'total')::bigint;
    entry.of_id := COALESCE(source->>'invoice_id', source->>'receipt_id', source->>'id');
    IF TG_OP = 'UPDATE' AND entry.kind <> 'invoice' THEN
        entry.day := greatest(entry.day, business_day());
    END IF;
    IF TG_TABLE_NAME IN ('receipts', 'repayments') THEN
        SELECT customer_id, currency INTO entry.customer_id, entry.currency
        FROM receipts WHERE tenant_id = NEW.tenant_id AND id = entry.of_id;
    ELSE
        SELECT customer_id, currency INTO entry.customer_id, entry.currency
        FROM invoices WHERE tenant_id = NEW.tenant_id AND id = entry.of_id;
    END IF;
    INSERT INTO account_entries (tenant_id, source_id, kind, of_id, customer_id, currency, day, amount)
    VALUES (entry.tenant_id, entry.source_id, entry.kind, entry.of_id, entry.customer_id, entry.currency, entry.day, entry.amount);
    PERFORM add_to_standing(entry.tenant_id, entry.customer_id, 'account_month', date_trunc('month', entry.day)::date, entry.currency,
        entry.amount, 1);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER enter_invoice AFTER UPDATE OF status ON invoices FOR EACH ROW
    WHEN (NEW.status <> OLD.status AND NEW.status = 'issued') EXECUTE FUNCTION enter_in_account('invoice', 'issue_date', '1');
CREATE TRIGGER enter_void AFTER UPDATE OF status ON invoices FOR EACH ROW
    WHEN (OLD.status = 'issued' AND NEW.status = 'void') EXECUTE FUNCTION enter_in_account('void', 'issue_date', '-1');
CREATE TRIGGER enter_credit_note AFTER INSERT ON credit_notes FOR EACH ROW
    EXECUTE FUNCTION enter_in_account('credit_note', 'issue_date', '-1');
-- Payments from a receipt are entered with the receipt, and the receipt of a credit note with the credit note.
CREATE TRIGGER enter_payment AFTER INSERT ON payments FOR EACH ROW
    WHEN (NEW.receipt_id IS NULL) EXECUTE FUNCTION enter_in_account('payment', 'paid_on', '-1');
CREATE TRIGGER enter_payment_removal AFTER UPDATE OF removed_at ON payments FOR EACH ROW
    WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL AND NEW.receipt_id IS NULL)
    EXECUTE FUNCTION enter_in_account('payment_removal', 'paid_on', '1');
CREATE TRIGGER enter_refund AFTER INSERT ON refunds FOR EACH ROW
    EXECUTE FUNCTION enter_in_account('refund', 'refunded_on', '1');
CREATE TRIGGER enter_refund_removal AFTER UPDATE OF removed_at ON refunds FOR EACH ROW
    WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL)
    EXECUTE FUNCTION enter_in_account('refund_removal', 'refunded_on', '-1');
CREATE TRIGGER enter_write_off AFTER INSERT ON write_offs FOR EACH ROW
    EXECUTE FUNCTION enter_in_account('write_off', 'written_off_on', '-1');
CREATE TRIGGER enter_write_off_reversal AFTER UPDATE OF reversed_at ON write_offs FOR EACH ROW
    WHEN (OLD.reversed_at IS NULL AND NEW.reversed_at IS NOT NULL)
    EXECUTE FUNCTION enter_in_account('write_off_reversal', 'written_off_on', '1');
CREATE TRIGGER enter_receipt AFTER INSERT ON receipts FOR EACH ROW
    WHEN (NEW.credit_note_id IS NULL) EXECUTE FUNCTION enter_in_account('receipt', 'received_on', '-1');
CREATE TRIGGER enter_receipt_removal AFTER UPDATE OF removed_at ON receipts FOR EACH ROW
    WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL AND NEW.credit_note_id IS NULL)
    EXECUTE FUNCTION enter_in_account('receipt_removal', 'received_on', '1');
CREATE TRIGGER enter_repayment AFTER INSERT ON repayments FOR EACH ROW
    EXECUTE FUNCTION enter_in_account('repayment', 'repaid_on', '1');
CREATE TRIGGER enter_repayment_removal AFTER UPDATE OF removed_at ON repayments FOR EACH ROW
    WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL)
    EXECUTE FUNCTION enter_in_account('repayment_removal', 'repaid_on', '-1');

-- move_account moves the entries of invoices or receipts that go to another customer: all rows of a statement together, since a merge moves
-- thousands.
-- +goose StatementBegin
CREATE FUNCTION move_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM was JOIN is_now USING (tenant_id, id) WHERE was.customer_id <> is_now.customer_id) THEN
        RETURN NULL;
    END IF;
    PERFORM add_to_standing(tenant_id, owner_id, 'account_month', month, currency, sum(amount), sum(entries))
    FROM (
        SELECT e.tenant_id, owner_id, date_trunc('month', e.day)::date AS month, e.currency, entries * e.amount AS amount, entries
        FROM was JOIN is_now USING (tenant_id, id) JOIN account_entries e ON e.tenant_id = was.tenant_id AND e.of_id = was.id,
            LATERAL (VALUES (was.customer_id, -1), (is_now.customer_id, 1)) AS owner (owner_id, entries)
        WHERE was.customer_id <> is_now.customer_id) AS moved
    GROUP BY tenant_id, owner_id, month, currency;
    UPDATE account_entries e SET customer_id = is_now.customer_id FROM is_now
    WHERE e.tenant_id = is_now.tenant_id AND e.of_id = is_now.id AND e.customer_id <> is_now.customer_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER move_account AFTER UPDATE ON invoices
    REFERENCING OLD TABLE AS was NEW TABLE AS is_now FOR EACH STATEMENT EXECUTE FUNCTION move_account();
CREATE TRIGGER move_account AFTER UPDATE ON receipts
    REFERENCING OLD TABLE AS was NEW TABLE AS is_now FOR EACH STATEMENT EXECUTE FUNCTION move_account();

-- account_by_the_books returns the entries that the records require: for checks, and for the records before this migration. The day of a
-- removal is in the current time zone of the settings.
-- +goose StatementBegin
CREATE FUNCTION account_by_the_books()
RETURNS TABLE (
    tenant_id uuid, source_id uuid, kind account_kind, of_id uuid, customer_id uuid, currency currency_code, day date, amount bigint
) LANGUAGE sql STABLE AS $$
    SELECT record.tenant_id, record.id, entry.kind, i.id, i.customer_id, i.currency, entry.day, entry.sign * record.amount
    FROM (
        SELECT tenant_id, id, id, 'invoice', 'void', issue_date, CASE WHEN status = 'void' THEN voided_at END, total
        FROM invoices WHERE issued_at IS NOT NULL
        UNION ALL SELECT tenant_id, id, invoice_id, 'credit_note', NULL, issue_date, NULL, -total FROM credit_notes
        UNION ALL SELECT tenant_id, id, invoice_id, 'payment', 'payment_removal', paid_on, removed_at, -amount
        FROM payments WHERE receipt_id IS NULL
        UNION ALL SELECT tenant_id, id, invoice_id, 'refund', 'refund_removal', refunded_on, removed_at, amount FROM refunds
        UNION ALL SELECT tenant_id, id, invoice_id, 'write_off', 'write_off_reversal', written_off_on, reversed_at, -amount FROM write_offs
        UNION ALL SELECT tenant_id, id, id, 'receipt', 'receipt_removal', received_on, removed_at, -amount
        FROM receipts WHERE credit_note_id IS NULL
        UNION ALL SELECT tenant_id, id, receipt_id, 'repayment', 'repayment_removal', repaid_on, removed_at, amount FROM repayments
    ) AS record (tenant_id, id, of_id, kind, undone_kind, day, undone_at, amount)
    JOIN (
        SELECT tenant_id, id, customer_id, currency, false AS receipt FROM invoices
        UNION ALL SELECT tenant_id, id, customer_id, currency, true FROM receipts
    ) AS i ON i.tenant_id = record.tenant_id AND i.id = record.of_id AND i.receipt = (record.kind IN ('receipt', 'repayment')),
    LATERAL (
        SELECT record.kind, record.day, 1
        UNION ALL
        SELECT record.undone_kind, greatest(record.day, business_day(record.undone_at)), -1 WHERE record.undone_at IS NOT NULL
    ) AS entry (kind, day, sign)
$$;
-- +goose StatementEnd

-- standing_by_the_books is unchanged, except for the accounts.
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

-- The records so far, one tenant after the other: a policy hides the rest. The triggers above have locked the tables.
-- +goose StatementBegin
DO $$
DECLARE
    entered text := COALESCE(current_setting('onlyonce.tenant_id', true), '');
    tenant  uuid;
BEGIN
    FOR tenant IN SELECT id FROM tenants LOOP
        PERFORM set_config('onlyonce.tenant_id', tenant::text, true);
        INSERT INTO account_entries (tenant_id, source_id, kind, of_id, customer_id, currency, day, amount)
        SELECT * FROM account_by_the_books() AS entry WHERE entry.tenant_id = tenant;
        INSERT INTO standing (tenant_id, of_id, kind, day, currency, amount, invoices)
        SELECT tenant_id, customer_id, 'account_month', date_trunc('month', day)::date, currency, sum(amount), count(*)
        FROM account_entries WHERE tenant_id = tenant
        GROUP BY 1, 2, 4, 5;
    END LOOP;
    PERFORM set_config('onlyonce.tenant_id', entered, true);
END $$;
-- +goose StatementEnd

-- +goose Down
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
DROP TRIGGER move_account ON receipts;
DROP TRIGGER move_account ON invoices;
DROP TRIGGER enter_invoice ON invoices;
DROP TRIGGER enter_void ON invoices;
DROP TRIGGER enter_credit_note ON credit_notes;
DROP TRIGGER enter_payment ON payments;
DROP TRIGGER enter_payment_removal ON payments;
DROP TRIGGER enter_refund ON refunds;
DROP TRIGGER enter_refund_removal ON refunds;
DROP TRIGGER enter_write_off ON write_offs;
DROP TRIGGER enter_write_off_reversal ON write_offs;
DROP TRIGGER enter_receipt ON receipts;
DROP TRIGGER enter_receipt_removal ON receipts;
DROP TRIGGER enter_repayment ON repayments;
DROP TRIGGER enter_repayment_removal ON repayments;
DROP FUNCTION account_by_the_books, move_account, enter_in_account;
DROP TABLE account_entries;
DROP DOMAIN account_kind;
ALTER TABLE standing NO FORCE ROW LEVEL SECURITY;
DELETE FROM standing WHERE kind = 'account_month';
ALTER TABLE standing FORCE ROW LEVEL SECURITY;
ALTER DOMAIN standing_kind DROP CONSTRAINT standing_kind_check;
ALTER DOMAIN standing_kind ADD CONSTRAINT standing_kind_check CHECK (VALUE IN ('due_day', 'due_month', 'paid_month', 'billed_month'));

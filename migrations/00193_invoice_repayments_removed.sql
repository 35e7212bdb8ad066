-- A repayment that was recorded by mistake is removed, once: its amount is the customer's credit again. It stays, and counts no more.

-- +goose Up
DROP TRIGGER append_only ON repayments;
DROP INDEX repayments_in_order;
-- The last of the repayments by position, and then by repaid, carries the sum, as that of the refunds of a payment does.
ALTER TABLE repayments ADD COLUMN removed_at timestamptz, ADD COLUMN position integer NOT NULL DEFAULT 0;
CREATE INDEX repayments_in_order ON repayments (tenant_id, receipt_id, position, repaid);
CREATE TRIGGER append_only BEFORE DELETE ON repayments FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_but_removed BEFORE UPDATE ON repayments FOR EACH ROW
    WHEN (OLD.removed_at IS NOT NULL OR NEW.removed_at IS NULL
        OR (OLD.tenant_id, OLD.id, OLD.receipt_id, OLD.amount, OLD.repaid_on, OLD.created_at)
            IS DISTINCT FROM (NEW.tenant_id, NEW.id, NEW.receipt_id, NEW.amount, NEW.repaid_on, NEW.created_at))
    EXECUTE FUNCTION append_only();
CREATE TRIGGER forget_likeness AFTER UPDATE ON repayments FOR EACH ROW WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL)
    EXECUTE FUNCTION forget_likeness('10 minutes', 'receipt_id repaid_on amount');
CREATE CONSTRAINT TRIGGER refuse_removal_of_closed AFTER UPDATE OF removed_at ON repayments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL) EXECUTE FUNCTION refuse_closed('repaid_on');

-- repay_receipt is unchanged, except for the position.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION repay_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    receipt receipts := lock_receipt(NEW.tenant_id, NEW.receipt_id);
BEGIN
    IF receipt.id IS NULL THEN
        RAISE EXCEPTION 'no such receipt' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'repayments_receipt';
    ELSIF NEW.amount > receipt.left_amount THEN
        RAISE EXCEPTION 'more than is left of the receipt' USING ERRCODE = 'check_violation',
            CONSTRAINT = 'repayments_within_receipt', DETAIL = receipt.left_amount;
    END IF;
    NEW.repaid := receipt.repaid + NEW.amount;
    NEW.position := receipt.version;
    NEW.removed_at := NULL;
    UPDATE receipts SET repaid = NEW.repaid WHERE tenant_id = NEW.tenant_id AND id = NEW.receipt_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- free_repayment returns a removed repayment to its receipt.
-- +goose StatementBegin
CREATE FUNCTION free_repayment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    receipt receipts := lock_receipt(NEW.tenant_id, NEW.receipt_id);
BEGIN
    NEW.repaid := receipt.repaid - NEW.amount;
    NEW.position := receipt.version;
    UPDATE receipts SET repaid = NEW.repaid WHERE tenant_id = NEW.tenant_id AND id = NEW.receipt_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER free_repayment BEFORE UPDATE ON repayments
    FOR EACH ROW WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL) EXECUTE FUNCTION free_repayment();

-- balance_receipt is unchanged, except for the order of the repayments, and that it sums up the payments only if their sum has changed.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION balance_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    shown receipts;
    paid  bigint;
    back  bigint;
BEGIN
    SELECT * INTO shown FROM receipts WHERE tenant_id = NEW.tenant_id AND id = NEW.id;
    paid := shown.allocated;
    IF TG_OP = 'INSERT' OR NEW.allocated <> OLD.allocated THEN
        SELECT sum(amount) INTO paid FROM payments WHERE tenant_id = NEW.tenant_id AND receipt_id = NEW.id AND removed_at IS NULL;
    END IF;
    SELECT repaid INTO back FROM repayments WHERE tenant_id = NEW.tenant_id AND receipt_id = NEW.id
    ORDER BY position DESC, repaid DESC LIMIT 1;
    IF (shown.allocated, shown.repaid) IS DISTINCT FROM (COALESCE(paid, 0), COALESCE(back, 0)) THEN
        RAISE EXCEPTION 'allocated is % and repaid %, the payments are % and the repayments %', shown.allocated, shown.repaid, paid, back
            USING ERRCODE = 'check_violation', CONSTRAINT = 'receipts_balanced';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
-- A removed repayment stays, and counts in no sum.
DROP TRIGGER free_repayment ON repayments;
DROP TRIGGER refuse_removal_of_closed ON repayments;
DROP TRIGGER forget_likeness ON repayments;
DROP TRIGGER append_only_but_removed ON repayments;
DROP TRIGGER append_only ON repayments;
ALTER TABLE repayments NO FORCE ROW LEVEL SECURITY;
ALTER TABLE repayments DISABLE TRIGGER next_version;
UPDATE repayments b SET repaid = s.repaid
FROM (
    SELECT tenant_id, id, COALESCE(sum(amount) FILTER (WHERE removed_at IS NULL) OVER (
        PARTITION BY tenant_id, receipt_id ORDER BY created_at, id), 0) AS repaid
    FROM repayments) AS s
WHERE s.tenant_id = b.tenant_id AND s.id = b.id;
ALTER TABLE repayments ENABLE TRIGGER next_version;
ALTER TABLE repayments FORCE ROW LEVEL SECURITY;
ALTER TABLE repayments DROP COLUMN position, DROP COLUMN removed_at;
CREATE INDEX repayments_in_order ON repayments (tenant_id, receipt_id, repaid);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON repayments FOR EACH ROW EXECUTE FUNCTION append_only();
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION balance_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    shown receipts;
    paid  bigint;
    back  bigint;
BEGIN
    SELECT * INTO shown FROM receipts WHERE tenant_id = NEW.tenant_id AND id = NEW.id;
    SELECT sum(amount) INTO paid FROM payments WHERE tenant_id = NEW.tenant_id AND receipt_id = NEW.id AND removed_at IS NULL;
    SELECT max(repaid) INTO back FROM repayments WHERE tenant_id = NEW.tenant_id AND receipt_id = NEW.id;
    IF (shown.allocated, shown.repaid) IS DISTINCT FROM (COALESCE(paid, 0), COALESCE(back, 0)) THEN
        RAISE EXCEPTION 'allocated is % and repaid %, the payments are % and the repayments %', shown.allocated, shown.repaid, paid, back
            USING ERRCODE = 'check_violation', CONSTRAINT = 'receipts_balanced';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION repay_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    receipt receipts := lock_receipt(NEW.tenant_id, NEW.receipt_id);
BEGIN
    IF receipt.id IS NULL THEN
        RAISE EXCEPTION 'no such receipt' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'repayments_receipt';
    ELSIF NEW.amount > receipt.left_amount THEN
        RAISE EXCEPTION 'more than is left of the receipt' USING ERRCODE = 'check_violation',
            CONSTRAINT = 'repayments_within_receipt', DETAIL = receipt.left_amount;
    END IF;
    NEW.repaid := receipt.repaid + NEW.amount;
    UPDATE receipts SET repaid = NEW.repaid WHERE tenant_id = NEW.tenant_id AND id = NEW.receipt_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd
DROP FUNCTION free_repayment;

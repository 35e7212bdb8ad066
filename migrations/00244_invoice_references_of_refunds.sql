-- Refunds and repayments have the reference of their transfer, which may be blank.

-- +goose Up
ALTER TABLE refunds ADD COLUMN reference text NOT NULL DEFAULT '' CHECK (length(reference) <= 100 AND reference !~ '[[:cntrl:]]');
DROP TRIGGER append_only_but_removed ON refunds;
CREATE TRIGGER append_only_but_removed BEFORE UPDATE ON refunds FOR EACH ROW
    WHEN (OLD.removed_at IS NOT NULL OR NEW.removed_at IS NULL
        OR (OLD.tenant_id, OLD.id, OLD.payment_id, OLD.invoice_id, OLD.amount, OLD.refunded_on, OLD.created_at, OLD.reference)
            IS DISTINCT FROM
            (NEW.tenant_id, NEW.id, NEW.payment_id, NEW.invoice_id, NEW.amount, NEW.refunded_on, NEW.created_at, NEW.reference))
    EXECUTE FUNCTION append_only();

ALTER TABLE repayments ADD COLUMN reference text NOT NULL DEFAULT '' CHECK (length(reference) <= 100 AND reference !~ '[[:cntrl:]]');
DROP TRIGGER append_only_but_removed ON repayments;
CREATE TRIGGER append_only_but_removed BEFORE UPDATE ON repayments FOR EACH ROW
    WHEN (OLD.removed_at IS NOT NULL OR NEW.removed_at IS NULL
        OR (OLD.tenant_id, OLD.id, OLD.receipt_id, OLD.amount, OLD.repaid_on, OLD.created_at, OLD.reference)
            IS DISTINCT FROM (NEW.tenant_id, NEW.id, NEW.receipt_id, NEW.amount, NEW.repaid_on, NEW.created_at, NEW.reference))
    EXECUTE FUNCTION append_only();

-- +goose Down
DROP TRIGGER append_only_but_removed ON repayments;
CREATE TRIGGER append_only_but_removed BEFORE UPDATE ON repayments FOR EACH ROW
    WHEN (OLD.removed_at IS NOT NULL OR NEW.removed_at IS NULL
        OR (OLD.tenant_id, OLD.id, OLD.receipt_id, OLD.amount, OLD.repaid_on, OLD.created_at)
            IS DISTINCT FROM (NEW.tenant_id, NEW.id, NEW.receipt_id, NEW.amount, NEW.repaid_on, NEW.created_at))
    EXECUTE FUNCTION append_only();
ALTER TABLE repayments DROP COLUMN reference;

DROP TRIGGER append_only_but_removed ON refunds;
CREATE TRIGGER append_only_but_removed BEFORE UPDATE ON refunds FOR EACH ROW
    WHEN (OLD.removed_at IS NOT NULL OR NEW.removed_at IS NULL
        OR (OLD.tenant_id, OLD.id, OLD.payment_id, OLD.invoice_id, OLD.amount, OLD.refunded_on, OLD.created_at)
            IS DISTINCT FROM (NEW.tenant_id, NEW.id, NEW.payment_id, NEW.invoice_id, NEW.amount, NEW.refunded_on, NEW.created_at))
    EXECUTE FUNCTION append_only();
ALTER TABLE refunds DROP COLUMN reference;

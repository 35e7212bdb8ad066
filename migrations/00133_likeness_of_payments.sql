-- Payments and what is around them note what they are like, whatever inserts them. Invoices are noted where they are inserted: what they
-- are like is in their lines.

-- +goose Up
CREATE TRIGGER note_likeness AFTER INSERT ON payments FOR EACH ROW
    EXECUTE FUNCTION note_likeness('10 minutes', 'invoice_id amount paid_on');
-- What is entered anew is no repeat of what was removed.
CREATE TRIGGER forget_likeness AFTER UPDATE ON payments FOR EACH ROW WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL)
    EXECUTE FUNCTION forget_likeness('10 minutes', 'invoice_id amount paid_on');
CREATE TRIGGER note_likeness AFTER INSERT ON refunds FOR EACH ROW
    EXECUTE FUNCTION note_likeness('10 minutes', 'payment_id refunded_on amount');
CREATE TRIGGER note_likeness AFTER INSERT ON credit_notes FOR EACH ROW
    EXECUTE FUNCTION note_likeness('10 minutes', 'invoice_id issue_date total');
CREATE TRIGGER note_likeness AFTER INSERT ON schedules FOR EACH ROW
    EXECUTE FUNCTION note_likeness('10 minutes', 'customer_id currency lines every unit');

-- +goose Down
DROP TRIGGER note_likeness ON schedules;
DROP TRIGGER note_likeness ON credit_notes;
DROP TRIGGER note_likeness ON refunds;
DROP TRIGGER forget_likeness ON payments;
DROP TRIGGER note_likeness ON payments;

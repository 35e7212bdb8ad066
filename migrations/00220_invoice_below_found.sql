-- Payments, receipts and credit notes are found by their amounts, and by the beginning of a reference or a number. Receipts are listed by
-- day.

-- +goose Up
CREATE INDEX payments_by_amount ON payments (tenant_id, amount, id) WHERE removed_at IS NULL;
CREATE INDEX payments_by_beginning ON payments (tenant_id, reference) WHERE reference IS NOT NULL AND removed_at IS NULL;
CREATE INDEX receipts_by_day ON receipts (tenant_id, received_on, id);
CREATE INDEX receipts_by_amount ON receipts (tenant_id, amount, id);
CREATE INDEX receipts_by_beginning ON receipts (tenant_id, reference) WHERE reference IS NOT NULL;
CREATE INDEX credit_notes_by_total ON credit_notes (tenant_id, total, id);

-- +goose Down
DROP INDEX payments_by_amount, payments_by_beginning, receipts_by_day, receipts_by_amount, receipts_by_beginning, credit_notes_by_total;

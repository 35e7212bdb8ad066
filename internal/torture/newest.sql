-- The migration that a new version of the app brings, in this package only: it can be taken back without the data that
-- clients have sent meanwhile. It goes over all of their tables, and protects nothing.

-- +goose Up
ALTER TABLE customers ADD COLUMN remark text NOT NULL DEFAULT '';
ALTER TABLE invoices ADD COLUMN remark text NOT NULL DEFAULT '';
CREATE INDEX invoices_by_state ON invoices (tenant_id, state, due_date);
ALTER TABLE invoice_lines ADD COLUMN remark text NOT NULL DEFAULT '';
ALTER TABLE payments ADD COLUMN remark text NOT NULL DEFAULT '';
CREATE INDEX payments_by_method ON payments (tenant_id, method, id);
CREATE INDEX postings_by_time ON postings (tenant_id, at);
ALTER TABLE refunds ADD COLUMN remark text NOT NULL DEFAULT '';
CREATE INDEX refunds_by_day ON refunds (tenant_id, refunded_on, id);
ALTER TABLE credit_notes ADD COLUMN remark text NOT NULL DEFAULT '';
ALTER TABLE credit_note_lines ADD COLUMN remark text NOT NULL DEFAULT '';
ALTER TABLE credit_note_series ADD COLUMN remark text NOT NULL DEFAULT '';
ALTER TABLE mails ADD COLUMN remark text NOT NULL DEFAULT '';
ALTER TABLE settings ADD COLUMN remark text NOT NULL DEFAULT '';
CREATE INDEX invoice_words_of_invoice ON invoice_words (tenant_id, invoice_id);

-- +goose Down
DROP INDEX invoice_words_of_invoice;
ALTER TABLE settings DROP COLUMN remark;
ALTER TABLE mails DROP COLUMN remark;
ALTER TABLE credit_note_series DROP COLUMN remark;
ALTER TABLE credit_note_lines DROP COLUMN remark;
ALTER TABLE credit_notes DROP COLUMN remark;
DROP INDEX refunds_by_day;
ALTER TABLE refunds DROP COLUMN remark;
DROP INDEX postings_by_time;
DROP INDEX payments_by_method;
ALTER TABLE payments DROP COLUMN remark;
ALTER TABLE invoice_lines DROP COLUMN remark;
DROP INDEX invoices_by_state;
ALTER TABLE invoices DROP COLUMN remark;
ALTER TABLE customers DROP COLUMN remark;

-- The migration that a new version of the app brings, in this package only: it can be taken back without the data that
-- clients have sent meanwhile. It goes over all of their tables.

-- +goose Up
ALTER TABLE payments ADD COLUMN remark text NOT NULL DEFAULT '';
CREATE INDEX payments_by_day ON payments (tenant_id, paid_on, id);
ALTER TABLE postings ADD CONSTRAINT postings_of_payments FOREIGN KEY (tenant_id, source_id) REFERENCES payments (tenant_id, id)
    DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE invoices ADD COLUMN remark text NOT NULL DEFAULT '', ADD CONSTRAINT invoices_paid_in_range CHECK (paid <= total);
CREATE INDEX invoices_by_state ON invoices (tenant_id, state, due_date);
ALTER TABLE customers ADD COLUMN remark text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE customers DROP COLUMN remark;
DROP INDEX invoices_by_state;
ALTER TABLE invoices DROP CONSTRAINT invoices_paid_in_range, DROP COLUMN remark;
ALTER TABLE postings DROP CONSTRAINT postings_of_payments;
DROP INDEX payments_by_day;
ALTER TABLE payments DROP COLUMN remark;

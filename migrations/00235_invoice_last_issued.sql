-- The last issued invoice of a customer has the defaults of their next one.

-- +goose Up
CREATE INDEX invoices_issued_of_customer ON invoices (tenant_id, customer_id, issued_at, id) WHERE status = 'issued';

-- +goose Down
DROP INDEX invoices_issued_of_customer;

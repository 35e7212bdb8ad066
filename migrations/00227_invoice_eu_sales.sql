-- The EU sales list of a period reads the taxes of its supplies only, not those of all invoices.

-- +goose Up
CREATE INDEX invoice_taxes_of_eu_sales ON invoice_taxes (tenant_id, day) INCLUDE (invoice_id, kind, treatment, currency, net)
    WHERE treatment IN ('intra_community', 'reverse_charge');

-- +goose Down
DROP INDEX invoice_taxes_of_eu_sales;

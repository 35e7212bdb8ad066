-- The EU sales list of a period reads the taxes of its supplies only, not those of all invoices. The page of a credit note shows its last
-- emails.

-- +goose Up
CREATE INDEX invoice_taxes_of_eu_sales ON invoice_taxes (tenant_id, day) INCLUDE (invoice_id, kind, treatment, currency, net)
    WHERE treatment IN ('intra_community', 'reverse_charge');
DROP INDEX mails_by_credit_note;
CREATE INDEX mails_by_credit_note ON mails (tenant_id, credit_note_id, id);

-- +goose Down
DROP INDEX mails_by_credit_note;
CREATE INDEX mails_by_credit_note ON mails (tenant_id, credit_note_id);
DROP INDEX invoice_taxes_of_eu_sales;

-- An e-invoice can be attached to the mail about an invoice.

-- +goose Up
ALTER TABLE mails ADD COLUMN e_invoice boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT mails_e_invoice CHECK (kind = 'invoice' OR NOT e_invoice);

-- +goose Down
ALTER TABLE mails DROP COLUMN e_invoice;

-- An e-invoice can be attached to the mail about a credit note.

-- +goose Up
ALTER TABLE mails DROP CONSTRAINT mails_e_invoice,
    ADD CONSTRAINT mails_e_invoice CHECK (kind IN ('invoice', 'credit_note') OR NOT e_invoice);

-- +goose Down
ALTER TABLE mails NO FORCE ROW LEVEL SECURITY;
UPDATE mails SET e_invoice = false WHERE kind = 'credit_note' AND e_invoice;
ALTER TABLE mails FORCE ROW LEVEL SECURITY;
ALTER TABLE mails DROP CONSTRAINT mails_e_invoice,
    ADD CONSTRAINT mails_e_invoice CHECK (kind = 'invoice' OR NOT e_invoice);

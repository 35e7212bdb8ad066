-- The list of invoices shows whether the last email of a reminder was sent.

-- +goose Up
CREATE INDEX mails_of_reminder ON mails (tenant_id, invoice_id, id) WHERE kind IN ('reminder_1', 'reminder_2', 'reminder_3');

-- +goose Down
DROP INDEX mails_of_reminder;

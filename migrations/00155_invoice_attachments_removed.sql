-- Attachments are removed. The row and the content of the file stay, and the file can be attached again.

-- +goose Up
ALTER TABLE attachments ADD removed_at timestamptz, DROP CONSTRAINT attachments_once;
-- The name is the one by which the previous version explains it too.
CREATE UNIQUE INDEX attachments_once ON attachments (tenant_id, invoice_id, file_digest) WHERE removed_at IS NULL;

-- +goose Down
-- It fails if a file was attached again.
DROP INDEX attachments_once;
ALTER TABLE attachments DROP removed_at, ADD CONSTRAINT attachments_once UNIQUE (tenant_id, invoice_id, file_digest);

-- The emails that have failed are found.

-- +goose Up
CREATE INDEX IF NOT EXISTS mails_failed ON mails (tenant_id, created_at, id) WHERE state = 'failed';

-- +goose Down
DROP INDEX mails_failed;

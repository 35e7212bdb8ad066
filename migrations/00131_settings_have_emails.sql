-- The email address of a business, for the answers of its customers. And the emails that have failed are found.

-- +goose Up
ALTER TABLE settings ADD email text NOT NULL DEFAULT '' CHECK (email ~ '^([!-?A-~]+@[!-?A-~]+)?$' AND length(email) <= 254);
CREATE INDEX mails_failed ON mails (tenant_id, id) WHERE state = 'failed';

-- +goose Down
DROP INDEX mails_failed;
ALTER TABLE settings DROP email;

-- The digest of a file is that of its content.

-- +goose Up
ALTER TABLE file_contents ADD CONSTRAINT file_contents_digest CHECK (digest = sha256(content));

-- +goose Down
ALTER TABLE file_contents DROP CONSTRAINT file_contents_digest;

-- The email address of a business, for the answers of its customers.

-- +goose Up
ALTER TABLE settings ADD email text NOT NULL DEFAULT '' CHECK (email ~ '^([!-?A-~]+@[!-?A-~]+)?$' AND length(email) <= 254);

-- +goose Down
ALTER TABLE settings DROP email;

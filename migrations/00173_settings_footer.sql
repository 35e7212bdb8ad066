-- Documents can have a footer, such as the register and the directors of the business.

-- +goose Up
ALTER TABLE settings ADD COLUMN footer text NOT NULL DEFAULT '' CHECK (char_length(footer) <= 300);

-- +goose Down
ALTER TABLE settings DROP COLUMN footer;

-- Programs may add endpoints too, and their page has by whom each was added.

-- +goose Up
ALTER TABLE endpoints ADD created_by text NOT NULL DEFAULT ''; -- '' before this migration

-- +goose Down
ALTER TABLE endpoints DROP created_by;

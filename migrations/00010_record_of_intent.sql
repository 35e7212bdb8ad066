-- The id of what an intent created, in a column of its own. Taken out of the result, it would be an
-- expression that may not be compared with an index under row-level security: a replay would then read
-- every row of the tenant to see whether the record is still there.

-- +goose Up
ALTER TABLE idempotency_records ADD COLUMN record_id uuid;
-- Not an UPDATE: this way row-level security is not asked.
ALTER TABLE idempotency_records ALTER COLUMN record_id TYPE uuid USING (result->>'id')::uuid;

-- +goose Down
ALTER TABLE idempotency_records DROP COLUMN record_id;

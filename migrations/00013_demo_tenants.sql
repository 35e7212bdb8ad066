-- A demo tenant's logins are known to everybody, so a program that runs without the demo has to tell them
-- from others: those in the database, and those that are logged in already.

-- +goose Up
ALTER TABLE tenants ADD COLUMN demo boolean NOT NULL DEFAULT false;
UPDATE tenants SET demo = true
WHERE id IN ('0a3e0000-0000-4000-8000-00000000ac3e', '610be000-0000-4000-8000-0000000610be');
-- Sessions that do not say yet that they belong to a demo tenant. The tenant's id stands in them as text.
DELETE FROM sessions
WHERE position('0a3e0000-0000-4000-8000-00000000ac3e'::bytea IN data) > 0
   OR position('610be000-0000-4000-8000-0000000610be'::bytea IN data) > 0;

-- +goose Down
ALTER TABLE tenants DROP COLUMN demo;

-- What a key and a fingerprint are, said once for every table that has one. A domain is checked when a
-- value comes in; a CHECK of the table would be read and checked again with each change of another
-- column, and each record is changed once, when it gets its result.

-- +goose Up
CREATE DOMAIN idempotency_key AS text
    CHECK (VALUE ~ '^[ -~]+$' AND length(VALUE) <= 255 AND VALUE = btrim(VALUE));
CREATE DOMAIN sha256_digest AS bytea CHECK (octet_length(VALUE) = 32);

ALTER TABLE idempotency_records
    DROP CONSTRAINT idempotency_records_key_check,
    DROP CONSTRAINT idempotency_records_fingerprint_check,
    ALTER COLUMN key TYPE idempotency_key,
    ALTER COLUMN fingerprint TYPE sha256_digest;
ALTER TABLE invoices ALTER COLUMN idempotency_key TYPE idempotency_key;
ALTER TABLE customers ALTER COLUMN idempotency_key TYPE idempotency_key;

-- +goose Down
ALTER TABLE customers ALTER COLUMN idempotency_key TYPE text;
ALTER TABLE invoices ALTER COLUMN idempotency_key TYPE text;
ALTER TABLE idempotency_records
    ALTER COLUMN key TYPE text,
    ALTER COLUMN fingerprint TYPE bytea,
    ADD CONSTRAINT idempotency_records_key_check
        CHECK (key ~ '^[ -~]+$' AND length(key) <= 255 AND key = btrim(key)),
    ADD CONSTRAINT idempotency_records_fingerprint_check CHECK (octet_length(fingerprint) = 32);
DROP DOMAIN idempotency_key, sha256_digest;

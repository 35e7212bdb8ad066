-- What a replay needs of the database: one record, found by its key.
\set n random(0, 99)
SELECT token, fingerprint, result FROM idempotency_records
WHERE tenant_id = :tenant::uuid AND operation = 'invoice.create' AND key = 'replay-' || :n;

-- What a replay needs of the database: one intent, found by its key.
\set n random(0, 99)
SELECT attempt_id, fingerprint, result FROM intents
WHERE tenant_id = :tenant::uuid AND operation = 'invoice.create' AND key = 'replay-' || lpad(:n::text, 29, '0');

-- The rows of a create, in a single statement: an invoice with its customer found by email, three lines, a likeness and an intent. It
-- uses the same tables, constraints and row-level security as the app, without a result to replay. Ids are UUIDv7 as in the app, so
-- that the indexes grow in the same places.
WITH made AS (
    SELECT
        encode(overlay(uuid_send(gen_random_uuid()) PLACING
            substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 'hex')::uuid AS id,
        gen_random_uuid()::text AS key,
        (SELECT id FROM customers
         WHERE tenant_id = :tenant::uuid AND email_folded = 'accounts@northwind.example'
             AND name_folded = 'northwind traders' AND merged_into IS NULL) AS customer
), invoice AS (
    INSERT INTO invoices (
        tenant_id, id, number, customer_id, currency, issue_date, due_date, notes,
        subtotal, tax_total, total)
    SELECT
        :tenant::uuid, id, 'N-' || left(key, 13), customer, 'EUR', current_date, current_date + 30, '',
        28000, 5540, 33540
    FROM made
    RETURNING id
), lines AS (
    INSERT INTO invoice_lines (tenant_id, invoice_id, position, description, quantity, unit_price, tax_rate, net)
    SELECT :tenant::uuid, id, line.*
    FROM invoice, (VALUES
        (1, 'Design', 2, 5000, 23, 10000),
        (2, 'Build', 1.5, 8000, 23, 12000),
        (3, 'Support', 3, 2000, 8, 6000)) AS line
), likeness AS (
    INSERT INTO likenesses (tenant_id, likeness, record_id, expires_at)
    SELECT :tenant::uuid, sha256(key::bytea), id, now() + interval '10 minutes' FROM made
)
INSERT INTO intents (tenant_id, operation, key, fingerprint, attempt_id, record_id, outcome, actor, expires_at)
SELECT :tenant::uuid, 'invoice.create', key, sha256(key::bytea), id, id, 'created', 'token demo', now() FROM made;

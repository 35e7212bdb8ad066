-- Inserts at least one row for each row of past (tenant_id, n, at, id, key). n counts moments until yesterday, id is a UUIDv7 of the
-- moment, and key is the n-th of as many sorted random keys. Rows are inserted in the order of an index, which is fast and builds the
-- same index.

INSERT INTO tenants (id, name) SELECT id, 'Tenant ' || n FROM past;
INSERT INTO settings (tenant_id, name) SELECT id, 'Tenant ' || n FROM past;

INSERT INTO users (id, tenant_id, email, password_hash, role)
SELECT id, tenant_id, 'person' || n || '@past.example', '', 'member' FROM past;

INSERT INTO api_tokens (token_hash, tenant_id, name)
SELECT sha256(int8send(n)) AS hash, tenant_id, 'token ' || n FROM past ORDER BY hash;

INSERT INTO sessions (tenant_id, id, user_id, generation, device, token, data, expiry)
SELECT tenant_id, id, id, 0, 'Firefox on Linux', encode(sha256(int8send(n)), 'hex') AS hash, '', now() + interval '7 days'
FROM past ORDER BY hash;

-- The newer half is archived, so a list that reads through archived customers takes longer.
INSERT INTO customers (tenant_id, id, email, name, archived_at, created_at, source, external_id, external_digest)
SELECT tenant_id, id, 'customer' || n || '@past.example', 'Customer ' || n, CASE WHEN n > middle THEN at END, at,
    'Shop', key, sha256('')
FROM past, (SELECT count(*) / 2 AS middle FROM past) AS counted;

-- Half of the invoices are for the customer of the load. Their numbers were typed: every second number of the series, far after those that
-- are allocated. A quarter each is paid in part, issued, void, and draft. The first invoice is large: three quarters of the payments are
-- for it.
INSERT INTO invoices (
    tenant_id, id, number, customer_id, currency, issue_date, due_date, notes,
    subtotal, tax_total, total, created_at, status, issued_at, voided_at, bill_to, seller, paid,
    source, external_id, external_digest)
SELECT
    past.tenant_id, past.id,
    format_invoice_number(extract(year FROM at)::integer, 1000000 + 2 * n), CASE WHEN n % 2 = 0 THEN past.id ELSE regular.id END,
    'EUR', at::date, at::date + 30, '', amount - 5540, 5540, amount, at,
    CASE n % 4 WHEN 0 THEN 'draft' WHEN 3 THEN 'void' ELSE 'issued' END,
    CASE WHEN n % 4 > 0 THEN at END, CASE n % 4 WHEN 3 THEN at END,
    CASE WHEN n % 4 > 0 THEN json_build_object('id', regular.id, 'email', regular.email, 'name', regular.name) END,
    CASE WHEN n % 4 > 0 THEN json_build_object('name', 'Tenant') END,
    CASE n WHEN 1 THEN many ELSE 0 END + CASE n % 4 WHEN 1 THEN 10000 ELSE 0 END,
    'Shop', key, sha256('')
FROM past JOIN customers AS regular
    ON regular.tenant_id = past.tenant_id AND regular.email = 'accounts@northwind.example',
    (SELECT count(*) AS many FROM past WHERE n % 4 <> 1) AS counted,
    LATERAL (SELECT CASE n WHEN 1 THEN 1000000000000 ELSE 33540 END AS amount) AS billed;

INSERT INTO payments (
    tenant_id, id, invoice_id, amount, refunded, paid_on, method, provider, reference, created_at, source, external_id, external_digest)
SELECT
    tenant_id, id, CASE n % 4 WHEN 1 THEN id ELSE first_value(id) OVER (ORDER BY n) END,
    CASE n % 4 WHEN 1 THEN 10001 ELSE 2 END, 1, at::date, 'bank_transfer', 'Bank', 'R-' || n, at,
    'Shop', key, sha256('')
FROM past;

-- One closing was not reopened.
INSERT INTO closings (tenant_id, id, through, reopened_at, created_at)
SELECT tenant_id, id, '2000-01-01', CASE WHEN n > 1 THEN at END, at FROM past;

-- Two concurrent changes have left two parts for each customer, whose sum is zero.
DELETE FROM standing;
INSERT INTO standing (tenant_id, of_id, kind, day, currency, amount, invoices) SELECT * FROM standing_by_the_books();
INSERT INTO standing (tenant_id, of_id, kind, day, currency, amount, invoices)
SELECT tenant_id, id, 'due_month', date_trunc('month', at), 'EUR', part, part FROM past, unnest(ARRAY[-1, 1]) AS part;

INSERT INTO likenesses (tenant_id, likeness, record_id, expires_at)
SELECT tenant_id, sha256(int8send(n)), id, now() + interval '1 hour' FROM past;

INSERT INTO mails (tenant_id, id, invoice_id, recipient, subject, state, attempts, message_id, body, sent_at, created_at)
SELECT tenant_id, id, invoice_id, 'accounts@northwind.example', 'Invoice', 'sent', 1, id || '@past.example', 'Dear customer', created_at, created_at
FROM payments WHERE provider = 'Bank';

INSERT INTO refunds (tenant_id, id, payment_id, invoice_id, amount, refunded_on, refunded, created_at)
SELECT tenant_id, gen_random_uuid(), id, invoice_id, 1, paid_on, 1, created_at FROM payments WHERE provider = 'Bank';

-- The credited amounts are rounded to zero.
INSERT INTO credit_notes (tenant_id, id, invoice_id, issue_date, number, subtotal, tax_total, total, taxes, created_at)
SELECT tenant_id, gen_random_uuid(), invoice_id, paid_on, 'CN-' || reference, 0, 0, 0, '[{"rate": "23", "net": 0, "tax": 0}]', created_at
FROM payments WHERE provider = 'Bank';

INSERT INTO write_offs (tenant_id, id, invoice_id, amount, reason, written_off_on, reversed_at, created_at)
SELECT tenant_id, gen_random_uuid(), invoice_id, 1, 'small_difference', paid_on, created_at, created_at
FROM payments WHERE provider = 'Bank';

DELETE FROM account_entries;
INSERT INTO account_entries (tenant_id, source_id, kind, of_id, customer_id, currency, day, amount)
SELECT * FROM account_by_the_books();
DELETE FROM standing WHERE kind = 'account_month';
INSERT INTO standing (tenant_id, of_id, kind, day, currency, amount, invoices)
SELECT * FROM standing_by_the_books() WHERE kind = 'account_month';

-- The write-offs were taken back, and sum up to zero.
INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount, position, paid, credited, written_off, at)
SELECT tenant_id, invoice_id, id, kind, amount, row_number() OVER past_ones, sum(paid) OVER past_ones, 0,
    sum(amount - paid) OVER past_ones, created_at
FROM (
    SELECT tenant_id, invoice_id, id, 'payment' AS kind, amount::bigint, amount::bigint AS paid, created_at
    FROM payments WHERE provider = 'Bank'
    UNION ALL SELECT tenant_id, invoice_id, id, 'refund', -amount::bigint, -amount::bigint, created_at FROM refunds
    WHERE payment_id IN (SELECT id FROM payments WHERE provider = 'Bank')
    UNION ALL SELECT tenant_id, invoice_id, id, 'credit', 0, 0, created_at FROM credit_notes WHERE number LIKE 'CN-R-%'
    UNION ALL SELECT tenant_id, invoice_id, id, 'write_off', amount, 0, created_at FROM write_offs WHERE reversed_at = created_at
    UNION ALL SELECT tenant_id, invoice_id, id, 'reversal', -amount::bigint, 0, created_at FROM write_offs
    WHERE reversed_at = created_at) AS past_entries
WINDOW past_ones AS (PARTITION BY tenant_id, invoice_id ORDER BY kind IN ('refund', 'reversal'), id)
ORDER BY invoice_id, 6;

INSERT INTO invoice_lines (tenant_id, invoice_id, position, description, quantity, unit_price, tax_rate, net)
SELECT tenant_id, id, line.*
FROM past, LATERAL (VALUES
    (1, CASE WHEN n % 1000 = 0 THEN 'Rare design' ELSE 'Design' END, 2, 5000, 23, 10000),
    (2, 'Build', 1.5, 8000, 23, 12000),
    (3, 'Support', 3, 2000, 8, 6000)) AS line;

INSERT INTO credit_note_lines (tenant_id, credit_note_id, invoice_id, position, quantity, ordinal, credited, net)
SELECT tenant_id, id, invoice_id, 1, 0.0000001, n, 0.0000001 * n, 0
FROM (
    SELECT *, row_number() OVER (PARTITION BY tenant_id, invoice_id ORDER BY id) AS n FROM credit_notes WHERE number LIKE 'CN-R-%'
) AS notes;

INSERT INTO invoice_taxes (tenant_id, invoice_id, source_id, kind, tax_rate, treatment, day, billed_on, currency, net, tax)
SELECT i.tenant_id, i.id, i.id, kind, rate, 'standard', i.issue_date, i.issue_date, i.currency, net, round(net * rate * 0.01)
FROM invoices i JOIN past ON past.tenant_id = i.tenant_id AND past.id = i.id, (VALUES (23, 22000), (8, 6000)) AS of_rate (rate, net),
    LATERAL (SELECT 'invoice' AS kind UNION ALL SELECT 'void' WHERE i.status = 'void') AS entry
WHERE i.issued_at IS NOT NULL
UNION ALL
SELECT n.tenant_id, n.invoice_id, n.id, 'credit', 23, 'standard', n.issue_date, i.issue_date, i.currency, 0, 0
FROM credit_notes n JOIN invoices i ON i.tenant_id = n.tenant_id AND i.id = n.invoice_id WHERE n.number LIKE 'CN-R-%';

INSERT INTO invoice_words (tenant_id, word, issue_date, invoice_id)
SELECT DISTINCT i.tenant_id, unnest(search_words(number_text(i.number) || (
    SELECT string_agg(l.description, ' ') FROM invoice_lines l WHERE l.tenant_id = i.tenant_id AND l.invoice_id = i.id))) AS word,
    i.issue_date, i.id
FROM invoices i JOIN past ON past.tenant_id = i.tenant_id AND past.id = i.id
ORDER BY word;

INSERT INTO customer_words (tenant_id, word, customer_id)
SELECT c.tenant_id, unnest(search_words(c.email || ' ' || c.name)) AS word, c.id
FROM customers c JOIN past ON past.tenant_id = c.tenant_id AND past.id = c.id
ORDER BY word;

INSERT INTO invoice_number_runs (tenant_id, year, first, last)
SELECT tenant_id, extract(year FROM at), 1000000 + 2 * n, 1000000 + 2 * n FROM past;

INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
SELECT tenant_id, id, 'invoice.create', key, 'customer created' FROM past;

INSERT INTO attempts (tenant_id, id, record_id, at, duration, operation, key, outcome, actor, reason, replica)
SELECT tenant_id, id, id, at, 2000, 'invoice.create', key, CASE WHEN n % 10 = 0 THEN 'replayed' ELSE 'created' END, 'person', '', 'past/1'
FROM past;

-- Every fourth intent has changed a customer. The results are as large as those of invoices with three lines.
INSERT INTO intents (tenant_id, operation, key, fingerprint, attempt_id, record_id, outcome, changes, actor, result, expires_at)
SELECT tenant_id, operation, key, sha256(key::text::bytea), key, key, outcome, changes::jsonb, 'token demo',
    json_build_object('id', key, 'padding', repeat(md5(key::text), 20)), now() + interval '24 hours'
FROM past JOIN (VALUES
    (false, 'invoice.create', 'created', NULL),
    (true, 'customer.edit', 'changed', '{"name": ["Ada Lovelace", "Ada King"]}')) AS kinds (changed, operation, outcome, changes)
    ON changed = (n % 4 = 0)
ORDER BY key;

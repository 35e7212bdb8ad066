-- The arguments are the id of a tenant, the number of rows, the past operations, and the tenant of strangers.
CREATE OR REPLACE FUNCTION pg_temp.id(n bigint) RETURNS uuid LANGUAGE sql AS
    $$ SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$;
INSERT INTO tenants (id, name) SELECT pg_temp.id(n), 'Tenant ' || n FROM generate_series(1, %[2]d) AS n;
INSERT INTO users (tenant_id, id, email, password_hash)
SELECT id AS tenant, id, id || '@example.com', '' FROM tenants WHERE name LIKE 'Tenant %%';
INSERT INTO api_tokens (token_hash, tenant_id, name)
SELECT sha256(id::text::bytea), id, 'test' FROM tenants WHERE name LIKE 'Tenant %%';
INSERT INTO users (tenant_id, id, email, name, password_hash, role, disabled_at, link_id, link_hash, link_expires_at)
SELECT '%[1]s', pg_temp.id(n), n || '@people.example', 'Person', 'hash', 'member', CASE WHEN n > %[2]d - 100 THEN now() END,
    CASE n %% 2 WHEN 0 THEN pg_temp.id(n) END, CASE n %% 2 WHEN 0 THEN sha256(n::text::bytea) END,
    CASE n %% 2 WHEN 0 THEN now() + interval '1 day' END
FROM generate_series(1, %[2]d) AS n;
INSERT INTO api_tokens (tenant_id, id, name, token_hash) SELECT '%[1]s', pg_temp.id(n), 'token ' || n, sha256(n::text::bytea)
FROM generate_series(1, %[2]d) AS n;
INSERT INTO api_token_uses (tenant_id, token_id, last_used_at)
SELECT tenant_id, id, now() FROM api_tokens;
INSERT INTO sessions (tenant_id, id, user_id, generation, device, token, data, expiry)
SELECT '%[1]s', pg_temp.id(n), pg_temp.id(n) AS person, 0, 'Phone', n, '', now() + n * interval '1 minute'
FROM generate_series(1, %[2]d) AS n;
INSERT INTO installation_admins (tenant_id, user_id, generation)
SELECT '%[1]s', pg_temp.id(n) AS person, 0 FROM generate_series(1, %[2]d) AS n;
INSERT INTO river.river_job (kind, args, max_attempts, attempt, state, scheduled_at)
SELECT 'test', jsonb_build_object('tenant', '%[1]s'), 3, 1, 'retryable', now() + n * interval '1 minute'
FROM generate_series(1, %[2]d) AS n;
INSERT INTO link_mails (tenant_id, id, user_id, link_id, recipient, asked_by)
SELECT '%[1]s', pg_temp.id(n), pg_temp.id(n) AS person, pg_temp.id(n) AS link, 'x', 'x' FROM generate_series(1, %[2]d) AS n;
INSERT INTO sign_ups (tenant_id, id, email) SELECT '%[4]s', pg_temp.id(n) AS sign_up, n || '@people.example'
FROM generate_series(1, %[2]d) AS n;
INSERT INTO sign_up_mails (tenant_id, id, sign_up_id, link_hash)
SELECT '%[4]s', pg_temp.id(n), pg_temp.id(n) AS sign_up, sha256(n::text::bytea) FROM generate_series(1, %[2]d) AS n;
INSERT INTO customers (tenant_id, id, email, name, source, external_id, external_digest, archived_at)
SELECT '%[1]s', pg_temp.id(n), CASE WHEN n > %[2]d THEN 'shared' ELSE n::text END || '@example.com', 'Customer ' || n, 'Shop', n,
    sha256(''),
    CASE WHEN n > %[2]d THEN now() END
FROM generate_series(1, 2 * %[2]d) AS n;
INSERT INTO file_contents (tenant_id, digest, type, content)
SELECT '%[1]s', sha256(n::text::bytea), 'text/plain', n::text::bytea FROM generate_series(1, %[2]d) AS n;
SET LOCAL session_replication_role = replica; -- the triggers would refuse it, or do the same one by one
INSERT INTO intents (
    tenant_id, operation, key, fingerprint, attempt_id, record_id, outcome, changes, actor, result, expires_at)
SELECT '%[1]s', operation, 'past ' || n, sha256(''),
    pg_temp.id(n) AS attempt, pg_temp.id(place * 10000 + n) AS record, outcome, changes::jsonb, 'test',
    json_build_object('id', pg_temp.id(place * 10000 + n)), now() + interval '1 hour'
FROM generate_series(1, %[2]d) AS n, (VALUES %[3]s) AS of (place, operation, outcome, changes);
INSERT INTO event_feeds (tenant_id, id, name) SELECT '%[1]s', pg_temp.id(n), 'Program ' || n FROM generate_series(1, %[2]d) AS n;
UPDATE tenants SET events_since = now() WHERE id = '%[1]s';
INSERT INTO events (tenant_id, operation, key) SELECT tenant_id, operation, key FROM intents WHERE operation IN ('customer.upsert', 'customer.edit');
INSERT INTO endpoints (tenant_id, id, address, operations, slot, disabled_at)
SELECT '%[1]s', pg_temp.id(n), 'https://shop' || n || '.example/', 'customer.', CASE n WHEN 7 THEN 1 END, CASE WHEN n <> 7 THEN now() END
FROM generate_series(1, %[2]d) AS n;
INSERT INTO deliveries (tenant_id, id, endpoint_id, n, event_id, operation, record_id, state, next_at)
SELECT '%[1]s', pg_temp.id(n), pg_temp.id(n %% 2 * (n - 7) + 7), n, pg_temp.id(n) AS event, 'customer.edit', pg_temp.id(n) AS record,
    CASE WHEN n %% 20 = 0 THEN 'waiting' ELSE 'delivered' END, CASE WHEN n %% 20 = 0 THEN now() + interval '1 hour' END
FROM generate_series(1, %[2]d) AS n;
INSERT INTO endpoint_mails (tenant_id, id, endpoint_id, disabled_at, user_id, failing_since, answer)
SELECT '%[1]s', pg_temp.id(n), pg_temp.id(n) AS endpoint, now(), pg_temp.id(n) AS person, now(), '' FROM generate_series(1, %[2]d) AS n;
-- One record has most of what was done.
INSERT INTO intents (tenant_id, operation, key, fingerprint, attempt_id, record_id, outcome, actor, at, expires_at)
SELECT '%[1]s', 'customer.upsert', 'again ' || n, sha256(''), pg_temp.id(n), pg_temp.id(7), 'reused', 'test',
    now() - n * interval '1 minute', now()
FROM generate_series(1, %[2]d) AS n;
INSERT INTO likenesses (tenant_id, likeness, record_id, expires_at)
SELECT '%[1]s', sha256(n::text::bytea), pg_temp.id(n), now() + interval '1 hour' FROM generate_series(1, %[2]d) AS n;
INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
SELECT '%[1]s', pg_temp.id(n), 'customer.upsert', 'past ' || n, 'effect'
FROM generate_series(1, %[2]d) AS n;
INSERT INTO attempts (tenant_id, id, record_id, at, duration, operation, key, outcome, actor, reason, replica)
SELECT '%[1]s', pg_temp.id(n), pg_temp.id(n %% 2 * n + 7), now(), n, 'customer.upsert', 'past ' || n %% 2 * n,
    CASE n WHEN 2000 THEN 'failed' ELSE 'created' END, 'test', '', 'here'
FROM generate_series(1, %[2]d) AS n

-- Erasure of the personal data of customers. The row stays without the person, so that everything else keeps its reference.
--
-- The customer is erased together with those that were merged into it. A room that has data of customers erases it in a trigger AFTER
-- UPDATE OF erased_at ON customers, or refuses with constraint customers_in_use: see 00154_invoice_erasures.sql.

-- +goose Up
ALTER TABLE customers ADD erased_at timestamptz, ADD CONSTRAINT customers_erased_blank CHECK (erased_at IS NULL OR (
    archived_at IS NOT NULL AND name = 'Erased customer' AND num_nonnulls(email, payment_days, external_id) = 0
    AND address = '' AND country = '' AND tax_id = ''));

-- keep_erased_customer refuses every change of an erased customer, so it isn't restored, edited, merged or separated.
-- +goose StatementBegin
CREATE FUNCTION keep_erased_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'an erased customer does not change' USING ERRCODE = 'check_violation', CONSTRAINT = 'customers_erased';
END $$;
-- +goose StatementEnd
CREATE TRIGGER keep_erased_customer BEFORE UPDATE ON customers FOR EACH ROW
    WHEN (OLD.erased_at IS NOT NULL) EXECUTE FUNCTION keep_erased_customer();
DROP TRIGGER keep_merged_customer ON customers;
CREATE TRIGGER keep_merged_customer AFTER UPDATE ON customers FOR EACH ROW
    WHEN (OLD.merged_into IS NOT NULL AND NEW.merged_into IS NOT NULL AND NEW.erased_at IS NULL) EXECUTE FUNCTION keep_merged_customer();

-- live_customer returns a customer, or the one that it was merged into, and keeps it from being merged or erased until the transaction
-- ends; all NULL if there is none. It fails with constraint customers_erased for an erased one.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION live_customer(in_tenant uuid, in_id uuid) RETURNS customers LANGUAGE plpgsql AS $$
DECLARE
    found customers;
BEGIN
    SELECT * INTO found FROM customers WHERE tenant_id = in_tenant AND id = in_id FOR KEY SHARE;
    WHILE found.merged_into IS NOT NULL LOOP
        SELECT * INTO found FROM customers WHERE tenant_id = in_tenant AND id = found.merged_into FOR KEY SHARE;
    END LOOP;
    IF found.erased_at IS NOT NULL THEN
        RAISE EXCEPTION 'the customer was erased' USING ERRCODE = 'check_violation', CONSTRAINT = 'customers_erased';
    END IF;
    RETURN found;
END $$;
-- +goose StatementEnd

-- refuse_erased_customer keeps a row from referring to an erased customer. Tables whose customer_id doesn't come from live_customer have
-- it as a trigger BEFORE INSERT OR UPDATE OF customer_id. An erasure at the same moment is waited for.
-- +goose StatementBegin
CREATE FUNCTION refuse_erased_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM live_customer(NEW.tenant_id, NEW.customer_id);
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- The values in a history may be erased, and are never replaced by others.
GRANT UPDATE (changes) ON intents TO CURRENT_USER;
-- +goose StatementBegin
CREATE FUNCTION keep_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.changes IS NULL AND OLD.changes IS NOT NULL OR EXISTS (
        SELECT FROM jsonb_each(OLD.changes) AS was FULL JOIN jsonb_each(NEW.changes) AS is_now USING (key)
        WHERE was.value IS DISTINCT FROM is_now.value
            AND (key = 'version' OR was.value IS NULL OR is_now.value IS DISTINCT FROM '[null, null]')) THEN
        RAISE EXCEPTION 'the history does not change' USING ERRCODE = 'check_violation', CONSTRAINT = 'intents_changes_kept';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER keep_changes BEFORE UPDATE OF changes ON intents FOR EACH ROW EXECUTE FUNCTION keep_changes();

-- erase_history erases from the intents of records the results, and the old and new values of fields; NULL for all fields. It leaves the
-- names of the fields, and who changed them when.
-- +goose StatementBegin
CREATE FUNCTION erase_history(in_tenant uuid, in_records uuid[], in_fields text[] DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE intents SET result = NULL, changes = (
        SELECT jsonb_object_agg(key, CASE WHEN key = 'version' OR key <> ALL (in_fields) THEN value ELSE '[null, null]' END)
        FROM jsonb_each(changes))
    WHERE tenant_id = in_tenant AND record_id = ANY (in_records) AND (result IS NOT NULL OR changes IS NOT NULL);
END $$;
-- +goose StatementEnd

CREATE TABLE customer_erasures (
    tenant_id   uuid           NOT NULL,
    id          uuid           NOT NULL,
    customer_id uuid           NOT NULL,
    reason      text           NOT NULL CHECK (length(reason) <= 200 AND reason !~ '[[:cntrl:]]'),
    version     record_version NOT NULL DEFAULT 1,
    created_at  timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT erasures_customer_once UNIQUE (tenant_id, customer_id),
    CONSTRAINT erasures_customer FOREIGN KEY (tenant_id, customer_id) REFERENCES customers (tenant_id, id)
);
CREATE TRIGGER next_version BEFORE UPDATE ON customer_erasures FOR EACH ROW EXECUTE FUNCTION next_version();
ALTER TABLE customer_erasures ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON customer_erasures USING (tenant_id = current_tenant());
REVOKE UPDATE, DELETE, TRUNCATE ON customer_erasures FROM CURRENT_USER; -- replays rely on it

-- erase_customer erases the personal data of an archived customer, unless it was erased before. The lock keeps new records from
-- referring to the customer meanwhile. It fails with constraint erasures_customer, customers_merged, erasures_of_archived or
-- customers_in_use.
-- +goose StatementBegin
CREATE FUNCTION erase_customer(
    in_tenant uuid, in_id uuid, in_customer uuid, in_reason text, in_operation text, in_key text
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    asked customers;
    all_ids uuid[];
BEGIN
    SELECT * INTO asked FROM customers WHERE tenant_id = in_tenant AND id = in_customer FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such customer' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'erasures_customer';
    ELSIF asked.merged_into IS NOT NULL THEN
        RAISE EXCEPTION 'merged' USING ERRCODE = 'check_violation', CONSTRAINT = 'customers_merged', DETAIL = asked.merged_into;
    ELSIF asked.archived_at IS NULL THEN
        RAISE EXCEPTION 'not archived' USING ERRCODE = 'check_violation', CONSTRAINT = 'erasures_of_archived';
    ELSIF asked.erased_at IS NOT NULL THEN
        RETURN;
    END IF;
    all_ids := in_customer || ARRAY(
        SELECT id FROM customers WHERE tenant_id = in_tenant AND merged_into = in_customer ORDER BY id FOR UPDATE);
    INSERT INTO customer_erasures (tenant_id, id, customer_id, reason) VALUES (in_tenant, in_id, in_customer, in_reason);
    UPDATE customers SET erased_at = now(), name = 'Erased customer', email = NULL, address = '', country = '', tax_id = '',
        payment_days = NULL, source = NULL, external_id = NULL, external_digest = NULL
    WHERE tenant_id = in_tenant AND id = ANY (all_ids);
    PERFORM erase_history(in_tenant, all_ids || ARRAY(
        SELECT id FROM customer_merges WHERE tenant_id = in_tenant AND winner_id = in_customer));
    INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
    SELECT in_tenant, unnest(all_ids), in_operation, in_key, 'personal data erased';
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION erase_customer;
DROP TABLE customer_erasures;
DROP FUNCTION erase_history;
DROP TRIGGER keep_changes ON intents;
DROP FUNCTION keep_changes;
REVOKE UPDATE (changes) ON intents FROM CURRENT_USER;
DROP FUNCTION refuse_erased_customer;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION live_customer(in_tenant uuid, in_id uuid) RETURNS customers LANGUAGE plpgsql AS $$
DECLARE
    found customers;
BEGIN
    SELECT * INTO found FROM customers WHERE tenant_id = in_tenant AND id = in_id FOR KEY SHARE;
    WHILE found.merged_into IS NOT NULL LOOP
        SELECT * INTO found FROM customers WHERE tenant_id = in_tenant AND id = found.merged_into FOR KEY SHARE;
    END LOOP;
    RETURN found;
END $$;
-- +goose StatementEnd
DROP TRIGGER keep_merged_customer ON customers;
CREATE TRIGGER keep_merged_customer AFTER UPDATE ON customers FOR EACH ROW
    WHEN (OLD.merged_into IS NOT NULL AND NEW.merged_into IS NOT NULL) EXECUTE FUNCTION keep_merged_customer();
DROP TRIGGER keep_erased_customer ON customers;
DROP FUNCTION keep_erased_customer;
ALTER TABLE customers DROP CONSTRAINT customers_erased_blank, DROP erased_at;

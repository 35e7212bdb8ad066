-- An import can be taken back. Its customers are erased, and so their emails, names and external ids are free again.

-- +goose Up
ALTER DOMAIN import_state DROP CONSTRAINT import_state_check;
ALTER DOMAIN import_state ADD CONSTRAINT import_state_check CHECK (VALUE IN ('uploaded', 'running', 'stopped', 'taken_back'));
ALTER TABLE imports
    ADD taken_back_at timestamptz,
    ADD CONSTRAINT imports_taken_back CHECK ((state = 'taken_back') = (taken_back_at IS NOT NULL));

-- refuse_taken_back ends the transaction with SQLSTATE OO008 if it creates a record for an import that was taken back. The job of a stopped
-- import may still work on some rows. The lock makes it wait for an import that is being taken back.
-- +goose StatementBegin
CREATE FUNCTION refuse_taken_back() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    its_state import_state;
BEGIN
    SELECT state INTO its_state FROM imports WHERE tenant_id = NEW.tenant_id AND id = substr(NEW.key, 8, 36)::uuid FOR SHARE;
    IF its_state = 'taken_back' THEN
        RAISE EXCEPTION 'the import was taken back' USING ERRCODE = 'OO008';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER refuse_taken_back BEFORE INSERT ON intents FOR EACH ROW
    WHEN (NEW.key ~ '^import [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12} ') EXECUTE FUNCTION refuse_taken_back();

-- Customers that were taken back are erased, and in no list.
ALTER TABLE customers
    ADD taken_back boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT customers_taken_back CHECK (NOT taken_back OR erased_at IS NOT NULL);
DROP INDEX customers_archived, customers_by_name_archived, customers_alike_name;
CREATE INDEX customers_archived ON customers (tenant_id, id) WHERE archived_at IS NOT NULL AND merged_into IS NULL AND NOT taken_back;
CREATE INDEX customers_by_name_archived ON customers (tenant_id, name_folded, id)
    WHERE archived_at IS NOT NULL AND merged_into IS NULL AND NOT taken_back;
CREATE INDEX customers_alike_name ON customers (tenant_id, alike_name, id)
    WHERE merged_into IS NULL AND erased_at IS NULL AND alike_name <> '';

-- The words of a customer that is taken back are deleted by take_customers_back, all at once.
DROP TRIGGER word_changed_customer ON customers;
CREATE TRIGGER word_changed_customer AFTER UPDATE OF email, name, tax_id, contact, reference, address ON customers FOR EACH ROW
    WHEN (NOT NEW.taken_back AND (OLD.email, OLD.name, OLD.tax_id, OLD.contact, OLD.reference, OLD.address)
        IS DISTINCT FROM (NEW.email, NEW.name, NEW.tax_id, NEW.contact, NEW.reference, NEW.address))
    EXECUTE FUNCTION word_customer();

-- imported_customers returns the customers that an import has created, in the order of their ids.
-- +goose StatementBegin
CREATE FUNCTION imported_customers(in_tenant uuid, in_import uuid) RETURNS uuid[] LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT COALESCE(array_agg(record_id ORDER BY record_id), '{}') FROM intents
    WHERE tenant_id = in_tenant AND operation = 'customer.upsert' AND outcome = 'created'
        AND key >= format('import %s ', in_import) AND key < format('import %s!', in_import);
END;
-- +goose StatementEnd

-- used_customers returns customers that can't be taken back, up to a limit for each reason: they were changed, or a row refers to them.
-- +goose StatementBegin
CREATE FUNCTION used_customers(in_tenant uuid, in_customers uuid[], in_limit integer)
RETURNS TABLE (id uuid, name text, changed boolean) LANGUAGE plpgsql STABLE AS $$
DECLARE
    at record;
BEGIN
    RETURN QUERY SELECT c.id, c.name, true FROM customers c
        WHERE c.tenant_id = in_tenant AND c.id = ANY (in_customers) AND c.version > 1 ORDER BY c.id LIMIT in_limit;
    FOR at IN SELECT * FROM customer_references() AS r LOOP
        RETURN QUERY EXECUTE format('
            SELECT c.id, c.name, false FROM customers c
            WHERE c.tenant_id = $1 AND c.id = ANY ($2) AND c.version = 1
                AND EXISTS (SELECT FROM %1$I r WHERE r.tenant_id = $1 AND r.%2$I = c.id)
            ORDER BY c.id LIMIT $3', at.table_name, at.column_name)
        USING in_tenant, in_customers, in_limit;
    END LOOP;
END $$;
-- +goose StatementEnd

-- take_customers_back erases the customers that an import has created, or fails with constraint imports_in_use. They are locked in the
-- order of their ids, like those of a merge.
-- +goose StatementBegin
CREATE FUNCTION take_customers_back(in_tenant uuid, in_import uuid, in_operation text, in_key text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    all_ids uuid[] := imported_customers(in_tenant, in_import);
BEGIN
    PERFORM FROM customers WHERE tenant_id = in_tenant AND id = ANY (all_ids) ORDER BY id FOR UPDATE;
    IF EXISTS (SELECT FROM used_customers(in_tenant, all_ids, 1)) THEN
        RAISE EXCEPTION 'a customer is in use' USING ERRCODE = 'check_violation', CONSTRAINT = 'imports_in_use';
    END IF;
    DELETE FROM customer_words w USING customers c, LATERAL unnest(search_words(
        customer_text(c.email, c.name, c.tax_id, c.contact, c.reference, c.address))) AS its (word)
    WHERE c.tenant_id = in_tenant AND c.id = ANY (all_ids)
        AND w.tenant_id = in_tenant AND w.word = its.word AND w.customer_id = c.id;
    UPDATE customers SET taken_back = true, archived_at = now(), erased_at = now(), name = 'Erased customer', email = NULL, address = '',
        country = '', tax_id = '', contact = '', reference = '', payment_days = NULL, source = NULL, external_id = NULL,
        external_digest = NULL
    WHERE tenant_id = in_tenant AND id = ANY (all_ids);
    PERFORM erase_history(in_tenant, all_ids);
    INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
    SELECT in_tenant, unnest(all_ids), in_operation, in_key, 'taken back with its import';
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION take_customers_back, used_customers, imported_customers;
DROP TRIGGER word_changed_customer ON customers;
CREATE TRIGGER word_changed_customer AFTER UPDATE OF email, name, tax_id, contact, reference, address ON customers FOR EACH ROW
    WHEN ((OLD.email, OLD.name, OLD.tax_id, OLD.contact, OLD.reference, OLD.address)
        IS DISTINCT FROM (NEW.email, NEW.name, NEW.tax_id, NEW.contact, NEW.reference, NEW.address))
    EXECUTE FUNCTION word_customer();
DROP INDEX customers_archived, customers_by_name_archived, customers_alike_name;
CREATE INDEX customers_archived ON customers (tenant_id, id) WHERE archived_at IS NOT NULL AND merged_into IS NULL;
CREATE INDEX customers_by_name_archived ON customers (tenant_id, name_folded, id) WHERE archived_at IS NOT NULL AND merged_into IS NULL;
CREATE INDEX customers_alike_name ON customers (tenant_id, alike_name, id) WHERE merged_into IS NULL AND alike_name <> '';
ALTER TABLE customers DROP CONSTRAINT customers_taken_back, DROP taken_back;
DROP TRIGGER refuse_taken_back ON intents;
DROP FUNCTION refuse_taken_back;

-- The imports are stopped, one tenant after the other: a policy hides the rest.
ALTER TABLE imports DROP CONSTRAINT imports_taken_back, DROP taken_back_at;
-- +goose StatementBegin
DO $$
DECLARE
    entered text := COALESCE(current_setting('onlyonce.tenant_id', true), '');
    tenant  uuid;
BEGIN
    FOR tenant IN SELECT id FROM tenants LOOP
        PERFORM set_config('onlyonce.tenant_id', tenant::text, true);
        UPDATE imports SET state = 'stopped' WHERE tenant_id = tenant AND state = 'taken_back';
    END LOOP;
    PERFORM set_config('onlyonce.tenant_id', entered, true);
END $$;
-- +goose StatementEnd
ALTER DOMAIN import_state DROP CONSTRAINT import_state_check;
ALTER DOMAIN import_state ADD CONSTRAINT import_state_check CHECK (VALUE IN ('uploaded', 'running', 'stopped'));

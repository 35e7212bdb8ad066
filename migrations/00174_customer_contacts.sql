-- Customers can have a contact, the person or department that documents are addressed to, and a reference that they ask their suppliers to
-- put on documents, such as an order or a routing number.

-- +goose Up
ALTER TABLE customers
    ADD contact text NOT NULL DEFAULT '' CHECK (length(contact) <= 200 AND contact !~ '[[:cntrl:]]'),
    ADD reference text NOT NULL DEFAULT '' CHECK (length(reference) <= 100 AND reference !~ '[[:cntrl:]]'),
    DROP CONSTRAINT customers_erased_blank,
    ADD CONSTRAINT customers_erased_blank CHECK (erased_at IS NULL OR (
        archived_at IS NOT NULL AND name = 'Erased customer' AND num_nonnulls(email, payment_days, external_id) = 0
        AND address = '' AND country = '' AND tax_id = '' AND contact = '' AND reference = ''));

-- find_or_create_customer as before, with the contact and the reference of a new customer.
DROP FUNCTION find_or_create_customer;
-- +goose StatementBegin
CREATE FUNCTION find_or_create_customer(
    in_tenant uuid, in_id uuid, in_email text, in_name text,
    in_address text DEFAULT '', in_country text DEFAULT '', in_tax_id text DEFAULT '', in_payment_days integer DEFAULT NULL,
    in_same_email boolean DEFAULT false,
    in_source text DEFAULT NULL, in_external_id text DEFAULT NULL, in_digest bytea DEFAULT NULL,
    in_contact text DEFAULT '', in_reference text DEFAULT ''
) RETURNS customers LANGUAGE plpgsql AS $$
DECLARE
    known  customers;
    merged customers;
    folded text := lower(in_email COLLATE "C");
    named  text := fold_text(in_name);
    locked boolean := folded IS NULL;
BEGIN
    LOOP
        -- The usual case, and cheaper than a conflict. The lock keeps it from being merged, as in live_customer.
        SELECT * INTO known FROM customers
        WHERE tenant_id = in_tenant AND email_folded = folded AND name_folded = named AND merged_into IS NULL FOR KEY SHARE;
        IF NOT FOUND THEN
            SELECT * INTO merged FROM customers
            WHERE tenant_id = in_tenant AND email_folded = folded AND name_folded = named AND merged_into IS NOT NULL ORDER BY id LIMIT 1;
            IF FOUND THEN
                known := live_customer(in_tenant, merged.merged_into);
            END IF;
        END IF;
        IF known.id IS NOT NULL AND in_external_id IS NOT NULL THEN
            RAISE EXCEPTION 'email and name of another customer'
                USING ERRCODE = 'unique_violation', CONSTRAINT = 'customers_email_once';
        ELSIF known.archived_at IS NOT NULL OR known.id IS NOT NULL AND in_tax_id <> ''
            AND alike_tax_id(in_tax_id) NOT IN (known.alike_tax_id, COALESCE(merged.alike_tax_id, '')) THEN
            RAISE EXCEPTION 'the customer differs' USING ERRCODE = 'check_violation', CONSTRAINT = 'customers_differ';
        ELSIF known.id IS NOT NULL THEN
            RETURN known;
        ELSIF NOT locked THEN
            PERFORM lock_customer_email(in_tenant, folded);
            locked := true;
            CONTINUE;
        ELSIF NOT in_same_email AND email_of_another_customer(in_tenant, in_id, folded) THEN
            RAISE EXCEPTION 'email of another customer' USING ERRCODE = 'check_violation', CONSTRAINT = 'customers_differ';
        END IF;
        INSERT INTO customers (
            tenant_id, id, email, name, address, country, tax_id, contact, reference, payment_days, source, external_id, external_digest)
        VALUES (in_tenant, in_id, in_email, in_name, in_address, in_country, in_tax_id, in_contact, in_reference, in_payment_days,
            in_source, in_external_id, in_digest)
        ON CONFLICT (tenant_id, email_folded, name_folded) WHERE merged_into IS NULL DO NOTHING
        RETURNING * INTO known;
        IF FOUND THEN
            RETURN known;
        END IF;
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION erase_customer(
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
        contact = '', reference = '', payment_days = NULL, source = NULL, external_id = NULL, external_digest = NULL
    WHERE tenant_id = in_tenant AND id = ANY (all_ids);
    PERFORM erase_history(in_tenant, all_ids || ARRAY(
        SELECT id FROM customer_merges WHERE tenant_id = in_tenant AND winner_id = in_customer));
    INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
    SELECT in_tenant, unnest(all_ids), in_operation, in_key, 'personal data erased';
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION find_or_create_customer;
-- +goose StatementBegin
CREATE FUNCTION find_or_create_customer(
    in_tenant uuid, in_id uuid, in_email text, in_name text,
    in_address text DEFAULT '', in_country text DEFAULT '', in_tax_id text DEFAULT '', in_payment_days integer DEFAULT NULL,
    in_same_email boolean DEFAULT false,
    in_source text DEFAULT NULL, in_external_id text DEFAULT NULL, in_digest bytea DEFAULT NULL
) RETURNS customers LANGUAGE plpgsql AS $$
DECLARE
    known  customers;
    merged customers;
    folded text := lower(in_email COLLATE "C");
    named  text := fold_text(in_name);
    locked boolean := folded IS NULL;
BEGIN
    LOOP
        -- The usual case, and cheaper than a conflict. The lock keeps it from being merged, as in live_customer.
        SELECT * INTO known FROM customers
        WHERE tenant_id = in_tenant AND email_folded = folded AND name_folded = named AND merged_into IS NULL FOR KEY SHARE;
        IF NOT FOUND THEN
            SELECT * INTO merged FROM customers
            WHERE tenant_id = in_tenant AND email_folded = folded AND name_folded = named AND merged_into IS NOT NULL ORDER BY id LIMIT 1;
            IF FOUND THEN
                known := live_customer(in_tenant, merged.merged_into);
            END IF;
        END IF;
        IF known.id IS NOT NULL AND in_external_id IS NOT NULL THEN
            RAISE EXCEPTION 'email and name of another customer'
                USING ERRCODE = 'unique_violation', CONSTRAINT = 'customers_email_once';
        ELSIF known.archived_at IS NOT NULL OR known.id IS NOT NULL AND in_tax_id <> ''
            AND alike_tax_id(in_tax_id) NOT IN (known.alike_tax_id, COALESCE(merged.alike_tax_id, '')) THEN
            RAISE EXCEPTION 'the customer differs' USING ERRCODE = 'check_violation', CONSTRAINT = 'customers_differ';
        ELSIF known.id IS NOT NULL THEN
            RETURN known;
        ELSIF NOT locked THEN
            PERFORM lock_customer_email(in_tenant, folded);
            locked := true;
            CONTINUE;
        ELSIF NOT in_same_email AND email_of_another_customer(in_tenant, in_id, folded) THEN
            RAISE EXCEPTION 'email of another customer' USING ERRCODE = 'check_violation', CONSTRAINT = 'customers_differ';
        END IF;
        INSERT INTO customers (tenant_id, id, email, name, address, country, tax_id, payment_days, source, external_id, external_digest)
        VALUES (in_tenant, in_id, in_email, in_name, in_address, in_country, in_tax_id, in_payment_days, in_source, in_external_id,
            in_digest)
        ON CONFLICT (tenant_id, email_folded, name_folded) WHERE merged_into IS NULL DO NOTHING
        RETURNING * INTO known;
        IF FOUND THEN
            RETURN known;
        END IF;
    END LOOP;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION erase_customer(
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
ALTER TABLE customers
    DROP CONSTRAINT customers_erased_blank,
    ADD CONSTRAINT customers_erased_blank CHECK (erased_at IS NULL OR (
        archived_at IS NOT NULL AND name = 'Erased customer' AND num_nonnulls(email, payment_days, external_id) = 0
        AND address = '' AND country = '' AND tax_id = '')),
    DROP contact,
    DROP reference;

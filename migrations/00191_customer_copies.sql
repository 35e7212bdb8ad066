-- Copies of the emails to a customer go to further addresses.

-- +goose Up
ALTER TABLE customers
    ADD copies_to text COLLATE "C" NOT NULL DEFAULT '' -- email addresses with ", " between them
        CHECK (copies_to ~ '^[ -~]*$' AND length(copies_to) <= 1300),
    ADD CONSTRAINT customers_erased_no_copies CHECK (erased_at IS NULL OR copies_to = '');

-- +goose StatementBegin
CREATE FUNCTION erase_copies_to() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.copies_to := '';
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER erase_copies_to BEFORE UPDATE OF erased_at ON customers FOR EACH ROW
    WHEN (NEW.erased_at IS NOT NULL) EXECUTE FUNCTION erase_copies_to();

-- find_or_create_customer is unchanged, except for the copies of a new customer.
DROP FUNCTION find_or_create_customer;
-- +goose StatementBegin
CREATE FUNCTION find_or_create_customer(
    in_tenant uuid, in_id uuid, in_email text, in_name text,
    in_address text DEFAULT '', in_country text DEFAULT '', in_tax_id text DEFAULT '', in_payment_days integer DEFAULT NULL,
    in_same_email boolean DEFAULT false,
    in_source text DEFAULT NULL, in_external_id text DEFAULT NULL, in_digest bytea DEFAULT NULL,
    in_contact text DEFAULT '', in_reference text DEFAULT '', in_copies_to text DEFAULT ''
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
            tenant_id, id, email, name, address, country, tax_id, contact, reference, payment_days, source, external_id, external_digest,
            copies_to)
        VALUES (in_tenant, in_id, in_email, in_name, in_address, in_country, in_tax_id, in_contact, in_reference, in_payment_days,
            in_source, in_external_id, in_digest, in_copies_to)
        ON CONFLICT (tenant_id, email_folded, name_folded) WHERE merged_into IS NULL DO NOTHING
        RETURNING * INTO known;
        IF FOUND THEN
            RETURN known;
        END IF;
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
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
DROP TRIGGER erase_copies_to ON customers;
DROP FUNCTION erase_copies_to;
ALTER TABLE customers DROP copies_to;

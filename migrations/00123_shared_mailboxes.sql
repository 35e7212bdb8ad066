-- Companies share mailboxes, and some have none: a customer is known by email and name. What else has the same email is asked about.

-- +goose Up
ALTER TABLE customers
    ALTER email DROP NOT NULL,
    ALTER email_folded DROP NOT NULL,
    ALTER alike_email DROP NOT NULL,
    ADD name_folded text COLLATE "C" NOT NULL GENERATED ALWAYS AS (fold_text(name)) STORED,
    DROP CONSTRAINT customers_email_once;
-- The name is the one by which the previous version explains it too. A merged customer leads to its winner, and is not in the way of
-- what the winner is called.
CREATE UNIQUE INDEX customers_email_once ON customers (tenant_id, email_folded, name_folded) WHERE merged_into IS NULL;
CREATE INDEX customers_merged_email ON customers (tenant_id, email_folded, name_folded) WHERE merged_into IS NOT NULL;

-- lock_customer_email makes those wait for each other who give an email to a customer, until the transaction ends.
CREATE FUNCTION lock_customer_email(in_tenant uuid, in_folded text) RETURNS void LANGUAGE sql
RETURN pg_advisory_xact_lock(hashtextextended(concat_ws('/', 'customer email', in_tenant, in_folded), 0));

-- email_of_another_customer reports whether another customer than one has an email, or has it from one that was merged into it.
CREATE FUNCTION email_of_another_customer(in_tenant uuid, in_id uuid, in_folded text) RETURNS boolean LANGUAGE sql STABLE
RETURN EXISTS (SELECT FROM customers WHERE tenant_id = in_tenant AND email_folded = in_folded AND merged_into IS NULL AND id <> in_id)
    OR EXISTS (
        SELECT FROM customers
        WHERE tenant_id = in_tenant AND email_folded = in_folded AND merged_into IS NOT NULL AND merged_into <> in_id);

-- check_customer_email fails with constraint customers_differ if a customer would get an email that another one has, unless that is
-- meant.
-- +goose StatementBegin
CREATE FUNCTION check_customer_email(in_tenant uuid, in_id uuid, in_email text, in_same_email boolean) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    folded text := lower(in_email COLLATE "C");
BEGIN
    PERFORM FROM customers
    WHERE tenant_id = in_tenant AND id = in_id AND merged_into IS NULL AND email_folded IS DISTINCT FROM folded;
    IF NOT FOUND OR folded IS NULL THEN
        RETURN;
    END IF;
    PERFORM lock_customer_email(in_tenant, folded);
    IF NOT in_same_email AND email_of_another_customer(in_tenant, in_id, folded) THEN
        RAISE EXCEPTION 'email of another customer' USING ERRCODE = 'check_violation', CONSTRAINT = 'customers_differ';
    END IF;
END $$;
-- +goose StatementEnd

-- find_or_create_customer returns the tenant's customer with an email and a name, as it is, or the one that this was merged into, and
-- creates it if there is none. Of several at the same time one creates it; the others wait for that one's commit and find it. It fails
-- with constraint customers_differ if the customer is archived or has another tax ID, and, unless in_same_email is set, if another
-- customer has the email. Without an email it always creates one. With an external id, which no customer has, it reuses none: it fails
-- with constraint customers_email_once.
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

-- create_or_reuse_customer is what the previous version calls, by email alone: drop it in the next release.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION create_or_reuse_customer(
    in_tenant uuid, in_id uuid, in_email text, in_name text,
    in_address text DEFAULT '', in_country text DEFAULT '', in_tax_id text DEFAULT '', in_payment_days integer DEFAULT NULL,
    in_source text DEFAULT NULL, in_external_id text DEFAULT NULL, in_digest bytea DEFAULT NULL
) RETURNS customers LANGUAGE plpgsql AS $$
DECLARE
    known  customers;
    folded text := lower(in_email COLLATE "C");
BEGIN
    PERFORM lock_customer_email(in_tenant, folded);
    SELECT * INTO known FROM customers
    WHERE tenant_id = in_tenant AND email_folded = folded ORDER BY merged_into IS NOT NULL, id LIMIT 1;
    IF FOUND AND in_external_id IS NOT NULL THEN
        RAISE EXCEPTION 'email of another customer' USING ERRCODE = 'unique_violation', CONSTRAINT = 'customers_email_once';
    ELSIF FOUND THEN
        RETURN live_customer(in_tenant, known.id);
    END IF;
    RETURN find_or_create_customer(in_tenant, in_id, in_email, in_name, in_address, in_country, in_tax_id, in_payment_days, true,
        in_source, in_external_id, in_digest);
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION word_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM customer_words
        WHERE tenant_id = OLD.tenant_id AND customer_id = OLD.id AND word = ANY (search_words(concat_ws(' ', OLD.email, OLD.name)));
    END IF;
    INSERT INTO customer_words (tenant_id, word, customer_id)
    SELECT NEW.tenant_id, unnest(search_words(concat_ws(' ', NEW.email, NEW.name))), NEW.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
-- It fails if customers share an email, or have none.
DROP FUNCTION find_or_create_customer, check_customer_email, email_of_another_customer;
DROP INDEX customers_merged_email, customers_email_once;
ALTER TABLE customers
    ALTER email SET NOT NULL,
    ALTER email_folded SET NOT NULL,
    ALTER alike_email SET NOT NULL,
    DROP name_folded,
    ADD CONSTRAINT customers_email_once UNIQUE (tenant_id, email_folded);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION create_or_reuse_customer(
    in_tenant uuid, in_id uuid, in_email text, in_name text,
    in_address text DEFAULT '', in_country text DEFAULT '', in_tax_id text DEFAULT '', in_payment_days integer DEFAULT NULL,
    in_source text DEFAULT NULL, in_external_id text DEFAULT NULL, in_digest bytea DEFAULT NULL
) RETURNS customers LANGUAGE plpgsql AS $$
DECLARE
    known  customers;
    folded text := lower(in_email COLLATE "C");
BEGIN
    LOOP
        -- The usual case, and cheaper than a conflict. The lock keeps it from being merged, as in live_customer.
        SELECT * INTO known FROM customers WHERE tenant_id = in_tenant AND email_folded = folded FOR KEY SHARE;
        IF FOUND AND in_external_id IS NOT NULL THEN
            RAISE EXCEPTION 'email of another customer' USING ERRCODE = 'unique_violation', CONSTRAINT = 'customers_email_once';
        ELSIF FOUND AND known.merged_into IS NOT NULL THEN
            RETURN live_customer(in_tenant, known.merged_into);
        ELSIF FOUND THEN
            RETURN known;
        END IF;
        INSERT INTO customers (tenant_id, id, email, name, address, country, tax_id, payment_days, source, external_id, external_digest)
        VALUES (in_tenant, in_id, in_email, in_name, in_address, in_country, in_tax_id, in_payment_days, in_source, in_external_id,
            in_digest)
        ON CONFLICT ON CONSTRAINT customers_email_once DO NOTHING
        RETURNING * INTO known;
        IF FOUND THEN
            RETURN known;
        END IF;
    END LOOP;
END $$;
-- +goose StatementEnd
DROP FUNCTION lock_customer_email;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION word_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM customer_words
        WHERE tenant_id = OLD.tenant_id AND customer_id = OLD.id AND word = ANY (search_words(OLD.email || ' ' || OLD.name));
    END IF;
    INSERT INTO customer_words (tenant_id, word, customer_id)
    SELECT NEW.tenant_id, unnest(search_words(NEW.email || ' ' || NEW.name)), NEW.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- One customer per email, whatever its capitals: the form in which emails are compared is a column. As an
-- expression, lower(email) may not be looked up in an index under row-level security, and its result
-- depends on the database's locale.

-- +goose Up
DROP FUNCTION create_or_reuse_customer;
DROP INDEX customers_email_once;
ALTER TABLE customers
    -- One address in printable ASCII: no invisible character can make a second one of it.
    ADD CONSTRAINT customers_email_ascii CHECK (email COLLATE "C" ~ '^[!-?A-~]+@[!-?A-~]+$'),
    ADD CONSTRAINT customers_name_one_line CHECK (name !~ '[[:cntrl:]]'),
    ADD COLUMN email_folded text COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(email COLLATE "C")) STORED,
    ADD CONSTRAINT customers_email_once UNIQUE (tenant_id, email_folded);

-- create_or_reuse_customer gives the tenant's customer with an email, and creates it, with its event, if
-- there is none. Of those who come at the same time one creates it; the others wait for that one's
-- commit and find it.
-- +goose StatementBegin
CREATE FUNCTION create_or_reuse_customer(
    in_tenant uuid, in_id uuid, in_email text, in_name text, in_operation text, in_key text, in_actor text
) RETURNS customers LANGUAGE plpgsql AS $$
DECLARE
    known  customers;
    folded text := lower(in_email COLLATE "C");
BEGIN
    LOOP
        -- The usual case, and cheaper than a conflict.
        SELECT * INTO known FROM customers WHERE tenant_id = in_tenant AND email_folded = folded;
        IF FOUND THEN
            RETURN known;
        END IF;
        INSERT INTO customers (tenant_id, id, email, name, operation, idempotency_key)
        VALUES (in_tenant, in_id, in_email, in_name, in_operation, in_key)
        ON CONFLICT ON CONSTRAINT customers_email_once DO NOTHING
        RETURNING * INTO known;
        IF FOUND THEN
            INSERT INTO events (tenant_id, name, record_id, actor, key)
            VALUES (in_tenant, 'customer.created', in_id, in_actor, in_key);
            RETURN known;
        END IF;
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION create_or_reuse_customer;
ALTER TABLE customers
    DROP CONSTRAINT customers_email_once,
    DROP COLUMN email_folded,
    DROP CONSTRAINT customers_name_one_line,
    DROP CONSTRAINT customers_email_ascii;
CREATE UNIQUE INDEX customers_email_once ON customers (tenant_id, lower(email));
-- +goose StatementBegin
CREATE FUNCTION create_or_reuse_customer(
    in_tenant uuid, in_id uuid, in_email text, in_name text, in_operation text, in_key text, in_actor text
) RETURNS customers LANGUAGE plpgsql AS $$
DECLARE
    known customers;
BEGIN
    LOOP
        SELECT * INTO known FROM customers WHERE tenant_id = in_tenant AND lower(email) = lower(in_email);
        IF FOUND THEN
            RETURN known;
        END IF;
        INSERT INTO customers (tenant_id, id, email, name, operation, idempotency_key)
        VALUES (in_tenant, in_id, in_email, in_name, in_operation, in_key)
        ON CONFLICT (tenant_id, lower(email)) DO NOTHING
        RETURNING * INTO known;
        IF FOUND THEN
            INSERT INTO events (tenant_id, name, record_id, actor, key)
            VALUES (in_tenant, 'customer.created', in_id, in_actor, in_key);
            RETURN known;
        END IF;
    END LOOP;
END $$;
-- +goose StatementEnd

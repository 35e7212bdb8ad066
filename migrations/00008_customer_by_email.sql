-- create_or_reuse_customer gives the tenant's customer with an email, and creates it, with its event, if
-- there is none. Of those who come at the same time one creates it; the others wait for that one's
-- commit and find it.

-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION create_or_reuse_customer(
    in_tenant uuid, in_id uuid, in_email text, in_name text, in_operation text, in_key text, in_actor text
) RETURNS customers LANGUAGE plpgsql AS $$
DECLARE
    known customers;
BEGIN
    LOOP
        -- The usual case, and cheaper than a conflict.
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

-- +goose Down
DROP FUNCTION create_or_reuse_customer;

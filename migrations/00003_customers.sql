-- +goose Up
CREATE TABLE customers (
    tenant_id    uuid           NOT NULL REFERENCES tenants,
    id           uuid           NOT NULL,
    -- One address in printable ASCII: no invisible character can make a second one of it.
    email        text           NOT NULL CONSTRAINT customers_email_ascii CHECK (email COLLATE "C" ~ '^[!-?A-~]+@[!-?A-~]+$'),
    -- The form in which emails are compared, as a column: under row-level security an expression such as
    -- lower(email) may not be looked up in an index.
    email_folded text           COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(email COLLATE "C")) STORED,
    name         text           NOT NULL CHECK (name = btrim(name) AND name <> ''),
    -- Archived customers are not listed or offered. Nothing else is different about them.
    archived_at  timestamptz,
    version      record_version NOT NULL DEFAULT 1,
    created_at   timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT customers_email_once UNIQUE (tenant_id, email_folded),
    CONSTRAINT customers_name_one_line CHECK (name !~ '[[:cntrl:]]')
);

CREATE INDEX customers_active ON customers (tenant_id, id) WHERE archived_at IS NULL;
CREATE INDEX customers_archived ON customers (tenant_id, id) WHERE archived_at IS NOT NULL;
CREATE TRIGGER next_version BEFORE UPDATE ON customers FOR EACH ROW EXECUTE FUNCTION next_version();

ALTER TABLE customers ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON customers USING (tenant_id = current_tenant());

-- create_or_reuse_customer gives the tenant's customer with an email, and creates it if there is none. Of
-- those who come at the same time one creates it; the others wait for that one's commit and find it.
-- +goose StatementBegin
CREATE FUNCTION create_or_reuse_customer(in_tenant uuid, in_id uuid, in_email text, in_name text)
RETURNS customers LANGUAGE plpgsql AS $$
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
        INSERT INTO customers (tenant_id, id, email, name) VALUES (in_tenant, in_id, in_email, in_name)
        ON CONFLICT ON CONSTRAINT customers_email_once DO NOTHING
        RETURNING * INTO known;
        IF FOUND THEN
            RETURN known;
        END IF;
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION create_or_reuse_customer;
DROP TABLE customers;

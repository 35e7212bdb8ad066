-- +goose Up
CREATE TABLE customers (
    tenant_id       uuid        NOT NULL REFERENCES tenants,
    id              uuid        NOT NULL,
    email           text        NOT NULL CHECK (email = btrim(email) AND email <> ''),
    name            text        NOT NULL CHECK (name = btrim(name) AND name <> ''),
    -- The intent that created the customer, for life. An invoice may bring its customer along, so
    -- the operation is part of it.
    operation       text        NOT NULL,
    idempotency_key text        NOT NULL,
    version         integer     NOT NULL DEFAULT 1 CHECK (version > 0),
    created_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT customers_one_per_intent UNIQUE (tenant_id, operation, idempotency_key)
);
CREATE UNIQUE INDEX customers_email_once ON customers (tenant_id, lower(email));

ALTER TABLE customers ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON customers USING (tenant_id = current_tenant());

-- +goose Down
DROP TABLE customers;

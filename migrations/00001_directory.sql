-- The directory: who may come in, and which tenant a credential belongs to. These tables are read
-- before a tenant is known, so they are the only ones without row-level security.

-- +goose Up
CREATE TABLE tenants (
    id         uuid        PRIMARY KEY,
    name       text        NOT NULL CHECK (name <> ''),
    -- The logins of a demo tenant are known to everybody: they are refused when the demo is off.
    demo       boolean     NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE users (
    id            uuid        PRIMARY KEY,
    tenant_id     uuid        NOT NULL REFERENCES tenants,
    email         text        NOT NULL CHECK (email = lower(email)),
    password_hash text        NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT users_email_once UNIQUE (email)
);

-- A token is shown once, when it is made; only its SHA-256 is kept.
CREATE TABLE api_tokens (
    token_hash bytea       PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    tenant_id  uuid        NOT NULL REFERENCES tenants,
    name       text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz
);

-- The layout that scs expects. The token column holds a hash, never the cookie's value.
CREATE TABLE sessions (
    token  text        PRIMARY KEY,
    data   bytea       NOT NULL,
    expiry timestamptz NOT NULL
);
CREATE INDEX sessions_expiry ON sessions (expiry);

-- The tenant of the running transaction, or NULL outside of one: every row-level policy compares
-- with it, so a query that forgot its tenant sees nothing and writes nothing.
CREATE FUNCTION current_tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
RETURN NULLIF(current_setting('onlyonce.tenant_id', true), '')::uuid;

-- +goose Down
DROP FUNCTION current_tenant;
DROP TABLE sessions, api_tokens, users, tenants;

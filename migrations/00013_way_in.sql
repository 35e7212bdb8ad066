-- What the commands of the program rely on: a name is one tenant, and one token of its tenant.

-- +goose Up

-- Capitals, width and marks make no other tenant. The demo's tenants, which nobody but the demo makes, may have any name.
CREATE UNIQUE INDEX tenants_name_once ON tenants (fold_text(name)) WHERE NOT demo;

ALTER TABLE users
    -- Since when the user may not log in; NULL for one who may.
    ADD disabled_at timestamptz,
    -- Counts what ends the sessions of the user: another password, and being disabled. A session is good for the one it
    -- began in.
    ADD session_generation integer NOT NULL DEFAULT 0;

CREATE UNIQUE INDEX api_tokens_name_once ON api_tokens (tenant_id, name) WHERE revoked_at IS NULL;

-- +goose Down
DROP INDEX api_tokens_name_once;
ALTER TABLE users DROP session_generation, DROP disabled_at;
DROP INDEX tenants_name_once;

-- API tokens may be limited to parts of the API and to a time, and have the time of their last use.

-- +goose Up
ALTER TABLE api_tokens
    -- First words of addresses in the API, separated by spaces (RFC 6749, section 3.3); '' for all.
    ADD scope text COLLATE "C" NOT NULL DEFAULT '' CONSTRAINT api_tokens_scope CHECK (scope ~ '^([a-z-]+( [a-z-]+)*)?$' AND length(scope) <= 500),
    ADD expires_at timestamptz; -- it is refused from then on; NULL for never

-- A use is no change of the token, whose version stays.
CREATE TABLE api_token_uses (
    tenant_id    uuid        NOT NULL,
    token_id     uuid        NOT NULL,
    last_used_at timestamptz NOT NULL, -- to the hour
    PRIMARY KEY (tenant_id, token_id),
    CONSTRAINT api_token_uses_token FOREIGN KEY (tenant_id, token_id) REFERENCES api_tokens
);
ALTER TABLE api_token_uses ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON api_token_uses USING (current_tenant() IS NULL OR tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON api_token_uses FROM CURRENT_USER;

-- +goose Down
DROP TABLE api_token_uses;
ALTER TABLE api_tokens DROP scope, DROP expires_at;

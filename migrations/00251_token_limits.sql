-- API tokens may be limited to parts of the API and to a time, and have the time of their last use.

-- +goose Up
ALTER TABLE api_tokens
    -- First words of addresses in the API, separated by spaces (RFC 6749, section 3.3); '' for all.
    ADD scope text COLLATE "C" NOT NULL DEFAULT '' CONSTRAINT api_tokens_scope CHECK (scope ~ '^([a-z-]+( [a-z-]+)*)?$' AND length(scope) <= 500),
    ADD expires_at   timestamptz, -- it is refused from then on; NULL for never
    ADD last_used_at timestamptz; -- to the hour

-- A use is no change of the token.
DROP TRIGGER next_version ON api_tokens;
CREATE TRIGGER next_version BEFORE UPDATE ON api_tokens FOR EACH ROW
    WHEN (OLD.last_used_at IS NOT DISTINCT FROM NEW.last_used_at) EXECUTE FUNCTION next_version();

-- +goose Down
DROP TRIGGER next_version ON api_tokens;
CREATE TRIGGER next_version BEFORE UPDATE ON api_tokens FOR EACH ROW EXECUTE FUNCTION next_version();
ALTER TABLE api_tokens DROP scope, DROP expires_at, DROP last_used_at;

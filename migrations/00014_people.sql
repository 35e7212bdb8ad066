-- Users and API tokens are records too, which an owner manages in the app.

-- +goose Up

-- new_id gives a UUIDv7 of a moment to rows that no operation makes: the order of ids is the order of creation.
CREATE FUNCTION new_id(at timestamptz DEFAULT now()) RETURNS uuid LANGUAGE sql VOLATILE
RETURN (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7'
    || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid;

-- Owners manage users and tokens, members do not.
CREATE DOMAIN user_role AS text CHECK (VALUE IN ('owner', 'member'));

ALTER TABLE users
    ADD name    text           NOT NULL DEFAULT '' CONSTRAINT users_name_one_line CHECK (name = btrim(name) AND name !~ '[[:cntrl:]]'),
    ADD role    user_role      NOT NULL DEFAULT 'owner', -- of those who were there before
    ADD version record_version NOT NULL DEFAULT 1,
    -- The last link with which the user may choose a password: what its secret is derived with, the hash of that, and
    -- until when. Once it was used it is kept for a repeat, and good for nothing else.
    ADD link_id         uuid,
    ADD link_hash       sha256_digest,
    ADD link_expires_at timestamptz,
    ADD link_used_at    timestamptz,
    ADD CONSTRAINT users_link_whole CHECK (num_nulls(link_id, link_hash, link_expires_at) IN (0, 3));
ALTER TABLE users ALTER role DROP DEFAULT;
UPDATE users SET id = new_id(created_at);
ALTER TABLE users ALTER id SET DEFAULT new_id(), DROP CONSTRAINT users_pkey, ADD PRIMARY KEY (tenant_id, id);
CREATE INDEX users_link ON users (link_hash) WHERE link_hash IS NOT NULL;
CREATE INDEX users_by_role ON users (tenant_id, role, id) WHERE disabled_at IS NULL AND password_hash <> '';
CREATE TRIGGER next_version BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION next_version();

-- default_role makes the first user of a tenant an owner, and later ones members, unless it is said otherwise.
-- +goose StatementBegin
CREATE FUNCTION default_role() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.role IS NULL THEN
        PERFORM FROM tenants WHERE id = NEW.tenant_id FOR NO KEY UPDATE; -- one after the other
        NEW.role := CASE WHEN EXISTS (SELECT FROM users WHERE tenant_id = NEW.tenant_id) THEN 'member' ELSE 'owner' END;
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER default_role BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION default_role();

-- keep_owner refuses to disable, or to make a member, the last owner of a tenant who can log in. Those who try it side
-- by side do so one after the other, and the second sees what the first has done.
-- +goose StatementBegin
CREATE FUNCTION keep_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.role = 'owner' AND OLD.disabled_at IS NULL AND OLD.password_hash <> ''
        AND (NEW.role <> 'owner' OR NEW.disabled_at IS NOT NULL OR NEW.password_hash = '') THEN
        PERFORM FROM tenants WHERE id = OLD.tenant_id FOR NO KEY UPDATE;
        IF NOT EXISTS (
            SELECT FROM users
            WHERE tenant_id = OLD.tenant_id AND role = 'owner' AND disabled_at IS NULL AND password_hash <> '' AND id <> OLD.id) THEN
            RAISE EXCEPTION 'the last owner' USING ERRCODE = 'check_violation', CONSTRAINT = 'users_last_owner';
        END IF;
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER keep_owner BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION keep_owner();

ALTER TABLE api_tokens
    ADD id         uuid           NOT NULL DEFAULT new_id(),
    ADD version    record_version NOT NULL DEFAULT 1,
    -- The user who made it; '' for a command.
    ADD created_by text           NOT NULL DEFAULT '';
UPDATE api_tokens SET id = new_id(created_at);
ALTER TABLE api_tokens DROP CONSTRAINT api_tokens_pkey, ADD PRIMARY KEY (tenant_id, id),
    ADD CONSTRAINT api_tokens_hash_once UNIQUE (token_hash);
CREATE TRIGGER next_version BEFORE UPDATE ON api_tokens FOR EACH ROW EXECUTE FUNCTION next_version();

-- Whoever has entered a tenant sees its users and tokens only. A login or a token leads to its tenant before one is
-- entered, and is looked for among all.
ALTER TABLE users ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON users USING (current_tenant() IS NULL OR tenant_id = current_tenant());
ALTER TABLE api_tokens ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON api_tokens USING (current_tenant() IS NULL OR tenant_id = current_tenant());

-- +goose Down
DROP POLICY tenant_isolation ON api_tokens;
ALTER TABLE api_tokens NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY;
DROP POLICY tenant_isolation ON users;
ALTER TABLE users NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY;
DROP TRIGGER next_version ON api_tokens;
ALTER TABLE api_tokens DROP CONSTRAINT api_tokens_hash_once, DROP CONSTRAINT api_tokens_pkey, ADD PRIMARY KEY (token_hash);
ALTER TABLE api_tokens DROP created_by, DROP version, DROP id;
DROP TRIGGER keep_owner ON users;
DROP FUNCTION keep_owner;
DROP TRIGGER default_role ON users;
DROP FUNCTION default_role;
DROP TRIGGER next_version ON users;
DROP INDEX users_by_role, users_link;
ALTER TABLE users DROP CONSTRAINT users_pkey, ADD PRIMARY KEY (id), ALTER id DROP DEFAULT;
ALTER TABLE users DROP link_used_at, DROP link_expires_at, DROP link_hash, DROP link_id, DROP version, DROP role, DROP name;
DROP DOMAIN user_role;
DROP FUNCTION new_id;

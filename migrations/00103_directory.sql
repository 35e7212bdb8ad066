-- The directory: who may come in, and which tenant a credential belongs to. It is read before a tenant is known.

-- +goose Up

-- The tables of River, which brings its own migrations: package postgres runs them after these.
CREATE SCHEMA river;

CREATE TABLE tenants (
    id         uuid        PRIMARY KEY,
    name       text        NOT NULL CHECK (name <> ''),
    -- The logins of a demo tenant are known to everybody: they are refused when the demo is off.
    demo       boolean     NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now()
);
-- Commands find a tenant by its name. Capitals, width and marks make no other tenant. The demo's tenants, which nobody but
-- the demo makes, may have any name.
CREATE UNIQUE INDEX tenants_name_once ON tenants (fold_text(name)) WHERE NOT demo;

-- Owners manage users and tokens, members do not, and who is read-only changes nothing but their own password
-- and sessions.
CREATE DOMAIN user_role AS text CHECK (VALUE IN ('owner', 'member', 'read-only'));

CREATE TABLE users (
    tenant_id       uuid           NOT NULL REFERENCES tenants,
    id              uuid           NOT NULL DEFAULT new_id(),
    email           text           NOT NULL CHECK (email = lower(email)),
    name            text           NOT NULL DEFAULT '' CONSTRAINT users_name_one_line CHECK (name = btrim(name) AND name !~ '[[:cntrl:]]'),
    role            user_role      NOT NULL, -- see default_role
    password_hash   text           NOT NULL, -- '' until the user has chosen a password
    -- Since when the user may not log in; NULL for one who may.
    disabled_at     timestamptz,
    -- Counts what ends the sessions of the user: see end_sessions. A session is good for the one it began in.
    session_generation integer     NOT NULL DEFAULT 0,
    -- The last link with which the user may choose a password: what its secret is derived with, the hash of that, and
    -- until when. Once it was used it is kept for a repeat, and good for nothing else.
    link_id         uuid,
    link_hash       sha256_digest,
    link_expires_at timestamptz,
    link_used_at    timestamptz,
    version         record_version NOT NULL DEFAULT 1,
    created_at      timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT users_email_once UNIQUE (email), -- in all tenants, because a login names none
    CONSTRAINT users_link_whole CHECK (num_nulls(link_id, link_hash, link_expires_at) IN (0, 3))
);
CREATE INDEX users_link ON users (link_hash) WHERE link_hash IS NOT NULL;
CREATE INDEX users_by_role ON users (tenant_id, role, id) WHERE disabled_at IS NULL AND password_hash <> '';
CREATE TRIGGER next_version BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION next_version();

-- default_role makes the first user of a tenant an owner, and later ones members, unless a role was given.
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

-- Whatever changes with what a user logs in, or whether, ends what the user came in with before: end_sessions ends the
-- sessions, and takes back the link to choose a password, unless it is what is being used.
-- +goose StatementBegin
CREATE FUNCTION end_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.session_generation := OLD.session_generation + 1;
    IF NEW.link_used_at IS NOT DISTINCT FROM OLD.link_used_at THEN
        NEW.link_id := NULL;
        NEW.link_hash := NULL;
        NEW.link_expires_at := NULL;
        NEW.link_used_at := NULL;
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER end_sessions BEFORE UPDATE ON users FOR EACH ROW
    WHEN ((OLD.email, OLD.password_hash, OLD.disabled_at) IS DISTINCT FROM (NEW.email, NEW.password_hash, NEW.disabled_at))
    EXECUTE FUNCTION end_sessions();

-- A token is shown once, when it is made; only its SHA-256 is kept.
CREATE TABLE api_tokens (
    tenant_id  uuid           NOT NULL REFERENCES tenants,
    id         uuid           NOT NULL DEFAULT new_id(),
    token_hash bytea          NOT NULL CHECK (octet_length(token_hash) = 32),
    name       text           NOT NULL,
    -- No owner: a token that leaked must not make another one.
    role       user_role      NOT NULL DEFAULT 'member' CONSTRAINT api_tokens_no_owner CHECK (role <> 'owner'),
    -- The user who made it; '' for a command.
    created_by text           NOT NULL DEFAULT '',
    revoked_at timestamptz,
    version    record_version NOT NULL DEFAULT 1,
    created_at timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT api_tokens_hash_once UNIQUE (token_hash)
);
-- Commands find a token by its name.
CREATE UNIQUE INDEX api_tokens_name_once ON api_tokens (tenant_id, name) WHERE revoked_at IS NULL;
CREATE TRIGGER next_version BEFORE UPDATE ON api_tokens FOR EACH ROW EXECUTE FUNCTION next_version();

-- A login in a browser. token, data and expiry are as scs has them: token is a hash, never the cookie's value. The other columns
-- repeat what stands in data, for the user who looks at them. A session is over when the user has another session_generation.
CREATE TABLE sessions (
    tenant_id  uuid        NOT NULL,
    id         uuid        NOT NULL,
    user_id    uuid        NOT NULL,
    generation integer     NOT NULL,
    device     text        NOT NULL CHECK (char_length(device) <= 100),
    token      text        NOT NULL,
    data       bytea       NOT NULL,
    expiry     timestamptz NOT NULL,
    seen_at    timestamptz NOT NULL DEFAULT now(), -- the last request, to within some minutes
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, user_id, id),
    CONSTRAINT sessions_token_hash_once UNIQUE (token),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX sessions_expiry ON sessions (expiry);

-- A transaction that entered a tenant sees its users, tokens and sessions only. A login, a token or a cookie leads to its tenant before
-- one is entered, and is looked for among all.
ALTER TABLE users ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON users USING (current_tenant() IS NULL OR tenant_id = current_tenant());
ALTER TABLE api_tokens ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON api_tokens USING (current_tenant() IS NULL OR tenant_id = current_tenant());
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON sessions USING (current_tenant() IS NULL OR tenant_id = current_tenant());

-- A replay is answered without a look at whether its record is still there: see Deletes of idempotency.Spec.
REVOKE DELETE, TRUNCATE ON users, api_tokens FROM CURRENT_USER;

-- +goose Down
DROP TABLE sessions, api_tokens, users, tenants;
DROP FUNCTION end_sessions, keep_owner, default_role;
DROP DOMAIN user_role;
DROP SCHEMA river CASCADE;

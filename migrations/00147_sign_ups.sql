-- Sign-ups: a person without a login asks for a business, confirms the email with a link, and begins the business as its owner.

-- +goose Up

-- The tenant of strangers, to whom the operations of people without a login belong, is an id without a row: it has no name, no settings and
-- no users.
ALTER TABLE tenants ADD CONSTRAINT tenants_not_strangers CHECK (id <> '00000000-0000-0000-0000-000000000001');

-- The sign-up that a tenant began with; NULL for one that a command made. Commands find only those by name, so the names of the others
-- may be the same.
ALTER TABLE tenants ADD sign_up_id uuid CONSTRAINT tenants_sign_up_once UNIQUE;
DROP INDEX tenants_name_once;
CREATE UNIQUE INDEX tenants_name_once ON tenants (fold_text(name)) WHERE NOT demo AND sign_up_id IS NULL;

CREATE TABLE sign_ups (
    tenant_id  uuid             NOT NULL, -- of strangers
    id         uuid             NOT NULL,
    email      text COLLATE "C" NOT NULL CHECK (email = lower(email)),
    -- When its business began; NULL while it is open.
    started_at timestamptz,
    version    record_version   NOT NULL DEFAULT 1,
    created_at timestamptz      NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX sign_ups_open_once ON sign_ups (tenant_id, email) WHERE started_at IS NULL;
CREATE TRIGGER next_version BEFORE UPDATE ON sign_ups FOR EACH ROW EXECUTE FUNCTION next_version();
ALTER TABLE sign_ups ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON sign_ups USING (tenant_id = current_tenant());

-- Mails about sign-ups. A row is a mail, with its state, and its job is inserted with it. The link in it is in no table: the worker derives
-- it from the id of the mail.
CREATE TABLE sign_up_mails (
    tenant_id  uuid          NOT NULL,
    id         uuid          NOT NULL,
    sign_up_id uuid          NOT NULL,
    link_hash  sha256_digest NOT NULL,
    state      mail_state    NOT NULL DEFAULT 'queued',
    attempts   integer       NOT NULL DEFAULT 0,
    -- Of the last attempt, in plain words; '' while none has failed.
    reason     text          NOT NULL DEFAULT '',
    message_id text,
    sent_at    timestamptz,
    created_at timestamptz   NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT sign_up_mails_sent CHECK ((state = 'sent') = (sent_at IS NOT NULL)),
    FOREIGN KEY (tenant_id, sign_up_id) REFERENCES sign_ups ON DELETE CASCADE
);
CREATE INDEX sign_up_mails_of_sign_up ON sign_up_mails (tenant_id, sign_up_id, created_at);
ALTER TABLE sign_up_mails ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON sign_up_mails USING (tenant_id = current_tenant());

-- +goose StatementBegin
CREATE FUNCTION queue_sign_up_mail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO river.river_job (kind, queue, args, max_attempts)
    VALUES ('sign_up_mail', 'mail', jsonb_build_object('tenant', NEW.tenant_id, 'mail', NEW.id), 25);
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER queue_sign_up_mail BEFORE INSERT ON sign_up_mails FOR EACH ROW EXECUTE FUNCTION queue_sign_up_mail();

-- ask_sign_up returns the open sign-up of an email, or a new one, and queues a mail with a link unless one was queued in the last ten
-- minutes. Requests for one email wait for each other.
-- +goose StatementBegin
CREATE FUNCTION ask_sign_up(in_tenant uuid, in_id uuid, in_email text, in_mail uuid, in_link_hash bytea) RETURNS sign_ups
LANGUAGE plpgsql AS $$
DECLARE
    asked sign_ups;
BEGIN
    LOOP
        INSERT INTO sign_ups (tenant_id, id, email) VALUES (in_tenant, in_id, in_email) ON CONFLICT DO NOTHING;
        SELECT * INTO asked FROM sign_ups WHERE tenant_id = in_tenant AND email = in_email AND started_at IS NULL FOR NO KEY UPDATE;
        EXIT WHEN FOUND; -- otherwise its business began in between
    END LOOP;
    IF NOT EXISTS (
        SELECT FROM sign_up_mails
        WHERE tenant_id = in_tenant AND sign_up_id = asked.id AND created_at > now() - interval '10 minutes') THEN
        INSERT INTO sign_up_mails (tenant_id, id, sign_up_id, link_hash) VALUES (in_tenant, in_mail, asked.id, in_link_hash);
    END IF;
    RETURN asked;
END $$;
-- +goose StatementEnd

-- begin_business makes the tenant of a sign-up, always a new one, with its owner. It enters the tenant for the owner, and leaves it again.
-- +goose StatementBegin
CREATE FUNCTION begin_business(
    in_tenant uuid, in_sign_up uuid, in_business uuid, in_business_name text, in_name text, in_password_hash text, in_demo boolean
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    address text;
BEGIN
    SELECT email INTO address FROM sign_ups WHERE tenant_id = in_tenant AND id = in_sign_up;
    INSERT INTO tenants (id, name, demo, sign_up_id) VALUES (in_business, in_business_name, in_demo, in_sign_up);
    PERFORM set_config('onlyonce.tenant_id', in_business::text, true);
    INSERT INTO users (tenant_id, email, name, role, password_hash) VALUES (in_business, address, in_name, 'owner', in_password_hash);
    PERFORM set_config('onlyonce.tenant_id', in_tenant::text, true);
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION begin_business, ask_sign_up;
DROP TABLE sign_up_mails, sign_ups;
DROP FUNCTION queue_sign_up_mail;
DROP INDEX tenants_name_once;
CREATE UNIQUE INDEX tenants_name_once ON tenants (fold_text(name)) WHERE NOT demo;
ALTER TABLE tenants DROP sign_up_id, DROP CONSTRAINT tenants_not_strangers;

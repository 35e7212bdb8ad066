-- Mails with a link to choose a password. A row is the wish that one is sent, and what became of it; its job is inserted with it, in
-- the same transaction. The link itself is in no table: the worker derives it again.

-- +goose Up
CREATE TABLE link_mails (
    tenant_id  uuid        NOT NULL,
    id         uuid        NOT NULL DEFAULT new_id(),
    user_id    uuid        NOT NULL,
    -- The link of the user that it has. It is not sent once the user has another one, or none.
    link_id    uuid        NOT NULL,
    recipient  text        NOT NULL CHECK (recipient <> ''),
    -- The owner who has it sent; '' for a person who has forgotten the password, and asks for it without a login.
    asked_by   text        NOT NULL,
    state      mail_state  NOT NULL DEFAULT 'queued',
    attempts   integer     NOT NULL DEFAULT 0,
    -- Of the last attempt, in plain words; '' while none has failed.
    reason     text        NOT NULL DEFAULT '',
    -- Set by the first attempt and the same in all of them, by which a mail that arrives twice is known to be one.
    message_id text,
    sent_at    timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT link_mails_sent CHECK ((state = 'sent') = (sent_at IS NOT NULL)),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX link_mails_of_user ON link_mails (tenant_id, user_id, id);

ALTER TABLE link_mails ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON link_mails USING (tenant_id = current_tenant());

-- queue_link_mail inserts the job of a mail. The job has ids only, because its table is not guarded by row-level security. What is asked
-- for without a login is sent once in ten minutes, and not while the same link is on its way already: those who ask at once wait for
-- each other, and it fails with constraint link_mails_apart.
-- +goose StatementBegin
CREATE FUNCTION queue_link_mail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.asked_by = '' THEN
        PERFORM FROM users WHERE tenant_id = NEW.tenant_id AND id = NEW.user_id FOR NO KEY UPDATE;
        IF EXISTS (
            SELECT FROM link_mails
            WHERE tenant_id = NEW.tenant_id AND user_id = NEW.user_id AND (asked_by = '' OR link_id = NEW.link_id)
                AND id > new_id(now() - interval '10 minutes')) THEN
            RAISE EXCEPTION 'it was sent just now' USING ERRCODE = 'check_violation', CONSTRAINT = 'link_mails_apart';
        END IF;
    END IF;
    INSERT INTO river.river_job (kind, queue, args, max_attempts)
    VALUES ('link_mail', 'mail', jsonb_build_object('tenant', NEW.tenant_id, 'mail', NEW.id), 25);
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER queue_link_mail BEFORE INSERT ON link_mails FOR EACH ROW EXECUTE FUNCTION queue_link_mail();

-- +goose Down
DROP TABLE link_mails;
DROP FUNCTION queue_link_mail;

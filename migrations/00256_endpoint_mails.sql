-- Emails to the owners of a tenant about an endpoint that was switched off because an event could not be delivered.

-- +goose Up
CREATE TABLE endpoint_mails (
    tenant_id     uuid        NOT NULL,
    id            uuid        NOT NULL DEFAULT new_id(),
    endpoint_id   uuid        NOT NULL,
    disabled_at   timestamptz NOT NULL, -- of the endpoint; it is not sent once the endpoint is on again
    user_id       uuid        NOT NULL, -- the owner
    failing_since timestamptz NOT NULL, -- the time of the event
    status        integer, -- of the last answer over HTTP; NULL without one
    answer        text        NOT NULL, -- why there is none; '' with one
    state         mail_state  NOT NULL DEFAULT 'queued',
    attempts      integer     NOT NULL DEFAULT 0,
    reason        text        NOT NULL DEFAULT '', -- of the last attempt, in a sentence; '' while none has failed
    message_id    text,
    sent_at       timestamptz,
    created_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT endpoint_mails_once UNIQUE (tenant_id, endpoint_id, disabled_at, user_id),
    CONSTRAINT endpoint_mails_sent CHECK ((state = 'sent') = (sent_at IS NOT NULL)),
    CONSTRAINT endpoint_mails_endpoint FOREIGN KEY (tenant_id, endpoint_id) REFERENCES endpoints (tenant_id, id),
    CONSTRAINT endpoint_mails_user FOREIGN KEY (tenant_id, user_id) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX endpoint_mails_of_user ON endpoint_mails (tenant_id, user_id);
ALTER TABLE endpoint_mails ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON endpoint_mails USING (tenant_id = current_tenant());

-- +goose StatementBegin
CREATE FUNCTION queue_endpoint_mail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO river.river_job (kind, queue, args, max_attempts)
    VALUES ('endpoint_mail', 'mail', jsonb_build_object('tenant', NEW.tenant_id, 'mail', NEW.id), 25);
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER queue_endpoint_mail BEFORE INSERT ON endpoint_mails FOR EACH ROW EXECUTE FUNCTION queue_endpoint_mail();

-- end_delivery is unchanged, except that the owners get an email about an endpoint that it switches off.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION end_delivery(
    in_tenant uuid, in_id uuid, in_version integer, in_state text, in_status integer, in_answer text, in_wait interval, in_off text
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    ended deliveries;
BEGIN
    SELECT * INTO ended FROM deliveries WHERE tenant_id = in_tenant AND id = in_id;
    PERFORM FROM endpoints WHERE tenant_id = in_tenant AND id = ended.endpoint_id FOR NO KEY UPDATE;
    UPDATE deliveries SET state = in_state, status = in_status, answer = in_answer, next_at = clock_timestamp() + in_wait
    WHERE tenant_id = in_tenant AND id = in_id AND version = in_version;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF in_wait IS NULL THEN
        UPDATE deliveries SET state = 'waiting', next_at = now()
        WHERE tenant_id = in_tenant AND state = 'behind' AND id = (
            SELECT id FROM deliveries
            WHERE tenant_id = in_tenant AND endpoint_id = ended.endpoint_id AND record_id = ended.record_id AND next_at IS NOT NULL
            ORDER BY n LIMIT 1);
    END IF;
    IF in_off <> '' THEN
        WITH off AS (
            UPDATE endpoints SET disabled_at = now(), disabled_reason = in_off
            WHERE tenant_id = in_tenant AND id = ended.endpoint_id AND slot BETWEEN 1 AND 5
            RETURNING tenant_id, id, disabled_at
        )
        INSERT INTO endpoint_mails (tenant_id, endpoint_id, disabled_at, user_id, failing_since, status, answer)
        SELECT off.tenant_id, off.id, off.disabled_at, u.id, ended.created_at, in_status, CASE WHEN in_status IS NULL THEN in_answer ELSE '' END
        FROM off JOIN users u ON u.tenant_id = off.tenant_id
        WHERE u.role = 'owner' AND u.disabled_at IS NULL AND u.password_hash <> '';
    END IF;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION end_delivery(
    in_tenant uuid, in_id uuid, in_version integer, in_state text, in_status integer, in_answer text, in_wait interval, in_off text
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    ended deliveries;
BEGIN
    SELECT * INTO ended FROM deliveries WHERE tenant_id = in_tenant AND id = in_id;
    PERFORM FROM endpoints WHERE tenant_id = in_tenant AND id = ended.endpoint_id FOR NO KEY UPDATE;
    UPDATE deliveries SET state = in_state, status = in_status, answer = in_answer, next_at = clock_timestamp() + in_wait
    WHERE tenant_id = in_tenant AND id = in_id AND version = in_version;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF in_wait IS NULL THEN
        UPDATE deliveries SET state = 'waiting', next_at = now()
        WHERE tenant_id = in_tenant AND state = 'behind' AND id = (
            SELECT id FROM deliveries
            WHERE tenant_id = in_tenant AND endpoint_id = ended.endpoint_id AND record_id = ended.record_id AND next_at IS NOT NULL
            ORDER BY n LIMIT 1);
    END IF;
    IF in_off <> '' THEN
        UPDATE endpoints SET disabled_at = now(), disabled_reason = in_off
        WHERE tenant_id = in_tenant AND id = ended.endpoint_id AND slot BETWEEN 1 AND 5;
    END IF;
END $$;
-- +goose StatementEnd
DROP TABLE endpoint_mails;
DROP FUNCTION queue_endpoint_mail;

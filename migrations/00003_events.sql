-- What happened, in the transaction in which it happened: the audit trail for people, and the outbox
-- for whatever has to follow (mail, documents, webhooks).

-- +goose Up
CREATE TABLE events (
    tenant_id uuid        NOT NULL,
    id        bigint      GENERATED ALWAYS AS IDENTITY,
    name      text        NOT NULL,
    record_id uuid        NOT NULL,
    actor     text        NOT NULL,
    key       text        NOT NULL,
    at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);

ALTER TABLE events ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON events USING (tenant_id = current_tenant());

-- +goose Down
DROP TABLE events;

-- Files that belong to invoices.

-- +goose Up
CREATE TABLE attachments (
    tenant_id   uuid           NOT NULL,
    id          uuid           NOT NULL,
    invoice_id  uuid           NOT NULL,
    file_name   text           NOT NULL CHECK (file_name <> '' AND length(file_name) <= 120 AND file_name !~ '[[:cntrl:]/\\]'),
    file_digest sha256_digest  NOT NULL,
    version     record_version NOT NULL DEFAULT 1,
    created_at  timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT attachments_once UNIQUE (tenant_id, invoice_id, file_digest),
    CONSTRAINT attachments_invoice FOREIGN KEY (tenant_id, invoice_id) REFERENCES invoices (tenant_id, id),
    CONSTRAINT attachments_file FOREIGN KEY (tenant_id, file_digest) REFERENCES file_contents (tenant_id, digest)
);
CREATE INDEX attachments_of_invoice ON attachments (tenant_id, invoice_id, id);
CREATE INDEX attachments_of_file ON attachments (tenant_id, file_digest);
CREATE TRIGGER next_version BEFORE UPDATE ON attachments FOR EACH ROW EXECUTE FUNCTION next_version();

ALTER TABLE attachments ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON attachments USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON attachments FROM CURRENT_USER; -- replays rely on it

-- +goose Down
DROP TABLE attachments;

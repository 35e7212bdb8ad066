-- The logos of businesses. An issued invoice has the digest of its logo among the data of its seller, so contents are never deleted.

-- +goose Up
CREATE TABLE logos (
    tenant_id   uuid           NOT NULL REFERENCES tenants,
    id          uuid           NOT NULL,
    file_name   text           NOT NULL CHECK (file_name <> '' AND length(file_name) <= 120 AND file_name !~ '[[:cntrl:]/\\]'),
    file_digest sha256_digest  NOT NULL,
    removed_at  timestamptz, -- also when another one replaced it
    -- The settings that have it: NULL for a removed one.
    settings_id uuid           GENERATED ALWAYS AS (CASE WHEN removed_at IS NULL THEN tenant_id END) STORED,
    version     record_version NOT NULL DEFAULT 1,
    created_at  timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT logos_one UNIQUE (tenant_id, settings_id),
    CONSTRAINT logos_settings FOREIGN KEY (tenant_id, settings_id) REFERENCES settings (tenant_id, id),
    CONSTRAINT logos_file FOREIGN KEY (tenant_id, file_digest) REFERENCES file_contents (tenant_id, digest)
);
CREATE INDEX logos_of_file ON logos (tenant_id, file_digest);
CREATE TRIGGER next_version BEFORE UPDATE ON logos FOR EACH ROW EXECUTE FUNCTION next_version();

ALTER TABLE logos ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON logos USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON logos FROM CURRENT_USER; -- replays rely on it

-- +goose Down
DROP TABLE logos;

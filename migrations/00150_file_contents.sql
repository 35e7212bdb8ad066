-- The contents of files. A record has the name of a file and its digest, and refers to a row here.

-- +goose Up
CREATE TABLE file_contents (
    tenant_id uuid          NOT NULL REFERENCES tenants,
    digest    sha256_digest NOT NULL,
    type      text          NOT NULL CHECK (type <> ''), -- by the content, such as application/pdf
    content   bytea         NOT NULL,
    size      integer       NOT NULL GENERATED ALWAYS AS (octet_length(content)) STORED,
    PRIMARY KEY (tenant_id, digest)
);
-- Most files are compressed, and a part of an uncompressed one is read alone.
ALTER TABLE file_contents ALTER COLUMN content SET STORAGE EXTERNAL;

ALTER TABLE file_contents ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON file_contents USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON file_contents FROM CURRENT_USER; -- records rely on it

-- +goose Down
DROP TABLE file_contents;

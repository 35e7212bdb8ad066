-- Imports of customers from files, and how far they are.

-- +goose Up
CREATE DOMAIN csv_encoding AS text CHECK (VALUE IN ('utf-8', 'utf-8-bom', 'windows-1252'));
CREATE DOMAIN csv_separator AS text CHECK (VALUE IN ('comma', 'semicolon', 'tab'));
CREATE DOMAIN customer_import_state AS text CHECK (VALUE IN ('uploaded', 'running', 'stopped'));

CREATE TABLE customer_imports (
    tenant_id       uuid                  NOT NULL REFERENCES tenants,
    id              uuid                  NOT NULL,
    file_name       text                  NOT NULL CHECK (file_name <> '' AND length(file_name) <= 120 AND file_name !~ '[[:cntrl:]/\\]'),
    encoding        csv_encoding          NOT NULL,
    separator       csv_separator         NOT NULL,
    headings        text[]                NOT NULL, -- of the columns
    headings_digest sha256_digest         NOT NULL, -- by which the fields of the columns are remembered
    columns         text[] COLLATE "C"    NOT NULL, -- the field of each column; '' for one that is left out
    row_count       integer               NOT NULL CHECK (row_count > 0),
    source          external_source       NOT NULL, -- of the external ids of the customers
    state           customer_import_state NOT NULL DEFAULT 'uploaded',
    takes_alike     boolean               NOT NULL DEFAULT false, -- whether rows that look like other customers are imported too
    asked_by        text                  NOT NULL DEFAULT '', -- the name of the user in whose name the job acts
    confirmed_at    timestamptz,
    version         record_version        NOT NULL DEFAULT 1,
    created_at      timestamptz           NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT customer_imports_columns CHECK (cardinality(columns) = cardinality(headings)),
    CONSTRAINT customer_imports_confirmed CHECK ((state = 'uploaded') = (confirmed_at IS NULL))
);
CREATE INDEX customer_imports_remembered ON customer_imports (tenant_id, headings_digest, id) WHERE confirmed_at IS NOT NULL;
CREATE TRIGGER next_version BEFORE UPDATE ON customer_imports FOR EACH ROW EXECUTE FUNCTION next_version();
ALTER TABLE customer_imports ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON customer_imports USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON customer_imports FROM CURRENT_USER; -- replays rely on it

-- The file of an import, with personal data, is deleted after some time.
CREATE TABLE customer_import_files (
    tenant_id  uuid        NOT NULL,
    import_id  uuid        NOT NULL,
    content    bytea       NOT NULL CHECK (octet_length(content) <= 10485760),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, import_id),
    CONSTRAINT customer_import_files_import FOREIGN KEY (tenant_id, import_id) REFERENCES customer_imports (tenant_id, id)
);
-- A part of an uncompressed file is read alone.
ALTER TABLE customer_import_files ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX customer_import_files_by_age ON customer_import_files (tenant_id, created_at);
ALTER TABLE customer_import_files ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON customer_import_files USING (tenant_id = current_tenant());

-- The rows that a job has finished, some hundred at once. The progress of an import is not part of its version.
CREATE TABLE customer_import_chunks (
    tenant_id uuid    NOT NULL,
    import_id uuid    NOT NULL,
    line      integer NOT NULL, -- of the first row
    created   integer NOT NULL CHECK (created >= 0), -- rows of which a customer was made
    known     integer NOT NULL CHECK (known >= 0), -- rows whose customer was there
    left_out  integer NOT NULL CHECK (left_out >= 0), -- rows with a problem
    PRIMARY KEY (tenant_id, import_id, line),
    CONSTRAINT customer_import_chunks_import FOREIGN KEY (tenant_id, import_id) REFERENCES customer_imports (tenant_id, id)
);
ALTER TABLE customer_import_chunks ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON customer_import_chunks USING (tenant_id = current_tenant());
REVOKE UPDATE, DELETE, TRUNCATE ON customer_import_chunks FROM CURRENT_USER;

-- Why a row was left out. Deleted with the file.
CREATE TABLE customer_import_problems (
    tenant_id uuid    NOT NULL,
    import_id uuid    NOT NULL,
    line      integer NOT NULL, -- where the row begins
    problem   text    NOT NULL CHECK (problem <> ''),
    PRIMARY KEY (tenant_id, import_id, line),
    CONSTRAINT customer_import_problems_file FOREIGN KEY (tenant_id, import_id) REFERENCES customer_import_files ON DELETE CASCADE
);
ALTER TABLE customer_import_problems ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON customer_import_problems USING (tenant_id = current_tenant());

-- +goose Down
DROP TABLE customer_import_problems, customer_import_chunks, customer_import_files, customer_imports;
DROP DOMAIN customer_import_state, csv_separator, csv_encoding;

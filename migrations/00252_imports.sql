-- Imports of any kind, of which those of customers are the first.

-- +goose Up
ALTER DOMAIN customer_import_state RENAME TO import_state;
ALTER DOMAIN import_state RENAME CONSTRAINT customer_import_state_check TO import_state_check;
CREATE DOMAIN csv_date_order AS text CHECK (VALUE IN ('', 'dmy', 'mdy'));
CREATE DOMAIN csv_decimal_sign AS text CHECK (VALUE IN ('', 'point', 'comma'));

ALTER TABLE customer_imports RENAME TO imports;
ALTER TABLE imports RENAME CONSTRAINT customer_imports_columns TO imports_columns;
ALTER TABLE imports RENAME CONSTRAINT customer_imports_confirmed TO imports_confirmed;
ALTER TABLE imports RENAME CONSTRAINT customer_imports_file_name_check TO imports_file_name_check;
ALTER TABLE imports RENAME CONSTRAINT customer_imports_pkey TO imports_pkey;
ALTER TABLE imports RENAME CONSTRAINT customer_imports_row_count_check TO imports_row_count_check;
ALTER TABLE imports RENAME CONSTRAINT customer_imports_tenant_id_fkey TO imports_tenant_id_fkey;
ALTER TABLE imports
    ADD kind         text COLLATE "C" NOT NULL DEFAULT 'customers' CHECK (kind ~ '^[a-z_]{1,40}$'), -- the records that it creates
    ADD date_order   csv_date_order   NOT NULL DEFAULT '', -- of days such as 1/2/2026; '' to detect it
    ADD decimal_sign csv_decimal_sign NOT NULL DEFAULT '';
CREATE INDEX imports_by_kind ON imports (tenant_id, kind, id);
DROP INDEX customer_imports_remembered;
CREATE INDEX imports_remembered ON imports (tenant_id, kind, headings_digest, id) WHERE confirmed_at IS NOT NULL;

ALTER TABLE customer_import_files RENAME TO import_files;
ALTER TABLE import_files RENAME CONSTRAINT customer_import_files_content_check TO import_files_content_check;
ALTER TABLE import_files RENAME CONSTRAINT customer_import_files_import TO import_files_import;
ALTER TABLE import_files RENAME CONSTRAINT customer_import_files_pkey TO import_files_pkey;
ALTER INDEX customer_import_files_by_age RENAME TO import_files_by_age;

-- A record may have several rows.
ALTER TABLE customer_import_chunks RENAME TO import_chunks;
ALTER TABLE import_chunks RENAME CONSTRAINT customer_import_chunks_created_check TO import_chunks_created_check;
ALTER TABLE import_chunks RENAME CONSTRAINT customer_import_chunks_import TO import_chunks_import;
ALTER TABLE import_chunks RENAME CONSTRAINT customer_import_chunks_known_check TO import_chunks_known_check;
ALTER TABLE import_chunks RENAME CONSTRAINT customer_import_chunks_left_out_check TO import_chunks_left_out_check;
ALTER TABLE import_chunks RENAME CONSTRAINT customer_import_chunks_pkey TO import_chunks_pkey;
ALTER TABLE import_chunks ADD more integer NOT NULL DEFAULT 0 CHECK (more >= 0); -- rows, besides the first one of each record

ALTER TABLE customer_import_problems RENAME TO import_problems;
ALTER TABLE import_problems RENAME CONSTRAINT customer_import_problems_file TO import_problems_file;
ALTER TABLE import_problems RENAME CONSTRAINT customer_import_problems_pkey TO import_problems_pkey;
ALTER TABLE import_problems RENAME CONSTRAINT customer_import_problems_problem_check TO import_problems_problem_check;

-- +goose StatementBegin
DO $$
BEGIN
    IF to_regclass('river.river_job') IS NOT NULL THEN -- a new database gets it later
        UPDATE river.river_job SET kind = 'import', queue = 'imports' WHERE kind = 'customer_import';
    END IF;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
BEGIN
    IF to_regclass('river.river_job') IS NOT NULL THEN -- a new database gets it later
        UPDATE river.river_job SET kind = 'customer_import', queue = 'customer_imports' WHERE kind = 'import';
    END IF;
END $$;
-- +goose StatementEnd

ALTER TABLE import_problems RENAME CONSTRAINT import_problems_problem_check TO customer_import_problems_problem_check;
ALTER TABLE import_problems RENAME CONSTRAINT import_problems_pkey TO customer_import_problems_pkey;
ALTER TABLE import_problems RENAME CONSTRAINT import_problems_file TO customer_import_problems_file;
ALTER TABLE import_problems RENAME TO customer_import_problems;

ALTER TABLE import_chunks DROP more;
ALTER TABLE import_chunks RENAME CONSTRAINT import_chunks_pkey TO customer_import_chunks_pkey;
ALTER TABLE import_chunks RENAME CONSTRAINT import_chunks_left_out_check TO customer_import_chunks_left_out_check;
ALTER TABLE import_chunks RENAME CONSTRAINT import_chunks_known_check TO customer_import_chunks_known_check;
ALTER TABLE import_chunks RENAME CONSTRAINT import_chunks_import TO customer_import_chunks_import;
ALTER TABLE import_chunks RENAME CONSTRAINT import_chunks_created_check TO customer_import_chunks_created_check;
ALTER TABLE import_chunks RENAME TO customer_import_chunks;

ALTER INDEX import_files_by_age RENAME TO customer_import_files_by_age;
ALTER TABLE import_files RENAME CONSTRAINT import_files_pkey TO customer_import_files_pkey;
ALTER TABLE import_files RENAME CONSTRAINT import_files_import TO customer_import_files_import;
ALTER TABLE import_files RENAME CONSTRAINT import_files_content_check TO customer_import_files_content_check;
ALTER TABLE import_files RENAME TO customer_import_files;

DROP INDEX imports_remembered, imports_by_kind;
ALTER TABLE imports DROP kind, DROP date_order, DROP decimal_sign;
ALTER TABLE imports RENAME CONSTRAINT imports_tenant_id_fkey TO customer_imports_tenant_id_fkey;
ALTER TABLE imports RENAME CONSTRAINT imports_row_count_check TO customer_imports_row_count_check;
ALTER TABLE imports RENAME CONSTRAINT imports_pkey TO customer_imports_pkey;
ALTER TABLE imports RENAME CONSTRAINT imports_file_name_check TO customer_imports_file_name_check;
ALTER TABLE imports RENAME CONSTRAINT imports_confirmed TO customer_imports_confirmed;
ALTER TABLE imports RENAME CONSTRAINT imports_columns TO customer_imports_columns;
ALTER TABLE imports RENAME TO customer_imports;
CREATE INDEX customer_imports_remembered ON customer_imports (tenant_id, headings_digest, id) WHERE confirmed_at IS NOT NULL;

DROP DOMAIN csv_decimal_sign, csv_date_order;
ALTER DOMAIN import_state RENAME CONSTRAINT import_state_check TO customer_import_state_check;
ALTER DOMAIN import_state RENAME TO customer_import_state;

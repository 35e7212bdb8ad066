-- The newest migration of a new version, in this package only. It can be reverted in spite of the data that clients have sent
-- meanwhile. It changes all tables of tenants, and protects nothing.

-- +goose Up
-- +goose StatementBegin
DO $$
DECLARE
    each regclass;
BEGIN
    FOR each IN
        SELECT c.oid FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid AND attname = 'tenant_id'
        WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relrowsecurity
            AND relname NOT IN ('intents', 'intent_effects') AND relname NOT LIKE '%\_words'
        ORDER BY relname
    LOOP
        EXECUTE format('ALTER TABLE %s ADD COLUMN added_by_newest text NOT NULL DEFAULT %L', each, '');
    END LOOP;
END $$;
-- +goose StatementEnd
CREATE INDEX invoices_by_state ON invoices (tenant_id, state, due_date);
CREATE INDEX payments_by_method ON payments (tenant_id, method, id);
CREATE INDEX postings_by_time ON postings (tenant_id, at);
CREATE INDEX refunds_by_day ON refunds (tenant_id, refunded_on, id);
CREATE INDEX invoice_words_of_invoice ON invoice_words (tenant_id, invoice_id);

-- +goose Down
DROP INDEX invoice_words_of_invoice, refunds_by_day, postings_by_time, payments_by_method, invoices_by_state;
-- +goose StatementBegin
DO $$
DECLARE
    each regclass;
BEGIN
    FOR each IN SELECT attrelid FROM pg_attribute WHERE attname = 'added_by_newest' AND NOT attisdropped LOOP
        EXECUTE format('ALTER TABLE %s DROP COLUMN added_by_newest', each);
    END LOOP;
END $$;
-- +goose StatementEnd

-- Invoices and what belongs to them are taken out of the app: their tables go if they hold no row. What intents say of them
-- stays, as all intents do.

-- +goose Up
-- +goose StatementBegin
DO $$
DECLARE
    name text;
    used boolean;
BEGIN
    FOREACH name IN ARRAY ARRAY['invoices', 'credit_note_series', 'invoice_number_runs'] LOOP
        -- No tenant is entered here, so the rows are hidden from their owner too while that is forced.
        EXECUTE format('ALTER TABLE %I NO FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('SELECT EXISTS (SELECT FROM %I)', name) INTO used;
        IF used THEN
            RAISE EXCEPTION 'the table % has rows, which would be lost', name
                USING HINT = 'Begin with another database, or another DATA_DIR; or delete the rows if nobody needs them.';
        END IF;
    END LOOP;
END $$;
-- +goose StatementEnd

DROP FUNCTION next_invoice_number, credited_quantity; -- which read the tables
DROP TABLE mails, postings, credit_note_lines, credit_notes, credit_note_series, refunds, payments, invoice_words,
    invoice_number_runs, invoice_lines, invoices;
DROP FUNCTION queue_mail, word_changed_invoice, word_lines, invoice_text, number_text, void_without_credit_notes,
    post_credit_note, credit_line, balance_payment, post_refund, void_without_payments, balance_invoice,
    post_payment, append_only, carry_balance, renumber_invoice, release_invoice_number, keep_invoice_lines, keep_invoice,
    likely_repeat_of, number_invoice, take_invoice_number, invoice_series_lock, format_invoice_number,
    series_place, fold_invoice_number;
DROP DOMAIN mail_state, posting_kind, payment_method, invoice_status;
DROP SCHEMA river CASCADE;

-- +goose Down
-- +goose StatementBegin
DO $$ BEGIN
    RAISE EXCEPTION 'nothing brings the invoices back: restore a backup, and start the version before';
END $$;
-- +goose StatementEnd

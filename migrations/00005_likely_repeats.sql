-- likely_repeat_of gives the last invoice with the same likeness that was created within the window, or
-- NULL. If it is to refuse one, it ends the transaction with constraint name invoices_likeness and the
-- earlier invoice's id as detail; the lock then decides between two that arrive together.

-- +goose Up
CREATE INDEX invoices_likeness ON invoices (tenant_id, likeness, created_at);

-- +goose StatementBegin
CREATE FUNCTION likely_repeat_of(
    in_tenant uuid, in_id uuid, in_likeness bytea, in_window interval, in_refuse boolean
) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
    earlier uuid;
BEGIN
    IF in_refuse THEN
        PERFORM pg_advisory_xact_lock(hashtextextended('likeness/' || in_tenant || encode(in_likeness, 'hex'), 0));
    END IF;
    SELECT id INTO earlier FROM invoices
    WHERE tenant_id = in_tenant AND likeness = in_likeness AND id <> in_id
        AND created_at > clock_timestamp() - in_window
    ORDER BY created_at DESC LIMIT 1;
    IF in_refuse AND FOUND THEN
        RAISE EXCEPTION 'looks like an earlier invoice'
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'invoices_likeness', DETAIL = earlier;
    END IF;
    RETURN earlier;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION likely_repeat_of;
DROP INDEX invoices_likeness;

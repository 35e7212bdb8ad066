-- The page of an invoice shows what was paid, and how much of it became credit. So a posting also has the sum of that, besides what is left
-- of the paid amount.

-- +goose Up
ALTER TABLE postings ADD COLUMN became_credit minor_units NOT NULL DEFAULT 0;
-- carry_balance is unchanged, except for became_credit.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION carry_balance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last postings;
BEGIN
    SELECT * INTO last FROM postings
    WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.invoice_id
    ORDER BY position DESC LIMIT 1;
    NEW.position := COALESCE(last.position, 0) + 1;
    NEW.paid := COALESCE(last.paid, 0)
        + CASE WHEN NEW.kind IN ('payment', 'refund', 'removal', 'to_credit') THEN NEW.amount ELSE 0 END;
    NEW.became_credit := COALESCE(last.became_credit, 0) - CASE WHEN NEW.kind = 'to_credit' THEN NEW.amount ELSE 0 END;
    NEW.credited := COALESCE(last.credited, 0) + CASE WHEN NEW.kind = 'credit' THEN NEW.amount ELSE 0 END;
    NEW.written_off := COALESCE(last.written_off, 0) + CASE WHEN NEW.kind IN ('write_off', 'reversal') THEN NEW.amount ELSE 0 END;
    RETURN NEW;
END $$;
-- +goose StatementEnd
ALTER TABLE postings NO FORCE ROW LEVEL SECURITY;
ALTER TABLE postings DISABLE TRIGGER append_only;
UPDATE postings p SET became_credit = summed.became
FROM (
    SELECT tenant_id, invoice_id, position,
        sum(CASE WHEN kind = 'to_credit' THEN -amount ELSE 0 END) OVER (PARTITION BY tenant_id, invoice_id ORDER BY position) AS became
    FROM postings) AS summed
WHERE (p.tenant_id, p.invoice_id, p.position) = (summed.tenant_id, summed.invoice_id, summed.position) AND summed.became <> 0;
ALTER TABLE postings ENABLE TRIGGER append_only;
ALTER TABLE postings FORCE ROW LEVEL SECURITY;

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION carry_balance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last postings;
BEGIN
    SELECT * INTO last FROM postings
    WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.invoice_id
    ORDER BY position DESC LIMIT 1;
    NEW.position := COALESCE(last.position, 0) + 1;
    NEW.paid := COALESCE(last.paid, 0)
        + CASE WHEN NEW.kind IN ('payment', 'refund', 'removal', 'to_credit') THEN NEW.amount ELSE 0 END;
    NEW.credited := COALESCE(last.credited, 0) + CASE WHEN NEW.kind = 'credit' THEN NEW.amount ELSE 0 END;
    NEW.written_off := COALESCE(last.written_off, 0) + CASE WHEN NEW.kind IN ('write_off', 'reversal') THEN NEW.amount ELSE 0 END;
    RETURN NEW;
END $$;
-- +goose StatementEnd
ALTER TABLE postings DROP COLUMN became_credit;

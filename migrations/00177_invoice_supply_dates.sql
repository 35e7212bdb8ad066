-- The day on which what an invoice bills was supplied (BT-72), or the first and the last day of its period (BT-73, BT-74).

-- +goose Up
ALTER TABLE invoices
    ADD supplied_from date, -- the day, or the first one
    ADD supplied_to   date, -- the last one of a period
    ADD CONSTRAINT invoices_supplied_from CHECK (supplied_from BETWEEN '2000-01-01' AND '2099-12-31'),
    ADD CONSTRAINT invoices_supplied_to CHECK (
        supplied_to IS NULL OR supplied_from IS NOT NULL AND supplied_to BETWEEN supplied_from AND '2099-12-31');

-- keep_supply refuses to change the day or the period of an invoice that was issued.
-- +goose StatementBegin
CREATE FUNCTION keep_supply() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'an invoice that was issued does not change' USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_frozen';
END $$;
-- +goose StatementEnd
CREATE TRIGGER keep_supply BEFORE UPDATE ON invoices FOR EACH ROW
    WHEN (OLD.status <> 'draft' AND (OLD.supplied_from, OLD.supplied_to) IS DISTINCT FROM (NEW.supplied_from, NEW.supplied_to))
    EXECUTE FUNCTION keep_supply();

-- +goose Down
DROP TRIGGER keep_supply ON invoices;
DROP FUNCTION keep_supply;
ALTER TABLE invoices DROP supplied_to, DROP supplied_from;

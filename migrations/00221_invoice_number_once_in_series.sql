-- A number of a continuous series is taken once, in whichever year it was issued. Other numbers are taken once per year.

-- +goose Up
-- once_in_series refuses a number of a continuous series that an invoice of another year has, as invoices_number_once_per_year does, with the
-- id of that invoice as hint. number_invoice has locked the pattern and the series. A draft may keep a number.
-- +goose StatementBegin
CREATE FUNCTION once_in_series() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    its   text := invoice_number_pattern(NEW.tenant_id);
    taken uuid;
BEGIN
    IF series_of_year(its, NEW.issue_year) > 0 OR place_by_pattern(NEW.number_folded, its) IS NULL
        OR TG_OP = 'UPDATE' AND NEW.number_folded = OLD.number_folded THEN
        RETURN NULL;
    END IF;
    SELECT i.id INTO taken FROM generate_series(2000, 2099) AS of_year, LATERAL (
        SELECT id FROM invoices
        WHERE tenant_id = NEW.tenant_id AND issue_year = of_year AND number_folded = NEW.number_folded LIMIT 1) AS i
    WHERE i.id <> NEW.id LIMIT 1;
    IF taken IS NOT NULL THEN
        RAISE EXCEPTION 'an invoice of another year has this number'
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'invoices_number_once_per_year', HINT = taken;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER once_in_series AFTER INSERT OR UPDATE OF number ON invoices FOR EACH ROW EXECUTE FUNCTION once_in_series();

-- +goose Down
DROP TRIGGER once_in_series ON invoices;
DROP FUNCTION once_in_series;

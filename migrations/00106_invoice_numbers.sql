-- The numbers of invoices: one series for each tenant and year, consecutive and without gaps, though some are typed.

-- +goose Up

-- fold_invoice_number returns the form in which numbers are compared: without differences of capitals, of width, or of
-- the kind of hyphen. See docs/text.md.
CREATE FUNCTION fold_invoice_number(number text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN lower(translate(normalize(number, NFKC), U&'\2010\2012\2013\2014\2015\2212', '------') COLLATE "C");

-- series_place returns the place of a folded number in the series of its year, such as 42 for 2026-0042; NULL if it is
-- not of that series.
CREATE FUNCTION series_place(folded text, in_year integer) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN folded COLLATE "C" ~ '^[0-9]{4}-([0-9]{4}|[1-9][0-9]{4,11})$' AND left(folded, 4)::integer = in_year
    THEN NULLIF(substr(folded, 6)::bigint, 0)
END;

-- format_invoice_number returns a number of the series as people read it: 2026-0042.
CREATE FUNCTION format_invoice_number(in_year integer, in_number bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN in_year::text || '-' || lpad(in_number::text, greatest(4, length(in_number::text)), '0');

-- The places of a series that are taken, as runs without a gap. The next number follows the run that begins at 1.
-- Changes are made under the lock of the series, by the functions below.
CREATE TABLE invoice_number_runs (
    tenant_id uuid    NOT NULL REFERENCES tenants,
    year      integer NOT NULL,
    first     bigint  NOT NULL CHECK (first > 0),
    last      bigint  NOT NULL CHECK (last >= first),
    PRIMARY KEY (tenant_id, year, first)
);
ALTER TABLE invoice_number_runs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoice_number_runs USING (tenant_id = current_tenant());

-- next_invoice_number returns the place that would be allocated now. It only looks.
CREATE FUNCTION next_invoice_number(in_tenant uuid, in_year integer) RETURNS bigint
LANGUAGE sql STABLE
RETURN 1 + COALESCE(
    (SELECT last FROM invoice_number_runs WHERE tenant_id = in_tenant AND year = in_year AND first = 1), 0);

-- invoice_series_lock returns the number of the lock under which a series gives out numbers.
CREATE FUNCTION invoice_series_lock(in_tenant uuid, in_year integer) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN hashtextextended(in_tenant::text, in_year);

-- take_invoice_number marks a place as taken, and keeps runs without a gap between them as one. It does nothing if it is
-- taken already: the unique constraint says so. The caller holds the lock of the series.
-- +goose StatementBegin
CREATE FUNCTION take_invoice_number(in_tenant uuid, in_year integer, place bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    below invoice_number_runs; -- the run that begins at or below the place, if any
    until bigint := place;  -- where the run with the new place ends
BEGIN
    SELECT * INTO below FROM invoice_number_runs
    WHERE tenant_id = in_tenant AND year = in_year AND first <= place
    ORDER BY first DESC LIMIT 1;
    IF below.last >= place THEN
        RETURN;
    END IF;
    DELETE FROM invoice_number_runs
    WHERE tenant_id = in_tenant AND year = in_year AND first = place + 1
    RETURNING last INTO until;
    until := COALESCE(until, place);
    IF below.last = place - 1 THEN
        UPDATE invoice_number_runs SET last = until
        WHERE tenant_id = in_tenant AND year = in_year AND first = below.first;
    ELSE
        INSERT INTO invoice_number_runs (tenant_id, year, first, last) VALUES (in_tenant, in_year, place, until);
    END IF;
END $$;
-- +goose StatementEnd

-- release_invoice_number marks a place as free again, because a draft was given another number. The caller holds the
-- lock of the series.
-- +goose StatementBegin
CREATE FUNCTION release_invoice_number(in_tenant uuid, in_year integer, place bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    run invoice_number_runs; -- that the place is in
BEGIN
    SELECT * INTO run FROM invoice_number_runs
    WHERE tenant_id = in_tenant AND year = in_year AND first <= place
    ORDER BY first DESC LIMIT 1;
    IF run.last IS NULL OR run.last < place THEN
        RETURN;
    END IF;
    IF run.first < place THEN
        UPDATE invoice_number_runs SET last = place - 1 WHERE tenant_id = in_tenant AND year = in_year AND first = run.first;
    ELSE
        DELETE FROM invoice_number_runs WHERE tenant_id = in_tenant AND year = in_year AND first = run.first;
    END IF;
    IF place < run.last THEN
        INSERT INTO invoice_number_runs (tenant_id, year, first, last) VALUES (in_tenant, in_year, place + 1, run.last);
    END IF;
END $$;
-- +goose StatementEnd

-- number_invoice gives an invoice without a number the next one of its series, and keeps account of those that were
-- typed. One transaction of a tenant and year at a time does so, until it ends: numbers are consecutive, one that is
-- rolled back leaves no gap, and an allocated number is never taken. A number of another form than the series' cannot
-- meet an allocated one, and waits for nobody.
-- +goose StatementBegin
CREATE FUNCTION number_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    in_year  integer := extract(year FROM NEW.issue_date);
    place bigint  := series_place(fold_invoice_number(NEW.number), in_year);
BEGIN
    IF place IS NULL AND NEW.number IS NOT NULL THEN
        RETURN NEW;
    END IF;
    PERFORM pg_advisory_xact_lock(invoice_series_lock(NEW.tenant_id, in_year));
    IF NEW.number IS NULL THEN
        place := next_invoice_number(NEW.tenant_id, in_year);
        NEW.number := format_invoice_number(in_year, place);
    END IF;
    PERFORM take_invoice_number(NEW.tenant_id, in_year, place);
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- renumber_invoice keeps account of the number that a draft gives up.
-- +goose StatementBegin
CREATE FUNCTION renumber_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    old_place bigint := series_place(OLD.number_folded, OLD.issue_year);
BEGIN
    IF old_place IS NOT NULL
        AND (OLD.issue_year, OLD.number_folded) IS DISTINCT FROM (NEW.issue_year, NEW.number_folded) THEN
        PERFORM pg_advisory_xact_lock(invoice_series_lock(OLD.tenant_id, OLD.issue_year)),
            release_invoice_number(OLD.tenant_id, OLD.issue_year, old_place);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION next_invoice_number;
DROP TABLE invoice_number_runs;
DROP FUNCTION renumber_invoice, number_invoice, release_invoice_number, take_invoice_number, invoice_series_lock,
    format_invoice_number, series_place, fold_invoice_number;

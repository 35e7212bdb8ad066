-- Invoice numbers are compared in a folded form, and the next one is found at the same cost however many
-- were typed or imported.

-- +goose Up

-- fold_invoice_number gives the form in which numbers are compared: without differences of capitals, of
-- width, or of the kind of hyphen. See docs/text.md.
CREATE FUNCTION fold_invoice_number(number text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN lower(translate(normalize(number, NFKC), U&'\2010\2012\2013\2014\2015\2212', '------') COLLATE "C");

-- series_place gives the place of a folded number in the series of its year, such as 42 for
-- 2026-0042; NULL if it is not of that series.
CREATE FUNCTION series_place(folded text, in_year integer) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
    WHEN folded COLLATE "C" ~ '^[0-9]{4}-([0-9]{4}|[1-9][0-9]{4,11})$' AND left(folded, 4)::integer = in_year
    THEN NULLIF(substr(folded, 6)::bigint, 0)
END;

ALTER TABLE invoices
    DROP CONSTRAINT invoices_number_once_per_year,
    ADD COLUMN number_folded text COLLATE "C" NOT NULL GENERATED ALWAYS AS (fold_invoice_number(number)) STORED,
    ADD CONSTRAINT invoices_number_once_per_year UNIQUE (tenant_id, issue_year, number_folded),
    -- Printable ASCII with single spaces: nothing invisible, and no letters that look like others.
    ADD CONSTRAINT invoices_number_ascii CHECK (number_folded ~ '^[!-~]+( [!-~]+)*$'),
    -- What looks like a number of another year's series would be allocated there once more.
    ADD CONSTRAINT invoices_number_of_its_year CHECK (
        number_folded !~ '^(19|[2-9][0-9])[0-9]{2}-[0-9]{4,}$' OR left(number_folded, 4) = issue_year::text);

-- The places of a series that are taken, as runs without a gap. The next number follows the run that
-- begins at 1. Changes are made under the lock of the series, by the functions below.
CREATE TABLE invoice_number_runs (
    tenant_id uuid    NOT NULL REFERENCES tenants,
    year      integer NOT NULL,
    first     bigint  NOT NULL CHECK (first > 0),
    last      bigint  NOT NULL CHECK (last >= first),
    PRIMARY KEY (tenant_id, year, first)
);
ALTER TABLE invoice_number_runs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoice_number_runs USING (tenant_id = current_tenant());

-- The numbers that are there, of all tenants: without FORCE, the owner of the tables sees them.
ALTER TABLE invoices NO FORCE ROW LEVEL SECURITY;
ALTER TABLE invoice_number_runs NO FORCE ROW LEVEL SECURITY;
INSERT INTO invoice_number_runs (tenant_id, year, first, last)
SELECT tenant_id, issue_year, min(place), max(place)
FROM (
    SELECT tenant_id, issue_year, place,
        place - row_number() OVER (PARTITION BY tenant_id, issue_year ORDER BY place) AS run
    FROM invoices, series_place(number_folded, issue_year) AS place
    WHERE place IS NOT NULL
) AS taken
GROUP BY tenant_id, issue_year, run;
ALTER TABLE invoices FORCE ROW LEVEL SECURITY;
ALTER TABLE invoice_number_runs FORCE ROW LEVEL SECURITY;

DROP FUNCTION allocate_invoice_number;
DROP FUNCTION next_invoice_number;
DROP TABLE invoice_series;

-- next_invoice_number gives the place that would be allocated now. It only looks.
CREATE FUNCTION next_invoice_number(in_tenant uuid, in_year integer) RETURNS bigint
LANGUAGE sql STABLE
RETURN 1 + COALESCE(
    (SELECT last FROM invoice_number_runs WHERE tenant_id = in_tenant AND year = in_year AND first = 1), 0);

-- take_invoice_number marks a place as taken, and keeps runs without a gap between them as one. It does
-- nothing if it is taken already: the unique constraint says so. The caller holds the lock of the series.
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

-- number_invoice gives an invoice without a number the next one of its series, and keeps account of those
-- that were typed. One transaction of a tenant and year at a time does so, until it ends: numbers are
-- consecutive, one that is rolled back leaves no gap, and an allocated number is never taken. A number of
-- another form than the series' cannot meet an allocated one, and waits for nobody.
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
CREATE TRIGGER number_invoice BEFORE INSERT OR UPDATE OF number, issue_date ON invoices
    FOR EACH ROW EXECUTE FUNCTION number_invoice();

-- +goose Down
DROP TRIGGER number_invoice ON invoices;
DROP FUNCTION number_invoice;
DROP FUNCTION take_invoice_number;
DROP FUNCTION next_invoice_number;
CREATE TABLE invoice_series (
    tenant_id uuid    NOT NULL REFERENCES tenants,
    year      integer NOT NULL,
    last      bigint  NOT NULL CHECK (last > 0),
    PRIMARY KEY (tenant_id, year)
);
ALTER TABLE invoice_number_runs NO FORCE ROW LEVEL SECURITY;
INSERT INTO invoice_series SELECT tenant_id, year, last FROM invoice_number_runs WHERE first = 1;
ALTER TABLE invoice_series ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoice_series USING (tenant_id = current_tenant());
DROP TABLE invoice_number_runs;
ALTER TABLE invoices
    DROP CONSTRAINT invoices_number_of_its_year,
    DROP CONSTRAINT invoices_number_ascii,
    DROP CONSTRAINT invoices_number_once_per_year,
    DROP COLUMN number_folded,
    ADD CONSTRAINT invoices_number_once_per_year UNIQUE (tenant_id, issue_year, number);
DROP FUNCTION series_place;
DROP FUNCTION fold_invoice_number;
-- +goose StatementBegin
CREATE FUNCTION next_invoice_number(in_tenant uuid, in_year integer) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
    n bigint := COALESCE((SELECT last FROM invoice_series WHERE tenant_id = in_tenant AND year = in_year), 0) + 1;
BEGIN
    WHILE EXISTS (SELECT FROM invoices
                  WHERE tenant_id = in_tenant AND issue_year = in_year
                    AND number = format_invoice_number(in_year, n)) LOOP
        n := n + 1;
    END LOOP;
    RETURN n;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION allocate_invoice_number(in_tenant uuid, in_year integer) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    n bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(invoice_series_lock(in_tenant, in_year));
    n := next_invoice_number(in_tenant, in_year);
    INSERT INTO invoice_series (tenant_id, year, last) VALUES (in_tenant, in_year, n)
    ON CONFLICT (tenant_id, year) DO UPDATE SET last = EXCLUDED.last;
    RETURN format_invoice_number(in_year, n);
END $$;
-- +goose StatementEnd

-- +goose Up

-- fold_invoice_number gives the form in which numbers are compared: without differences of capitals, of
-- width, or of the kind of hyphen. See docs/text.md.
CREATE FUNCTION fold_invoice_number(number text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN lower(translate(normalize(number, NFKC), U&'\2010\2012\2013\2014\2015\2212', '------') COLLATE "C");

-- series_place gives the place of a folded number in the series of its year, such as 42 for
-- 2026-0042; NULL if it is not of that series.
CREATE FUNCTION series_place(folded text, in_year integer) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN folded COLLATE "C" ~ '^[0-9]{4}-([0-9]{4}|[1-9][0-9]{4,11})$' AND left(folded, 4)::integer = in_year
    THEN NULLIF(substr(folded, 6)::bigint, 0)
END;

-- An ISO 4217 code, and an amount in minor units of its currency.
CREATE DOMAIN currency_code AS text CHECK (VALUE ~ '^[A-Z]{3}$');
CREATE DOMAIN minor_units AS bigint CHECK (VALUE >= 0);
CREATE DOMAIN invoice_status AS text CHECK (VALUE IN ('draft'));

CREATE TABLE invoices (
    tenant_id     uuid           NOT NULL,
    id            uuid           NOT NULL,
    number        text           NOT NULL,
    number_folded text           COLLATE "C" NOT NULL GENERATED ALWAYS AS (fold_invoice_number(number)) STORED,
    status        invoice_status NOT NULL DEFAULT 'draft',
    customer_id   uuid           NOT NULL,
    currency      currency_code  NOT NULL,
    issue_date    date           NOT NULL,
    issue_year    integer        NOT NULL GENERATED ALWAYS AS (extract(year FROM issue_date)::integer) STORED,
    due_date      date           NOT NULL,
    notes         text           NOT NULL,
    subtotal      minor_units    NOT NULL,
    tax_total     minor_units    NOT NULL,
    total         minor_units    NOT NULL,
    -- SHA-256 of customer, currency and lines: equal for invoices that look like a repeat.
    likeness      bytea          NOT NULL,
    version       record_version NOT NULL DEFAULT 1,
    created_at    timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT invoices_number_once_per_year UNIQUE (tenant_id, issue_year, number_folded),
    -- Printable ASCII with single spaces: nothing invisible, and no letters that look like others.
    CONSTRAINT invoices_number_ascii CHECK (number_folded ~ '^[!-~]+( [!-~]+)*$'),
    -- What looks like a number of another year's series would be allocated there once more.
    CONSTRAINT invoices_number_of_its_year CHECK (
        number_folded !~ '^(19|[2-9][0-9])[0-9]{2}-[0-9]{4,}$' OR left(number_folded, 4) = issue_year::text),
    CONSTRAINT invoices_customer FOREIGN KEY (tenant_id, customer_id) REFERENCES customers (tenant_id, id),
    CONSTRAINT invoices_due_after_issue CHECK (due_date >= issue_date),
    CONSTRAINT invoices_total_adds_up CHECK (total = subtotal + tax_total)
);
CREATE INDEX invoices_of_customer ON invoices (tenant_id, customer_id, id);
CREATE TRIGGER next_version BEFORE UPDATE ON invoices FOR EACH ROW EXECUTE FUNCTION next_version();

CREATE TABLE invoice_lines (
    tenant_id   uuid        NOT NULL,
    invoice_id  uuid        NOT NULL,
    position    integer     NOT NULL,
    description text        NOT NULL,
    quantity    numeric     NOT NULL,
    unit_price  minor_units NOT NULL,
    tax_rate    numeric     NOT NULL,
    net         minor_units NOT NULL,
    PRIMARY KEY (tenant_id, invoice_id, position),
    CONSTRAINT invoice_lines_in_range CHECK (
        position > 0 AND description <> '' AND quantity > 0 AND tax_rate BETWEEN 0 AND 100),
    CONSTRAINT invoice_lines_invoice FOREIGN KEY (tenant_id, invoice_id) REFERENCES invoices (tenant_id, id)
);

-- The places of a series that are taken, as runs without a gap. The next number follows the run that
-- begins at 1. Changes are made under the lock of the series, by the functions below.
CREATE TABLE invoice_number_runs (
    tenant_id uuid    NOT NULL REFERENCES tenants,
    year      integer NOT NULL,
    first     bigint  NOT NULL CHECK (first > 0),
    last      bigint  NOT NULL CHECK (last >= first),
    PRIMARY KEY (tenant_id, year, first)
);

ALTER TABLE invoices ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoices USING (tenant_id = current_tenant());
ALTER TABLE invoice_lines ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoice_lines USING (tenant_id = current_tenant());
ALTER TABLE invoice_number_runs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoice_number_runs USING (tenant_id = current_tenant());

-- A number of the series as people read it: 2026-0042.
CREATE FUNCTION format_invoice_number(in_year integer, in_number bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN in_year::text || '-' || lpad(in_number::text, greatest(4, length(in_number::text)), '0');

-- next_invoice_number gives the place that would be allocated now. It only looks.
CREATE FUNCTION next_invoice_number(in_tenant uuid, in_year integer) RETURNS bigint
LANGUAGE sql STABLE
RETURN 1 + COALESCE(
    (SELECT last FROM invoice_number_runs WHERE tenant_id = in_tenant AND year = in_year AND first = 1), 0);

-- invoice_series_lock names the lock under which a series gives out numbers.
CREATE FUNCTION invoice_series_lock(in_tenant uuid, in_year integer) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN hashtextextended(in_tenant::text, in_year);

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
DROP TABLE invoice_number_runs, invoice_lines, invoices;
DROP DOMAIN invoice_status, minor_units, currency_code;
DROP FUNCTION number_invoice;
DROP FUNCTION take_invoice_number;
DROP FUNCTION invoice_series_lock;
DROP FUNCTION next_invoice_number;
DROP FUNCTION format_invoice_number;
DROP FUNCTION series_place;
DROP FUNCTION fold_invoice_number;

-- Where a series of numbers goes on: behind a number that was typed ahead of it, or with a number that was set.

-- +goose Up

-- The place from which a series allocates numbers without gaps. Without a row it is 1, and nobody has decided yet. Changes are made under
-- the lock of the series.
CREATE TABLE invoice_number_starts (
    tenant_id uuid    NOT NULL REFERENCES tenants,
    year      integer NOT NULL,
    first     bigint  NOT NULL CHECK (first > 0),
    PRIMARY KEY (tenant_id, year)
);
ALTER TABLE invoice_number_starts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoice_number_starts USING (tenant_id = current_tenant());

-- invoice_number_free reports whether a place of a series is free.
CREATE FUNCTION invoice_number_free(in_tenant uuid, in_year integer, place bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT COALESCE((
        SELECT last FROM invoice_number_runs WHERE tenant_id = in_tenant AND year = in_year AND first <= place
        ORDER BY first DESC LIMIT 1), 0) < place
$$;

-- next_invoice_number returns the place that would be allocated now: the first free one from where the series starts. It only looks. The
-- start is an aggregate: COALESCE is not known to leak nothing, so under row-level security no index would be asked with it.
CREATE OR REPLACE FUNCTION next_invoice_number(in_tenant uuid, in_year integer) RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT greatest(start.place, run.last + 1)
    FROM (SELECT max(first) AS place FROM (
        SELECT 1::bigint AS first
        UNION ALL SELECT first FROM invoice_number_starts WHERE tenant_id = in_tenant AND year = in_year) AS starts) AS start
    LEFT JOIN LATERAL (
        SELECT last FROM invoice_number_runs WHERE tenant_id = in_tenant AND year = in_year AND first <= start.place
        ORDER BY first DESC LIMIT 1) AS run ON true
$$;

-- number_invoice gives an invoice without a number the next one of its series, and keeps account of those that were
-- typed. One transaction of a tenant and year at a time does so, until it ends: numbers are consecutive, one that is
-- rolled back leaves no gap, and an allocated number is never taken. A number of another form than the series' cannot
-- meet an allocated one, and waits for nobody.
--
-- onlyonce.series is what the transaction wants of a series if the number is ahead of it: ask refuses the number with constraint
-- invoices_number_ahead, unless that was decided before, and has both numbers with which the series can go on as detail; continue goes on
-- behind it; keep does not, and is remembered.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION number_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    in_year integer := extract(year FROM NEW.issue_date);
    place   bigint  := series_place(fold_invoice_number(NEW.number), in_year);
    wanted  text    := COALESCE(current_setting('onlyonce.series', true), '');
    next    bigint;
BEGIN
    IF place IS NULL AND NEW.number IS NOT NULL THEN
        RETURN NEW;
    END IF;
    PERFORM pg_advisory_xact_lock(invoice_series_lock(NEW.tenant_id, in_year));
    IF NEW.number IS NULL THEN
        place := next_invoice_number(NEW.tenant_id, in_year);
        NEW.number := format_invoice_number(in_year, place);
    ELSIF wanted <> '' THEN
        next := next_invoice_number(NEW.tenant_id, in_year);
        IF wanted = 'ask' AND place > next AND invoice_number_free(NEW.tenant_id, in_year, place)
            AND NOT EXISTS (SELECT FROM invoice_number_starts WHERE tenant_id = NEW.tenant_id AND year = in_year) THEN
            RAISE EXCEPTION 'ahead of the series' USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_number_ahead',
                DETAIL = format_invoice_number(in_year, next) || ' ' || format_invoice_number(in_year, place + 1);
        ELSIF wanted IN ('continue', 'keep') THEN
            INSERT INTO invoice_number_starts AS s (tenant_id, year, first)
            VALUES (NEW.tenant_id, in_year, CASE wanted WHEN 'keep' THEN 1 ELSE place END)
            ON CONFLICT (tenant_id, year) DO UPDATE SET first = greatest(s.first, EXCLUDED.first);
        END IF;
    END IF;
    PERFORM take_invoice_number(NEW.tenant_id, in_year, place);
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- The number with which the credit notes of a year go on at the earliest. No credit note has one yet while last is 0.
ALTER TABLE credit_note_series
    DROP CONSTRAINT credit_note_series_last_check, ADD CONSTRAINT credit_note_series_last_check CHECK (last >= 0),
    ADD COLUMN start bigint NOT NULL DEFAULT 1 CHECK (start > 0);

-- skip_to_start makes the next number of a series of credit notes the one that was set.
-- +goose StatementBegin
CREATE FUNCTION skip_to_start() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.last := NEW.start;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER skip_to_start BEFORE UPDATE OF last ON credit_note_series
    FOR EACH ROW WHEN (NEW.last < NEW.start) EXECUTE FUNCTION skip_to_start();

-- The numbers that were set, the last one of a series and year counts.
CREATE TABLE next_numbers (
    tenant_id  uuid           NOT NULL REFERENCES tenants,
    id         uuid           NOT NULL,
    number     text           COLLATE "C" NOT NULL, -- of the series, such as 2026-0139 or CN-2026-0012
    version    record_version NOT NULL DEFAULT 1,
    created_at timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE TRIGGER next_version BEFORE UPDATE ON next_numbers FOR EACH ROW EXECUTE FUNCTION next_version();
ALTER TABLE next_numbers ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON next_numbers USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON next_numbers FROM CURRENT_USER; -- replays rely on it

-- set_next_number lets a series go on with a number. It fails with constraint next_numbers_of_a_series if no series has such a number, or
-- next_numbers_free if it is taken or, for credit notes, behind the last one, with the number that is next as detail.
-- +goose StatementBegin
CREATE FUNCTION set_next_number() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    credit  boolean := starts_with(NEW.number, 'CN-');
    plain   text    := CASE WHEN credit THEN substr(NEW.number, 4) ELSE NEW.number END;
    in_year integer := substring(plain FROM '^[0-9]{4}')::integer;
    place   bigint  := series_place(plain, in_year);
    next    bigint;
BEGIN
    IF place IS NULL THEN
        RAISE EXCEPTION 'no number of a series' USING ERRCODE = 'check_violation', CONSTRAINT = 'next_numbers_of_a_series';
    ELSIF credit THEN
        INSERT INTO credit_note_series AS s (tenant_id, year, last, start) VALUES (NEW.tenant_id, in_year, 0, place)
        ON CONFLICT (tenant_id, year) DO UPDATE SET start = CASE WHEN s.last < place THEN place ELSE s.start END
        RETURNING CASE WHEN start <> place OR last >= place THEN greatest(last + 1, start) END INTO next;
    ELSE
        PERFORM pg_advisory_xact_lock(invoice_series_lock(NEW.tenant_id, in_year));
        IF invoice_number_free(NEW.tenant_id, in_year, place) THEN
            INSERT INTO invoice_number_starts AS s (tenant_id, year, first) VALUES (NEW.tenant_id, in_year, place)
            ON CONFLICT (tenant_id, year) DO UPDATE SET first = place;
        ELSE
            next := next_invoice_number(NEW.tenant_id, in_year);
        END IF;
    END IF;
    IF next IS NOT NULL THEN
        RAISE EXCEPTION 'the number is taken' USING ERRCODE = 'check_violation', CONSTRAINT = 'next_numbers_free',
            DETAIL = CASE WHEN credit THEN 'CN-' ELSE '' END || format_invoice_number(in_year, next);
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER set_next_number BEFORE INSERT ON next_numbers FOR EACH ROW EXECUTE FUNCTION set_next_number();

-- +goose Down
DROP TABLE next_numbers;
DROP FUNCTION set_next_number;
DROP TRIGGER skip_to_start ON credit_note_series;
DROP FUNCTION skip_to_start;
-- A year without a credit note has no row in the version before, which would begin it with 1 anyway.
-- +goose StatementBegin
DO $$
DECLARE
    entered text := COALESCE(current_setting('onlyonce.tenant_id', true), '');
    tenant  uuid;
BEGIN
    FOR tenant IN SELECT id FROM tenants LOOP
        PERFORM set_config('onlyonce.tenant_id', tenant::text, true);
        DELETE FROM credit_note_series WHERE last = 0;
    END LOOP;
    PERFORM set_config('onlyonce.tenant_id', entered, true);
END $$;
-- +goose StatementEnd
ALTER TABLE credit_note_series
    DROP COLUMN start, DROP CONSTRAINT credit_note_series_last_check, ADD CONSTRAINT credit_note_series_last_check CHECK (last > 0);
CREATE OR REPLACE FUNCTION next_invoice_number(in_tenant uuid, in_year integer) RETURNS bigint
LANGUAGE sql STABLE
RETURN 1 + COALESCE(
    (SELECT last FROM invoice_number_runs WHERE tenant_id = in_tenant AND year = in_year AND first = 1), 0);
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION number_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
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
DROP FUNCTION invoice_number_free;
DROP TABLE invoice_number_starts;

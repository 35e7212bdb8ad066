-- The pattern by which invoices are numbered, such as RE-{YYYY}-{NNNN}.

-- +goose Up

-- {N…} is the place in the series, with at least as many digits as it has N. A series with {YYYY} or {YY} begins with 1 each year, one
-- without either is continuous. With a place of 12 digits, a number has at most 40 characters. A number like 2026-0001 is one of its year
-- (invoices_number_of_its_year), so no other pattern has such numbers. CN- begins the numbers of credit notes.
CREATE DOMAIN number_pattern AS text COLLATE "C" CHECK (
    length(VALUE) <= 30
    AND VALUE ~ ('^[A-Za-z0-9 ./_-]*(\{YY(YY)?\}[A-Za-z0-9 ./_-]*)?\{N{1,8}\}[A-Za-z0-9 ./_-]*$'
        '|^[A-Za-z0-9 ./_-]*\{N{1,8}\}[A-Za-z0-9 ./_-]*(\{YY(YY)?\}[A-Za-z0-9 ./_-]*)?$')
    AND VALUE !~ '^ |  | $'
    AND (starts_with(VALUE, '{YYYY}-') OR regexp_replace(replace(replace(VALUE, '{YYYY}', '2026'), '{YY}', '26'), '\{N+\}', '#')
        !~ '^[0-9]{4}-[0-9]*#[0-9]*$|^[0-9]*#[0-9]*-[0-9]{4,}$')
    AND VALUE !~* '^cn-');

-- The pattern of each tenant that has set one. It changes under a lock of its own, which every numbered invoice shares.
CREATE TABLE invoice_number_patterns (
    tenant_id   uuid           NOT NULL,
    settings_id uuid           NOT NULL,
    pattern     number_pattern NOT NULL,
    PRIMARY KEY (tenant_id, settings_id),
    CONSTRAINT invoice_number_patterns_settings FOREIGN KEY (tenant_id, settings_id) REFERENCES settings (tenant_id, id)
);
ALTER TABLE invoice_number_patterns ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoice_number_patterns USING (tenant_id = current_tenant());

-- invoice_number_pattern returns the pattern of a tenant. PL/pgSQL plans the query once for each session.
-- +goose StatementBegin
CREATE FUNCTION invoice_number_pattern(in_tenant uuid) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN COALESCE((
        SELECT pattern FROM invoice_number_patterns WHERE tenant_id = in_tenant AND settings_id = in_tenant), '{YYYY}-{NNNN}');
END $$;
-- +goose StatementEnd

-- fill_pattern replaces the parts of a pattern.
CREATE FUNCTION fill_pattern(pattern text, yyyy text, yy text, n text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(replace(replace(pattern, '{YYYY}', yyyy), '{YY}', yy), '\{N+\}', n);

-- pattern_digits returns the least number of digits of a place.
CREATE FUNCTION pattern_digits(pattern text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN length(substring(pattern FROM '\{(N+)\}'));

-- number_by_pattern returns the number of a place in the series of a year: RE-2026-0042.
CREATE FUNCTION number_by_pattern(pattern text, in_year integer, place bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN fill_pattern(
    pattern, in_year::text, right(in_year::text, 2), lpad(place::text, greatest(pattern_digits(pattern), length(place::text)), '0'));

-- series_of_year returns the year of a pattern's series with the invoices of a year, or 0 if it is continuous.
CREATE FUNCTION series_of_year(pattern text, in_year integer) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN strpos(pattern, '{Y') > 0 THEN in_year ELSE 0 END;

-- pattern_regex returns the regular expression of a pattern's folded numbers. Invoices are of this century. Each argument begins a group:
-- '(' captures the year or the place, '(?:' does not.
CREATE FUNCTION pattern_regex(pattern text, of_year text, of_place text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '^' || lower(fill_pattern(replace(pattern, '.', '[.]'), of_year || '20[0-9]{2})', of_year || '[0-9]{2})',
    of_place || '[0-9]{' || pattern_digits(pattern)::text || '}|[1-9][0-9]{' || pattern_digits(pattern)::text || ',11})')) || '$';

-- place_by_pattern returns the place of a folded number in its series, NULL if the number is not of the pattern.
CREATE FUNCTION place_by_pattern(folded text, pattern text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN NULLIF(substring(folded COLLATE "C" FROM pattern_regex(pattern, '(?:', '('))::bigint, 0);

-- series_by_pattern returns the year of the series of a number of the pattern, or 0 if it is continuous.
CREATE FUNCTION series_by_pattern(folded text, pattern text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN series_of_year(pattern, 2000 + CASE WHEN strpos(pattern, '{Y') > 0
    THEN right(substring(folded COLLATE "C" FROM pattern_regex(pattern, '(', '(?:')), 2)::integer END);

-- invoice_number_of_year reports whether a folded number is of a yearly series.
CREATE FUNCTION invoice_number_of_year(in_tenant uuid, folded text) RETURNS boolean
LANGUAGE sql STABLE
RETURN place_by_pattern(folded, '{YYYY}-{NNNN}') IS NOT NULL
    OR place_by_pattern(folded, invoice_number_pattern(in_tenant)) IS NOT NULL
        AND series_by_pattern(folded, invoice_number_pattern(in_tenant)) > 0;

-- next_number_by_pattern returns the number that an invoice of a year would be allocated now. It only looks.
CREATE FUNCTION next_number_by_pattern(in_tenant uuid, in_year integer) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT number_by_pattern(pattern, in_year, next_invoice_number(in_tenant, series_of_year(pattern, in_year)))
    FROM invoice_number_pattern(in_tenant) AS pattern
$$;

-- The patterns that were set, of which the last one counts.
CREATE TABLE number_patterns (
    tenant_id  uuid           NOT NULL REFERENCES tenants,
    id         uuid           NOT NULL,
    pattern    number_pattern NOT NULL,
    version    record_version NOT NULL DEFAULT 1,
    created_at timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE TRIGGER next_version BEFORE UPDATE ON number_patterns FOR EACH ROW EXECUTE FUNCTION next_version();
ALTER TABLE number_patterns ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON number_patterns USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON number_patterns FROM CURRENT_USER; -- replays rely on it

-- set_number_pattern numbers invoices by another pattern. Runs and starts are of the current pattern: they are built anew from the numbers
-- that have its form already, some at a time, and each series starts with its last run. No invoice is numbered meanwhile.
-- +goose StatementBegin
CREATE FUNCTION set_number_pattern() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    its     text := NEW.pattern;
    head    text; -- of the numbers of a year, before the place
    number  text;
    seen    text;
    in_year integer;
BEGIN
    PERFORM pg_advisory_xact_lock(invoice_series_lock(NEW.tenant_id, -1));
    IF its = invoice_number_pattern(NEW.tenant_id) THEN
        RETURN NEW;
    END IF;
    INSERT INTO invoice_number_patterns (tenant_id, settings_id, pattern) VALUES (NEW.tenant_id, NEW.tenant_id, its)
    ON CONFLICT (tenant_id, settings_id) DO UPDATE SET pattern = EXCLUDED.pattern;
    FOR in_year IN SELECT 0 UNION ALL SELECT generate_series(2000, 2099) LOOP
        DELETE FROM invoice_number_starts WHERE tenant_id = NEW.tenant_id AND year = in_year;
        LOOP
            DELETE FROM invoice_number_runs
            WHERE tenant_id = NEW.tenant_id AND year = in_year AND first <= (
                SELECT max(first) FROM (
                    SELECT first FROM invoice_number_runs WHERE tenant_id = NEW.tenant_id AND year = in_year
                    ORDER BY first LIMIT 200) AS lowest);
            EXIT WHEN NOT FOUND;
        END LOOP;
    END LOOP;
    FOR of_year IN 2000..2099 LOOP
        in_year := series_of_year(its, of_year);
        head := lower(fill_pattern(split_part(its, '{N', 1), of_year::text, right(of_year::text, 2), ''));
        seen := head;
        LOOP
            FOR number IN
                SELECT number_folded FROM invoices
                WHERE tenant_id = NEW.tenant_id AND issue_year = of_year AND number_folded > seen AND number_folded < head || ':'
                ORDER BY number_folded LIMIT 200
            LOOP
                seen := number;
                IF place_by_pattern(number, its) IS NOT NULL AND series_by_pattern(number, its) = in_year THEN
                    PERFORM take_invoice_number(NEW.tenant_id, in_year, place_by_pattern(number, its));
                END IF;
            END LOOP;
            EXIT WHEN NOT FOUND;
        END LOOP;
        INSERT INTO invoice_number_starts (tenant_id, year, first)
        SELECT tenant_id, year, first FROM (
            SELECT * FROM invoice_number_runs WHERE tenant_id = NEW.tenant_id AND year = in_year ORDER BY first DESC LIMIT 1) AS last
        WHERE first > 1
        ON CONFLICT (tenant_id, year) DO UPDATE SET first = EXCLUDED.first;
    END LOOP;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER set_number_pattern BEFORE INSERT ON number_patterns FOR EACH ROW EXECUTE FUNCTION set_number_pattern();

-- number_invoice numbers by the tenant's pattern. A number of the pattern with another year is refused with the constraint
-- invoices_number_of_its_year, unless the draft has it already.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION number_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    issued  integer := extract(year FROM NEW.issue_date);
    folded  text    := fold_invoice_number(NEW.number);
    wanted  text    := COALESCE(current_setting('onlyonce.series', true), '');
    its     text; -- the pattern
    in_year integer;
    place   bigint;
    next    bigint;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(invoice_series_lock(NEW.tenant_id, -1));
    its := invoice_number_pattern(NEW.tenant_id);
    in_year := series_of_year(its, issued);
    IF NEW.number IS NOT NULL THEN
        place := place_by_pattern(folded, its);
        IF place IS NULL THEN
            RETURN NEW;
        ELSIF series_by_pattern(folded, its) <> in_year THEN
            IF (OLD.number, OLD.issue_year) IS DISTINCT FROM (NEW.number, issued) THEN
                RAISE EXCEPTION 'a number of another year'
                    USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_number_of_its_year';
            END IF;
            RETURN NEW;
        END IF;
    END IF;
    PERFORM pg_advisory_xact_lock(invoice_series_lock(NEW.tenant_id, in_year));
    IF NEW.number IS NULL THEN
        place := next_invoice_number(NEW.tenant_id, in_year);
        NEW.number := number_by_pattern(its, issued, place);
    ELSIF wanted <> '' THEN
        next := next_invoice_number(NEW.tenant_id, in_year);
        IF wanted = 'ask' AND place > next AND invoice_number_free(NEW.tenant_id, in_year, place)
            AND NOT EXISTS (SELECT FROM invoice_number_starts WHERE tenant_id = NEW.tenant_id AND year = in_year) THEN
            RAISE EXCEPTION 'ahead of the series' USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_number_ahead',
                DETAIL = number_by_pattern(its, issued, next) || E'\n' || number_by_pattern(its, issued, place + 1);
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

-- renumber_invoice keeps account of the number that a draft gives up, unless an invoice of another year has it in the continuous series.
-- number_invoice has locked the pattern.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION renumber_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    its       text    := invoice_number_pattern(OLD.tenant_id);
    in_year   integer := series_of_year(its, OLD.issue_year);
    old_place bigint  := place_by_pattern(OLD.number_folded, its);
BEGIN
    IF old_place IS NOT NULL AND series_by_pattern(OLD.number_folded, its) = in_year
        AND (in_year, OLD.number_folded) IS DISTINCT FROM (series_of_year(its, NEW.issue_year), NEW.number_folded) THEN
        PERFORM pg_advisory_xact_lock(invoice_series_lock(OLD.tenant_id, in_year));
        IF in_year > 0 OR NOT EXISTS (
            SELECT FROM generate_series(2000, 2099) AS of_year, invoices
            WHERE tenant_id = OLD.tenant_id AND issue_year = of_year AND number_folded = OLD.number_folded) THEN
            PERFORM release_invoice_number(OLD.tenant_id, in_year, old_place);
        END IF;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- set_next_number lets a series go on with a number. It fails with constraint next_numbers_of_a_series if no series has such a number, with
-- one of this year's as detail; or next_numbers_free if it is taken or, for credit notes, behind the last one, with the number that is next
-- as detail.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION set_next_number() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    folded  text    := fold_invoice_number(NEW.number);
    credit  boolean := starts_with(folded, 'cn-');
    its     text    := '{YYYY}-{NNNN}';
    in_year integer;
    place   bigint;
    next    bigint;
BEGIN
    IF credit THEN
        folded := substr(folded, 4);
    ELSE
        PERFORM pg_advisory_xact_lock_shared(invoice_series_lock(NEW.tenant_id, -1));
        its := invoice_number_pattern(NEW.tenant_id);
    END IF;
    in_year := series_by_pattern(folded, its);
    place := place_by_pattern(folded, its);
    IF place IS NULL THEN
        RAISE EXCEPTION 'no number of a series' USING ERRCODE = 'check_violation', CONSTRAINT = 'next_numbers_of_a_series',
            DETAIL = next_number_by_pattern(NEW.tenant_id, extract(year FROM now())::integer);
    END IF;
    NEW.number := CASE WHEN credit THEN 'CN-' ELSE '' END || number_by_pattern(its, in_year, place);
    IF credit THEN
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
            DETAIL = CASE WHEN credit THEN 'CN-' ELSE '' END || number_by_pattern(its, in_year, next);
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- +goose Down
-- Series of the default pattern go on.
-- +goose StatementBegin
DO $$
DECLARE
    entered text := COALESCE(current_setting('onlyonce.tenant_id', true), '');
    tenant  uuid;
BEGIN
    FOR tenant IN SELECT id FROM tenants LOOP
        PERFORM set_config('onlyonce.tenant_id', tenant::text, true);
        INSERT INTO number_patterns (tenant_id, id, pattern)
        SELECT tenant_id, gen_random_uuid(), '{YYYY}-{NNNN}' FROM invoice_number_patterns;
    END LOOP;
    PERFORM set_config('onlyonce.tenant_id', entered, true);
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION set_next_number() RETURNS trigger LANGUAGE plpgsql AS $$
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
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION renumber_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
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
DROP TABLE number_patterns;
DROP FUNCTION set_number_pattern, next_number_by_pattern, invoice_number_of_year, series_by_pattern, place_by_pattern, pattern_regex,
    series_of_year, number_by_pattern, pattern_digits, fill_pattern, invoice_number_pattern;
DROP TABLE invoice_number_patterns;
DROP DOMAIN number_pattern;

-- The runs of a new pattern are inserted by one statement for each series: one number after the other took more than 30 s for 200,000
-- invoices, because each of them left a dead version of its run.

-- +goose Up
-- set_number_pattern is unchanged, except for that.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION set_number_pattern() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    its     text := NEW.pattern;
    head    text; -- of the numbers of a year, before the place
    seen    text;
    numbers text[]; -- some at a time
    places  bigint[] := '{}'; -- of a series
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
            numbers := ARRAY(
                SELECT number_folded FROM invoices
                WHERE tenant_id = NEW.tenant_id AND issue_year = of_year AND number_folded > seen AND number_folded < head || ':'
                ORDER BY number_folded LIMIT 200);
            EXIT WHEN numbers = '{}';
            seen := numbers[cardinality(numbers)];
            places := places || ARRAY(
                SELECT place_by_pattern(number, its) FROM unnest(numbers) AS number
                WHERE place_by_pattern(number, its) IS NOT NULL AND series_by_pattern(number, its) = in_year);
        END LOOP;
        CONTINUE WHEN in_year = 0 AND of_year < 2099;
        INSERT INTO invoice_number_runs (tenant_id, year, first, last)
        SELECT NEW.tenant_id, in_year, min(place), max(place)
        FROM (
            SELECT place, place - row_number() OVER (ORDER BY place) AS run
            FROM (SELECT DISTINCT unnest(places) AS place) AS taken) AS placed
        GROUP BY run;
        places := '{}';
        INSERT INTO invoice_number_starts (tenant_id, year, first)
        SELECT tenant_id, year, first FROM (
            SELECT * FROM invoice_number_runs WHERE tenant_id = NEW.tenant_id AND year = in_year ORDER BY first DESC LIMIT 1) AS last
        WHERE first > 1;
    END LOOP;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION set_number_pattern() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- Objects of a database that is reused by further tests. Spoil drops the schema.
CREATE SCHEMA pgtest;

CREATE TABLE pgtest.tables AS
    SELECT oid::regclass AS name, pg_relation_size(oid) > 0 AS filled -- by migrations: its rows stay
    FROM pg_class
    WHERE relkind = 'r' AND relnamespace::regnamespace::text !~ '^(pg_|information_schema$|pgtest$)';

-- state describes everything that must be the same for every test, except the schema, whose changes are refused.
CREATE FUNCTION pgtest.state() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    kept regclass;
    rows text;
    state text;
BEGIN
    SELECT format('connection limit %s, settings %s, %s invalid indexes', datconnlimit,
        (SELECT array_agg(setconfig::text ORDER BY setrole) FROM pg_db_role_setting WHERE setdatabase = d.oid),
        (SELECT count(*) FROM pg_index WHERE NOT indisvalid))
    INTO state FROM pg_database AS d WHERE datname = current_database();
    FOR kept IN SELECT name FROM pgtest.tables WHERE filled LOOP
        EXECUTE format('SELECT md5(string_agg(t::text, '','' ORDER BY t::text)) FROM %s AS t', kept) INTO rows;
        state := format('%s, %s %s', state, kept, rows);
    END LOOP;
    RETURN state;
END $$;

-- empty ends all connections except those in kept, and deletes all rows. It doesn't use TRUNCATE, which makes new files for a table,
-- its indexes and, because of foreign keys, nearly all other tables: as slow as a new database.
--
-- A database is worn if PostgreSQL would plan differently than in a new one: a table was analyzed, or its file has grown, with the rows
-- that were deleted since, beyond the ten pages that PostgreSQL assumes for any table that was not analyzed.
CREATE FUNCTION pgtest.empty(kept int[], OUT state text, OUT worn boolean) LANGUAGE plpgsql
SET session_replication_role = replica -- no triggers
AS $$
DECLARE
    t regclass;
BEGIN
    PERFORM pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> ALL (kept);
    worn := EXISTS (SELECT FROM pg_statistic WHERE starelid >= 16384);
    FOR t IN SELECT name FROM pgtest.tables WHERE NOT filled AND pg_relation_size(name) > 0 LOOP
        EXECUTE format('DELETE FROM %s', t);
        worn := worn OR pg_relation_size(t) > 10 * current_setting('block_size')::int;
    END LOOP;
    -- Sequences of tables that keep their rows must not restart.
    PERFORM setval(seqrelid, seqstart, false) FROM pg_sequence
    WHERE pg_sequence_last_value(seqrelid) IS NOT NULL AND NOT EXISTS (
        SELECT FROM pg_depend JOIN pgtest.tables ON refobjid = name WHERE objid = seqrelid AND deptype IN ('a', 'i') AND filled);
    state := pgtest.state();
END $$;

CREATE FUNCTION pgtest.refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
    IF tg_event = 'sql_drop' THEN
        IF NOT EXISTS (SELECT FROM pg_event_trigger_dropped_objects() WHERE NOT is_temporary) THEN
            RETURN;
        END IF;
    ELSIF NOT EXISTS (SELECT FROM pg_event_trigger_ddl_commands() WHERE schema_name IS DISTINCT FROM 'pg_temp') THEN
        RETURN;
    END IF;
    RAISE 'pgtest: % changes the schema of a database that other tests get: call Spoil on it first', tg_tag;
END $$;

CREATE EVENT TRIGGER pgtest_changed ON ddl_command_end EXECUTE FUNCTION pgtest.refuse();
CREATE EVENT TRIGGER pgtest_dropped ON sql_drop EXECUTE FUNCTION pgtest.refuse();

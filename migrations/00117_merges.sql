-- Customers that are there twice: which were merged, and which only look alike.
--
-- A customer that is merged into another gets merged_into, and so loses its live_id, to which everything refers that refers to
-- customers. The foreign keys then see to it that nothing refers to it, at whatever moment it comes, and that it is merged into
-- one that is not merged itself. What has to be moved is found by those foreign keys, in the catalog: no table is named here.

-- +goose Up
CREATE TABLE customer_merges (
    tenant_id  uuid           NOT NULL,
    id         uuid           NOT NULL,
    winner_id  uuid           NOT NULL,
    loser_ids  uuid[]         NOT NULL,
    -- How many rows were moved, those of customer_merge_rows.
    moved      integer        NOT NULL DEFAULT 0,
    undone_at  timestamptz,
    version    record_version NOT NULL DEFAULT 1,
    created_at timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT customer_merges_winner FOREIGN KEY (tenant_id, winner_id) REFERENCES customers (tenant_id, id),
    CONSTRAINT customer_merges_of_others CHECK (cardinality(loser_ids) > 0 AND winner_id <> ALL (loser_ids))
);
CREATE INDEX customer_merges_of_winner ON customer_merges (tenant_id, winner_id, id);
CREATE TRIGGER next_version BEFORE UPDATE ON customer_merges FOR EACH ROW EXECUTE FUNCTION next_version();

-- A row that a merge moved: in which table, in which column it referred to the loser, and to which one.
CREATE TABLE customer_merge_rows (
    tenant_id   uuid NOT NULL,
    row_id      uuid NOT NULL,
    merge_id    uuid NOT NULL,
    table_name  text NOT NULL,
    column_name text NOT NULL,
    was         uuid NOT NULL,
    PRIMARY KEY (tenant_id, row_id, merge_id, table_name, column_name),
    CONSTRAINT customer_merge_rows_merge FOREIGN KEY (tenant_id, merge_id) REFERENCES customer_merges (tenant_id, id)
);
CREATE INDEX customer_merge_rows_of_merge ON customer_merge_rows (tenant_id, merge_id, table_name, column_name, was);

-- Customers that look alike and are not the same, each pair once. The smaller id comes first.
CREATE TABLE customer_distinctions (
    tenant_id    uuid           NOT NULL REFERENCES tenants,
    id           uuid           NOT NULL,
    customer_ids uuid[]         NOT NULL CHECK (cardinality(customer_ids) > 1),
    version      record_version NOT NULL DEFAULT 1,
    created_at   timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE TRIGGER next_version BEFORE UPDATE ON customer_distinctions FOR EACH ROW EXECUTE FUNCTION next_version();
CREATE TABLE customer_distinct_pairs (
    tenant_id uuid NOT NULL,
    one_id    uuid NOT NULL,
    other_id  uuid NOT NULL,
    PRIMARY KEY (tenant_id, one_id, other_id),
    CONSTRAINT customer_distinct_pairs_one FOREIGN KEY (tenant_id, one_id) REFERENCES customers (tenant_id, id),
    CONSTRAINT customer_distinct_pairs_other FOREIGN KEY (tenant_id, other_id) REFERENCES customers (tenant_id, id),
    CONSTRAINT customer_distinct_pairs_in_order CHECK (one_id < other_id)
);

ALTER TABLE customer_merges ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON customer_merges USING (tenant_id = current_tenant());
ALTER TABLE customer_merge_rows ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON customer_merge_rows USING (tenant_id = current_tenant());
ALTER TABLE customer_distinctions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON customer_distinctions USING (tenant_id = current_tenant());
ALTER TABLE customer_distinct_pairs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON customer_distinct_pairs USING (tenant_id = current_tenant());

-- What a merge did stays as it was written, so that it can be undone.
REVOKE UPDATE, DELETE, TRUNCATE ON customer_merges, customer_merge_rows FROM CURRENT_USER;
GRANT UPDATE (moved, undone_at) ON customer_merges TO CURRENT_USER;
REVOKE DELETE, TRUNCATE ON customer_distinctions FROM CURRENT_USER; -- replays rely on it

-- customer_references returns the columns that refer to customers and are moved with them.
-- +goose StatementBegin
CREATE FUNCTION customer_references() RETURNS TABLE (table_name text, column_name text) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT c.relname::text, a.attname::text
    FROM pg_constraint f
    JOIN pg_class c ON c.oid = f.conrelid
    JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = f.conkey[2]
    JOIN pg_attribute live ON live.attrelid = f.confrelid AND live.attnum = f.confkey[2]
    WHERE f.contype = 'f' AND f.confrelid = 'customers'::regclass AND live.attname = 'live_id'
    ORDER BY 1, 2;
END;
-- +goose StatementEnd

-- count_customer_references returns how many rows refer to each of some customers, from each table, up to a limit.
-- +goose StatementBegin
CREATE FUNCTION count_customer_references(in_tenant uuid, in_customers uuid[], in_limit integer)
RETURNS TABLE (customer_id uuid, table_name text, found integer) LANGUAGE plpgsql STABLE AS $$
DECLARE
    at record;
BEGIN
    FOR at IN SELECT * FROM customer_references() AS r LOOP
        RETURN QUERY EXECUTE format('
            SELECT asked.id, %1$L::text, (SELECT count(*)::integer FROM (
                SELECT FROM %1$I WHERE tenant_id = $1 AND %2$I = asked.id LIMIT $3) AS counted)
            FROM unnest($2) AS asked (id)', at.table_name, at.column_name)
        USING in_tenant, in_customers, in_limit;
    END LOOP;
END $$;
-- +goose StatementEnd

-- moved_by_merge reports whether this very transaction merges or separates customers and has recorded that the row goes from
-- one to the other. The time of a merge is that of its transaction.
-- +goose StatementBegin
CREATE FUNCTION moved_by_merge(in_table text, in_tenant uuid, in_row uuid, in_from uuid, in_to uuid) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM customer_merge_rows r JOIN customer_merges m ON m.tenant_id = r.tenant_id AND m.id = r.merge_id
        WHERE r.tenant_id = in_tenant AND r.row_id = in_row AND r.table_name = in_table
            AND (r.was = in_from AND m.winner_id = in_to AND m.created_at = now()
                OR m.winner_id = in_from AND r.was = in_to AND m.undone_at = now()));
END $$;
-- +goose StatementEnd

-- keep_merged_customer lets a merged customer be merged further, with the one that it was merged into, and nothing else.
-- +goose StatementBegin
CREATE FUNCTION keep_merged_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF to_jsonb(OLD) - '{merged_into,version}'::text[] <> to_jsonb(NEW) - '{merged_into,version}'::text[] THEN
        RAISE EXCEPTION 'a merged customer does not change'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'customers_merged', DETAIL = NEW.merged_into;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER keep_merged_customer AFTER UPDATE ON customers FOR EACH ROW
    WHEN (OLD.merged_into IS NOT NULL AND NEW.merged_into IS NOT NULL) EXECUTE FUNCTION keep_merged_customer();

-- merge_customers merges customers, in the versions that were seen, into one of them, and moves what refers to the others.
-- Customers are locked first, in the order of their ids: nothing new can then refer to them.
-- +goose StatementBegin
CREATE FUNCTION merge_customers(
    in_tenant uuid, in_merge uuid, in_winner uuid, in_customers uuid[], in_versions integer[], in_most integer,
    in_operation text, in_key text
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    losers  uuid[] := array_remove(in_customers, in_winner);
    refused record;
    at      record;
    moved_now integer;
    moved_all integer := 0;
BEGIN
    PERFORM FROM customers WHERE tenant_id = in_tenant AND id = ANY (in_customers) ORDER BY id FOR UPDATE;
    SELECT seen.id, c.id AS found, c.merged_into INTO refused
    FROM unnest(in_customers, in_versions) AS seen (id, version) LEFT JOIN LATERAL (
        SELECT r.id, r.version, r.merged_into FROM customers r WHERE r.tenant_id = in_tenant AND r.id = seen.id LIMIT 1) AS c ON true
    WHERE c.id IS NULL OR c.merged_into IS NOT NULL OR c.version <> seen.version
    ORDER BY c.id IS NULL DESC, c.merged_into IS NULL, seen.id LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'customers cannot be merged' USING ERRCODE = 'check_violation', DETAIL = refused.id,
            CONSTRAINT = CASE
                WHEN refused.found IS NULL THEN 'customer_merges_customers'
                WHEN refused.merged_into IS NOT NULL THEN 'customers_merged'
                ELSE 'customer_merges_seen' END;
    END IF;

    INSERT INTO customer_merges (tenant_id, id, winner_id, loser_ids) VALUES (in_tenant, in_merge, in_winner, losers);
    FOR at IN SELECT * FROM customer_references() LOOP
        EXECUTE format('
            INSERT INTO customer_merge_rows (tenant_id, merge_id, table_name, column_name, row_id, was)
            SELECT $1, $2, %1$L, %2$L, id, was
            FROM (SELECT id, %2$I AS was FROM %1$I WHERE tenant_id = $1 AND %2$I = ANY ($3) LIMIT $4 FOR UPDATE) AS moved',
            at.table_name, at.column_name)
        USING in_tenant, in_merge, losers, in_most + 1 - moved_all;
        GET DIAGNOSTICS moved_now = ROW_COUNT;
        moved_all := moved_all + moved_now;
        IF moved_all > in_most THEN
            RAISE EXCEPTION 'more than % rows to move', in_most
                USING ERRCODE = 'check_violation', CONSTRAINT = 'customer_merges_size';
        END IF;
        EXECUTE format('UPDATE %1$I SET %2$I = $2 WHERE tenant_id = $1 AND %2$I = ANY ($3)', at.table_name, at.column_name)
        USING in_tenant, in_winner, losers;
    END LOOP;
    UPDATE customer_merges SET moved = moved_all WHERE tenant_id = in_tenant AND id = in_merge AND moved_all > 0;
    UPDATE customers SET merged_into = in_winner, archived_at = COALESCE(archived_at, now())
    WHERE tenant_id = in_tenant AND id = ANY (losers);
    -- What it shows of itself has changed.
    UPDATE customers SET version = version WHERE tenant_id = in_tenant AND id = in_winner;
    PERFORM tell_merged(in_tenant, in_merge, in_operation, in_key,
        'other customers merged into this one', 'merged into another customer', 'moved with its customer');
END $$;
-- +goose StatementEnd

-- separate_customers undoes a merge: what was moved goes back, if it is still where it was moved to.
-- +goose StatementBegin
CREATE FUNCTION separate_customers(in_tenant uuid, in_merge uuid, in_within interval, in_operation text, in_key text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    merge customer_merges;
    further uuid;
    at    record;
BEGIN
    SELECT * INTO merge FROM customer_merges WHERE tenant_id = in_tenant AND id = in_merge;
    IF merge.created_at < now() - in_within THEN
        RAISE EXCEPTION 'too late' USING ERRCODE = 'check_violation', CONSTRAINT = 'customer_merges_undo';
    END IF;
    PERFORM FROM customers WHERE tenant_id = in_tenant AND id = ANY (merge.loser_ids || merge.winner_id) ORDER BY id FOR UPDATE;
    SELECT merged_into INTO further FROM customers WHERE tenant_id = in_tenant AND id = merge.winner_id;
    IF further IS NOT NULL THEN
        RAISE EXCEPTION 'merged further' USING ERRCODE = 'check_violation', CONSTRAINT = 'customers_merged', DETAIL = further;
    END IF;

    UPDATE customer_merges SET undone_at = now() WHERE tenant_id = in_tenant AND id = in_merge;
    -- Those that were archived before were so at another time.
    UPDATE customers SET merged_into = NULL, archived_at = NULLIF(archived_at, merge.created_at)
    WHERE tenant_id = in_tenant AND id = ANY (merge.loser_ids);
    FOR at IN
        SELECT r.table_name, r.column_name, r.was, array_agg(r.row_id) AS ids FROM customer_merge_rows r
        WHERE r.tenant_id = in_tenant AND r.merge_id = in_merge GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    LOOP
        EXECUTE format('UPDATE %1$I SET %2$I = $2 WHERE tenant_id = $1 AND id = ANY ($3) AND %2$I = $4', at.table_name, at.column_name)
        USING in_tenant, at.was, at.ids, merge.winner_id;
    END LOOP;
    UPDATE customers SET version = version WHERE tenant_id = in_tenant AND id = merge.winner_id;
    PERFORM tell_merged(in_tenant, in_merge, in_operation, in_key,
        'customers separated from this one', 'separated from another customer', 'moved back with its customer');
END $$;
-- +goose StatementEnd

-- tell_merged writes into the audit what a merge, or its undoing, did to each customer and to each row that moved.
-- +goose StatementBegin
CREATE FUNCTION tell_merged(
    in_tenant uuid, in_merge uuid, in_operation text, in_key text, in_winner text, in_loser text, in_row text
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
    SELECT in_tenant, winner_id, in_operation, in_key, in_winner FROM customer_merges WHERE tenant_id = in_tenant AND id = in_merge
    UNION ALL
    SELECT in_tenant, unnest(loser_ids), in_operation, in_key, in_loser FROM customer_merges
    WHERE tenant_id = in_tenant AND id = in_merge
    UNION ALL
    SELECT DISTINCT in_tenant, row_id, in_operation, in_key, in_row FROM customer_merge_rows
    WHERE tenant_id = in_tenant AND merge_id = in_merge
    ON CONFLICT DO NOTHING; -- of two tables, rows may have one id
END $$;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER keep_merged_customer ON customers;
DROP FUNCTION tell_merged, separate_customers, merge_customers, keep_merged_customer, moved_by_merge, count_customer_references,
    customer_references;
DROP TABLE customer_distinct_pairs, customer_distinctions, customer_merge_rows, customer_merges;

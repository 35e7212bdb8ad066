WITH tables AS (
    SELECT * FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND relname <> 'goose_db_version'
        AND ($1::text[] IS NULL OR relname = ANY ($1))
), domains AS (
    SELECT * FROM pg_type
    WHERE typnamespace = current_schema()::regnamespace AND typtype = 'd' AND ($1::text[] IS NULL OR typname = ANY ($1))
), rights AS (
    SELECT relname, '' AS attname, relowner, a.* FROM tables, aclexplode(COALESCE(relacl, acldefault('r', relowner))) AS a
    UNION ALL
    SELECT relname, attname, relowner, a.*
    FROM tables JOIN pg_attribute ON attrelid = tables.oid AND NOT attisdropped, aclexplode(attacl) AS a
), found (kind, subject, name, definition) AS (
    SELECT 'table', relname, relname, ARRAY[relkind, relpersistence]::text FROM tables
    UNION ALL
    SELECT 'row-level security', relname, '', ARRAY[relrowsecurity, relforcerowsecurity]::text FROM tables
    UNION ALL
    SELECT 'policy', relname, polname, ARRAY[polpermissive::text, polcmd::text, (polroles = '{0}')::text,
        pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)]::text
    FROM tables JOIN pg_policy ON polrelid = tables.oid
    UNION ALL
    SELECT 'access list', relname, '', array_agg(DISTINCT ARRAY[
        CASE grantee WHEN relowner THEN 'owner' WHEN 0 THEN 'everybody' ELSE 'another' END, attname, privilege_type])::text
    FROM rights
    WHERE (grantee <> relowner OR privilege_type <> 'MAINTAIN') AND (grantee IN (relowner, 0) OR privilege_type <> 'SELECT')
    GROUP BY relname
    UNION ALL
    SELECT 'constraint', COALESCE(relname, typname), conname, ARRAY[pg_get_constraintdef(c.oid, true),
        (SELECT (indisvalid AND indisready)::text FROM pg_index WHERE indexrelid = conindid AND contype <> 'f'),
        (SELECT string_agg(DISTINCT tgenabled::text, '') FROM pg_trigger WHERE tgconstraint = c.oid)]::text
    FROM pg_constraint c LEFT JOIN tables ON conrelid = tables.oid LEFT JOIN domains ON contypid = domains.oid
    WHERE contype IN ('p', 'u', 'f', 'c', 'x') AND (tables.oid IS NOT NULL OR domains.oid IS NOT NULL)
    UNION ALL
    SELECT CASE WHEN indisunique THEN 'unique index' ELSE 'index' END, tables.relname, i.relname,
        ARRAY[pg_get_indexdef(indexrelid, 0, true), (indisvalid AND indisready)::text]::text
    FROM tables JOIN pg_index ON indrelid = tables.oid JOIN pg_class i ON i.oid = indexrelid
    WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u', 'x'))
    UNION ALL
    SELECT 'trigger', relname, tgname, ARRAY[pg_get_triggerdef(t.oid, true), tgenabled::text]::text
    FROM tables JOIN pg_trigger t ON tgrelid = tables.oid AND NOT tgisinternal
    UNION ALL
    SELECT 'rule', relname, rulename, pg_get_ruledef(r.oid, true) FROM tables JOIN pg_rewrite r ON ev_class = tables.oid
    UNION ALL
    SELECT 'function', proname, proname || '(' || oidvectortypes(proargtypes) || ')', ARRAY[
        lanname::text, prokind::text, prosecdef::text, proleakproof::text, proisstrict::text, provolatile::text, proparallel::text,
        proconfig::text, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid),
        COALESCE(pg_get_function_sqlbody(p.oid), prosrc), has_function_privilege(proowner, p.oid, 'EXECUTE')::text]::text
    FROM pg_proc p JOIN pg_language l ON l.oid = prolang
    WHERE pronamespace = current_schema()::regnamespace AND ($1::text[] IS NULL OR proname = ANY ($1))
    UNION ALL
    SELECT 'domain', typname, typname, ARRAY[
        format_type(typbasetype, typtypmod), collname, typnotnull::text, pg_get_expr(typdefaultbin, 0)]::text
    FROM domains LEFT JOIN pg_collation c ON c.oid = typcollation
    UNION ALL
    SELECT 'column', relname, attname, ARRAY[format_type(atttypid, atttypmod), collname, attnotnull::text, attidentity::text,
        attgenerated::text, pg_get_expr(adbin, adrelid)]::text
    FROM tables JOIN pg_attribute ON attrelid = tables.oid AND attnum > 0 AND NOT attisdropped
        LEFT JOIN pg_attrdef ON adrelid = tables.oid AND adnum = attnum LEFT JOIN pg_collation c ON c.oid = attcollation
    UNION ALL
    SELECT 'sequence', relname, attname, ARRAY[seqincrement::text, seqmax::text, seqcache::text, seqcycle::text]::text
    FROM tables JOIN pg_depend ON classid = 'pg_class'::regclass AND refobjid = tables.oid AND deptype = 'i'
        JOIN pg_sequence ON seqrelid = objid JOIN pg_attribute ON attrelid = tables.oid AND attnum = refobjsubid
)
SELECT kind, subject::text, name::text, left(encode(sha256(convert_to(definition, 'UTF8')), 'hex'), 16) FROM found

#!/bin/sh
# Refuses writes of the tenant, waits for its last rows, moves its jobs, and leads its host to the other cell.
# Environment: FROM, TO, TENANT, HOST, CELL.
set -eu

until psql --set=ON_ERROR_STOP=1 --set=tenant="$TENANT" "$FROM" <<'SQL'
SET lock_timeout = '500ms';
CREATE OR REPLACE FUNCTION moving() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE read_only_sql_transaction USING MESSAGE = 'the tenant is moving to another cell';
END $$;
SELECT format('CREATE TRIGGER moving BEFORE INSERT OR UPDATE ON %1$I FOR EACH ROW WHEN (NEW.tenant_id = %2$L) EXECUTE FUNCTION moving();'
    'CREATE TRIGGER moving_away BEFORE DELETE ON %1$I FOR EACH ROW WHEN (OLD.tenant_id = %2$L) EXECUTE FUNCTION moving()',
    table_name, :'tenant')
FROM information_schema.columns WHERE table_schema = current_schema() AND column_name = 'tenant_id' AND table_name <> 'attempts'
    AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = table_name::regclass AND tgname = 'moving') \gexec
SQL
do sleep 0.1; done
lsn=$(psql --tuples-only --no-align "$FROM" --command='SELECT pg_current_wal_lsn()')
until [ "$(psql --tuples-only --no-align "$FROM" --command="
  SELECT replay_lsn >= '$lsn' FROM pg_stat_replication WHERE application_name = 'moving'")" = t ]; do sleep 0.1; done
rows=$(psql --set=ON_ERROR_STOP=1 --tuples-only --no-align --set=tenant="$TENANT" "$FROM" <<'SQL'
SELECT format('INSERT INTO river.river_job SELECT * FROM jsonb_populate_record(NULL::river.river_job, %L || jsonb_build_object(
    ''id'', nextval(''river.river_job_id_seq'')));',
    to_jsonb(job) || CASE state WHEN 'running' THEN '{"state": "available"}' ELSE '{}' END::jsonb)
FROM river.river_job AS job WHERE args->>'tenant' = :'tenant' AND finalized_at IS NULL
UNION ALL
SELECT format('INSERT INTO tenants SELECT * FROM jsonb_populate_record(NULL::tenants, %L);', to_jsonb(t))
FROM tenants AS t WHERE id = :'tenant'
SQL
)
printf '%s' "$rows" | PGOPTIONS='--session_replication_role=replica' psql --set=ON_ERROR_STOP=1 --single-transaction --quiet "$TO"
sed -i "s|^$HOST .*|$HOST $CELL|" /etc/haproxy/cells.map
echo "set map /etc/haproxy/cells.map $HOST $CELL" | socat stdio /run/haproxy/admin.sock

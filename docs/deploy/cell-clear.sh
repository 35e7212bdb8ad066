#!/bin/sh
# Deletes a tenant from its former cell. Until no request can be under way to it any more, the cell refuses writes. The second wait is for
# replicas, which remember a token for five seconds. Environment: FROM, TENANT.
set -eu

sleep 60
psql --set=ON_ERROR_STOP=1 --set=tenant="$TENANT" "$FROM" <<'SQL'
SET session_replication_role = replica;
DELETE FROM tenants WHERE id = :'tenant';
DELETE FROM river.river_job WHERE args->>'tenant' = :'tenant';
SELECT format('DELETE FROM %I WHERE tenant_id = %L', table_name, :'tenant')
FROM information_schema.columns WHERE table_schema = current_schema() AND column_name = 'tenant_id' \gexec
SQL
sleep 10
until psql --set=ON_ERROR_STOP=1 "$FROM" <<'SQL'
SET lock_timeout = '500ms';
SELECT format('DROP TRIGGER moving ON %1$s; DROP TRIGGER moving_away ON %1$s', tgrelid::regclass)
FROM pg_trigger WHERE tgname = 'moving' \gexec
DROP FUNCTION IF EXISTS moving;
SQL
do sleep 0.1; done

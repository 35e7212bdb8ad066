#!/bin/sh
# Copies the rows of a tenant to another cell, and goes on copying until cell-end.sh. An admin of one cell isn't an admin of the other.
# Environment: FROM, TO, TENANT.
# On PostgreSQL 16 and later, add WITH (run_as_owner) to the subscription.
set -eu

for cell in "$FROM" "$TO"; do
  psql --set=ON_ERROR_STOP=1 "$cell" --command='CREATE UNIQUE INDEX settings_moving ON settings (tenant_id)' \
    --command='ALTER TABLE settings REPLICA IDENTITY USING INDEX settings_moving'
done
psql --set=ON_ERROR_STOP=1 --set=tenant="$TENANT" "$FROM" <<'SQL'
SELECT format('CREATE PUBLICATION moving FOR TABLE %s', string_agg(format('%I WHERE (tenant_id = %L)', table_name, :'tenant'), ', '))
FROM information_schema.columns WHERE table_schema = current_schema() AND column_name = 'tenant_id'
    AND table_name <> 'installation_admins' \gexec
SQL
psql --set=ON_ERROR_STOP=1 "$TO" --command="CREATE SUBSCRIPTION moving CONNECTION '$FROM' PUBLICATION moving"
until [ "$(psql --tuples-only --no-align "$TO" --command="SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel")" = t ]; do
  sleep 1
done
psql "$TO" --command=ANALYZE

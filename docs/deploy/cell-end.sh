#!/bin/sh
# Ends the copying to another cell. Environment: FROM, TO.
set -eu

psql --set=ON_ERROR_STOP=1 "$TO" --command='DROP SUBSCRIPTION moving'
# A statement that looks at the publication while it is dropped would fail ("cache lookup failed for publication"). So its tables go first.
psql --set=ON_ERROR_STOP=1 "$FROM" <<'SQL'
SELECT format('ALTER PUBLICATION moving DROP TABLE %s', string_agg(format('%I', tablename), ', '))
FROM pg_publication_tables WHERE pubname = 'moving' \gexec
SQL
sleep 1
psql --set=ON_ERROR_STOP=1 "$FROM" --command='DROP PUBLICATION moving'
for cell in "$FROM" "$TO"; do
  psql "$cell" --command='ALTER TABLE settings REPLICA IDENTITY DEFAULT' --command='DROP INDEX settings_moving'
done

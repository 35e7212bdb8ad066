#!/bin/sh
# Ends the copying to another cell. Environment: FROM, TO.
set -eu

psql --set=ON_ERROR_STOP=1 "$TO" --command='DROP SUBSCRIPTION moving'
psql --set=ON_ERROR_STOP=1 "$FROM" --command='DROP PUBLICATION moving'
for cell in "$FROM" "$TO"; do
  psql "$cell" --command='ALTER TABLE settings REPLICA IDENTITY DEFAULT' --command='DROP INDEX settings_moving'
done

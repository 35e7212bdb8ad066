DROP VIEW schedule_periods;
DROP FUNCTION fail();
ALTER TABLE kept_periods RENAME TO schedule_periods;

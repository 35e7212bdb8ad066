-- The pages of invoices fail as if the database had gone, since they show the schedule that billed them. A create still commits.
CREATE FUNCTION fail() RETURNS boolean STABLE LANGUAGE plpgsql AS $$ BEGIN RAISE 'gone' USING ERRCODE = '57P03'; END $$;
ALTER TABLE schedule_periods RENAME TO kept_periods;
CREATE VIEW schedule_periods AS SELECT tenant_id, id, schedule_id, period, version, created_at FROM kept_periods WHERE fail();
GRANT SELECT ON schedule_periods TO PUBLIC;

-- A business has days of its time zone.

-- +goose Up
-- The copy of the settings' time zone that a request reads before it enters the tenant.
ALTER TABLE tenants ADD time_zone text COLLATE "C" NOT NULL DEFAULT 'UTC'
    CONSTRAINT tenants_time_zone CHECK (timestamptz 'epoch' AT TIME ZONE time_zone IS NOT NULL); -- which fails for an unknown one

-- business_day returns the day of a moment in the time zone of the entered tenant, or in UTC without one.
-- +goose StatementBegin
CREATE FUNCTION business_day(at timestamptz DEFAULT now()) RETURNS date LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (at AT TIME ZONE COALESCE((SELECT time_zone FROM tenants WHERE id = current_tenant()), 'UTC'))::date;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION business_day;
ALTER TABLE tenants DROP time_zone;

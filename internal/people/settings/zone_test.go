package settings_test

import (
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/must"
	"onlyonce/internal/people/settings"
	"onlyonce/internal/value/date"
)

// TestTimeZone checks that requests find the time zone of the settings with their tenant, and that the database refuses an unknown one.
func TestTimeZone(t *testing.T) {
	b := storetest.Setup(t)
	version := 1
	for _, zone := range []string{"Europe/Berlin", "", "UTC", "America/New_York"} {
		d, err := settings.Input{Name: "Acme", Currency: "EUR", PaymentDays: "30", TimeZone: zone}.Draft()
		must.OK(t, err)
		done, err := settings.Edit.Do(t.Context(), b.Store, b.Of("zone="+zone, b.Tenant, version), d)
		must.OK(t, err)
		version = done.Value.Version
		var copied string
		must.OK(t, b.Admin.QueryRow(t.Context(), `SELECT time_zone FROM tenants WHERE id = $1`, b.Tenant).Scan(&copied))
		assert.Equal(t, copied, date.Zone(zone).String(), "the copy of the tenant")
		assert.Equal(t, done.Value.TimeZone, copied, "of the settings")
	}
	_, err := b.Admin.Exec(t.Context(), `UPDATE settings SET time_zone = 'Europe/Atlantis'`)
	assert.Thatf(t, err != nil, "the database has an unknown time zone")
}

// TestTimeZones checks that Go and PostgreSQL know all time zones that can be chosen.
func TestTimeZones(t *testing.T) {
	b := storetest.Setup(t)
	for _, name := range date.Zones() {
		assert.Equal(t, date.Zone(name).String(), name)
	}
	var known int
	const query = `SELECT count(now() AT TIME ZONE name) FROM unnest($1::text[]) AS name`
	must.OK(t, b.Admin.QueryRow(t.Context(), query, date.Zones()).Scan(&known))
	assert.Equal(t, known, len(date.Zones()))
}

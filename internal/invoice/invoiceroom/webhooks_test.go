package invoiceroom_test

import (
	"strings"
	"testing"
	"time"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/must"
	"onlyonce/internal/value/secretkey"
)

// TestWebhooksOfTheDemo checks that two replicas create the sources once, and delete bodies after 30 days.
func TestWebhooksOfTheDemo(t *testing.T) {
	secret, err := secretkey.Parse(strings.Repeat("MDEy", 10) + "MDE=")
	must.OK(t, err)
	settings := func(c *app.Config) { c.SecretKey, c.ExpireEvery = secret, 10*time.Millisecond }
	b := apptest.New(t, settings)
	b.Start(settings)
	must.Equal(t, b.Number(`SELECT count(*) FROM webhook_sources s JOIN webhook_secrets ON source_id = s.id`), 2, "sources")
	must.Exec(t, b.DB.Admin(), `
		WITH events AS (
			INSERT INTO webhook_events (tenant_id, id, source_id, event_id, digest, type, state)
			SELECT tenant_id, new_id(now()), id, 'one', sha256(''), 'x', 'kept' FROM webhook_sources RETURNING *
		)
		INSERT INTO webhook_bodies (tenant_id, event_id, body, created_at)
		SELECT tenant_id, id, '{}', now() - (27 + 2 * row_number() OVER (ORDER BY id)) * interval '1 day' FROM events`)
	must.Until(b, "the older body is deleted", func() bool { return b.Number(`SELECT count(*) FROM webhook_bodies`) == 1 })
}

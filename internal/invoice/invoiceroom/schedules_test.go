package invoiceroom_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customertest"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/mailer"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/secretkey"
)

// TestSchedulesOfTwoReplicas checks that periods that fell due while no app ran are billed and mailed once when two start.
func TestSchedulesOfTwoReplicas(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	b := &bundle{apptest.On(t, pgtest.New(t))}
	b.FoundCompany("Acme Studio")
	store, tenant := &idempotency.Store{Pool: b.DB.Pool, Wait: 10 * time.Second, Timeout: 20 * time.Second}, uuid.MustParse(apptest.Company)
	d, err := schedule.Input{
		CustomerID: customertest.New(t, store, tenant).String(), Currency: "EUR", Every: "2", Unit: schedule.Week,
		FirstDay: date.Today().AddDays(-30).String(), BillAs: schedule.AsIssued, Missed: schedule.Each,
		Lines: []invoice.LineInput{{Description: "Support", Quantity: "1", UnitPrice: "90.00", TaxRate: "23"}},
	}.Draft()
	must.OK(t, err)
	key, err := idempotency.ParseKey("one")
	must.OK(t, err)
	if _, err := schedule.Create.Do(t.Context(), store, idempotency.Intent{Tenant: tenant, Key: key, Actor: "test"}, d); err != nil {
		t.Fatal(err)
	}

	withoutDemo := func(c *app.Config) { c.Demo = false }
	b.App = b.Start(withoutDemo)
	apptest.On(t, b.DB).Start(withoutDemo)
	const billed = 3 // 30, 16 and 2 days ago
	must.Until(b, "all is billed and mailed", func() bool {
		mails := b.mails()
		for _, m := range mails {
			if m.State != mailer.StateSent {
				return false
			}
		}
		return len(mails) >= billed
	})
	for _, table := range []string{"schedule_periods", "invoices", "mails"} {
		assert.Equal(t, b.Number(`SELECT count(*) FROM `+table), billed, table)
	}
}

// TestFailedSchedulesAreLoggedOnce checks that a run that fails has one warning for the tenant, and none for the job.
func TestFailedSchedulesAreLoggedOnce(t *testing.T) {
	t.Parallel()
	b := apptest.On(t, pgtest.New(t))
	b.DB.Spoil(t)
	b.FoundCompany("Acme Studio")
	must.Exec(t, b.DB.Admin(), `ALTER TABLE schedules RENAME TO elsewhere`)
	b.Start(func(c *app.Config) { c.Demo = false })
	must.Until(b, "the run has failed", func() bool {
		return b.Number(`SELECT count(*) FROM river.river_job WHERE kind = 'schedules' AND state = 'discarded'`) == 1
	})
	lines := b.Lines("the next run does what is left")
	assert.Thatf(t, len(lines) == 1 && len(b.Lines("job will be tried again")) == 0, "%s", b.Logs)
}

// TestWebhooksOfTheDemo checks that two replicas create the sources once, and delete bodies after 30 days.
func TestWebhooksOfTheDemo(t *testing.T) {
	secret, err := secretkey.Parse(strings.Repeat("MDEy", 10) + "MDE=")
	must.OK(t, err)
	settings := func(c *app.Config) { c.SecretKey, c.ExpireEvery = secret, 10*time.Millisecond }
	b := apptest.New(t, settings)
	b.Start(settings)
	assert.Equal(t, b.Number(`SELECT count(*) FROM webhook_sources s JOIN webhook_secrets ON source_id = s.id`), 2, "sources")
	must.Exec(t, b.DB.Admin(), `
		WITH events AS (
			INSERT INTO webhook_events (tenant_id, id, source_id, event_id, digest, type, state)
			SELECT tenant_id, new_id(now()), id, 'one', sha256(''), 'x', 'kept' FROM webhook_sources RETURNING *
		)
		INSERT INTO webhook_bodies (tenant_id, event_id, body, created_at)
		SELECT tenant_id, id, '{}', now() - (27 + 2 * row_number() OVER (ORDER BY id)) * interval '1 day' FROM events`)
	must.Until(b, "the older body is deleted", func() bool { return b.Number(`SELECT count(*) FROM webhook_bodies`) == 1 })
}

package app_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"golang.org/x/sync/errgroup"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
	"onlyonce/internal/room"
	"onlyonce/internal/value/secretkey"
)

// This file is the example of docs/jobs.md. Each night the room archives the customers of all tenants that are older than ten years. In the
// demo it adds a customer to each tenant.

func exampleRoom() room.Room { return room.Room{Demo: addRegular, Jobs: addNightly} }

// addRegular creates a customer of the demo, once: each start calls it. To change the data of later installations, change the key as well.
func addRegular(ctx context.Context, store *idempotency.Store, _ secretkey.Key, t room.Tenant) (news bool, err error) {
	d, err := customer.Input{Email: "regular@example.com", Name: "Regular customer"}.Draft()
	if err != nil {
		return false, err
	}
	key, err := idempotency.ParseKey("demo-regular-1")
	if err != nil {
		return false, err
	}
	done, err := customer.Upsert.Do(ctx, store, idempotency.Intent{Tenant: t.ID, Key: key, Actor: "demo"}, d)
	return !done.Replayed, err
}

// nightly is the job. It has no arguments, so one job is enough for all replicas.
type nightly struct{}

// Kind returns the name of the job, which must never change: queued jobs have it.
func (nightly) Kind() string { return "nightly" }

// nightlyQueue lets one run at a time on each replica, beside the mails.
const nightlyQueue = "nightly"

// InsertOpts returns options with which a night has one job, even if two replicas insert it.
func (nightly) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: nightlyQueue, UniqueOpts: river.UniqueOpts{ByPeriod: 24 * time.Hour}}
}

// atThree is every day at 3:00 UTC.
type atThree struct{}

func (atThree) Next(now time.Time) time.Time {
	const hour = 3
	day := now.UTC()
	next := time.Date(day.Year(), day.Month(), day.Day(), hour, 0, 0, 0, time.UTC)
	if !next.After(now) {
		next = next.AddDate(0, 0, 1)
	}
	return next
}

func addNightly(jobs room.Jobs) error {
	river.AddWorker(jobs.River.Workers, &room.EachTenant[nightly]{
		Pool: jobs.Store.Pool, Log: jobs.Log,
		Limit: 10 * time.Minute, // the next attempt continues where a run ended
		Run: func(ctx context.Context, tenant uuid.UUID, night time.Time) error {
			return archiveOld(ctx, jobs.Store, tenant, night)
		},
	})
	jobs.River.Queues[nightlyQueue] = river.QueueConfig{MaxWorkers: 1}
	jobs.River.PeriodicJobs = append(jobs.River.PeriodicJobs, river.NewPeriodicJob(atThree{},
		func() (river.JobArgs, *river.InsertOpts) { return nightly{}, nil },
		&river.PeriodicJobOpts{RunOnStart: true})) // if no app ran at three; a night that had its job has no second one
	return nil
}

// archiveOld archives the customers of a tenant that were created more than ten years before a night.
func archiveOld(ctx context.Context, store *idempotency.Store, tenant uuid.UUID, night time.Time) error {
	const batch = 100
	for after := uuid.Nil; ; {
		old, err := record.Collect(ctx, store.Pool, tenant, pgx.RowTo[uuid.UUID], `
			SELECT id FROM customers
			WHERE tenant_id = @tenant_id AND archived_at IS NULL AND created_at < @before AND id > @after
			ORDER BY id LIMIT @batch`, pgx.NamedArgs{"before": night.AddDate(-10, 0, 0), "after": after, "batch": batch})
		if err != nil {
			return err
		}
		for _, id := range old {
			// The key is the same on each replica and in each attempt of a night, so a customer that a user restores is not archived
			// again in this night. In the next one it is.
			key, err := idempotency.ParseKey(fmt.Sprintf("archive %s in the night of %s", id, night.UTC().Format(time.DateOnly)))
			if err != nil {
				return err
			}
			intent := idempotency.Intent{Tenant: tenant, Key: key, Actor: "nightly job", Record: id}
			if _, err := customer.Archive.Do(ctx, store, intent, struct{}{}); err != nil {
				return err
			}
			after = id
		}
		if len(old) < batch {
			return nil
		}
	}
}

// TestNightlyJob checks that the job is carried out once a night by two apps, and again without any effect if it is repeated.
func TestNightlyJob(t *testing.T) {
	t.Parallel()
	b := apptest.On(t, pgtest.New(t))
	b.FoundCompany("Acme Studio")
	const old, young, restored = 150, 3, 120
	must.Exec(t, b.DB.Admin(), `
		INSERT INTO customers (tenant_id, id, email, name, created_at)
		SELECT $1, new_id(now()), n || '@example.com', 'Customer ' || n, CASE WHEN n <= $2 THEN now() - interval '11 years' ELSE now() END
		FROM generate_series(1, $2::int + $3::int) AS n`, apptest.Company, old, young)
	nights := func(c *app.Config) {
		c.Demo = false
		c.Site.Rooms = append(slices.Clip(c.Site.Rooms), exampleRoom())
	}
	b.Start(nights)
	apptest.On(t, b.DB).Start(nights)
	completed := func(jobs, left int) {
		t.Helper()
		must.Until(b, "the jobs are completed", func() bool {
			return b.Number(`SELECT count(*) FROM river.river_job WHERE kind = 'nightly' AND state = 'completed'`) == jobs
		})
		if n := b.Number(`SELECT count(*) FROM customers WHERE archived_at IS NULL`); n != left {
			t.Errorf("%d are not archived, want %d", n, left)
		}
		if n := b.Number(`SELECT count(*) FROM intents WHERE operation = 'customer.archive' AND actor = 'nightly job'`); n != old {
			t.Errorf("%d archived, want %d", n, old)
		}
	}
	completed(1, young)
	jobs, err := river.NewClient(riverpgxv5.New(b.DB.Pool), &river.Config{Schema: postgres.JobSchema})
	must.OK(t, err)
	if second, err := jobs.Insert(t.Context(), nightly{}, nil); err != nil || !second.UniqueSkippedAsDuplicate {
		t.Errorf("a second job of a night: %v, %v", second, err)
	}
	must.Exec(t, b.DB.Admin(), `
		UPDATE customers SET archived_at = NULL
		WHERE id IN (SELECT id FROM customers WHERE archived_at IS NOT NULL ORDER BY id LIMIT $1)`, restored)
	must.Exec(t, b.DB.Admin(), `
		INSERT INTO river.river_job (kind, queue, args, state, max_attempts, created_at, scheduled_at)
		SELECT kind, queue, args, 'available', max_attempts, created_at, now() FROM river.river_job WHERE kind = 'nightly'`)
	completed(2, young+restored)
}

// TestDemoOfARoom checks that each tenant of the demo gets the data of a room once from two apps that start together, and again on a later
// start.
func TestDemoOfARoom(t *testing.T) {
	t.Parallel()
	b := apptest.On(t, pgtest.New(t))
	demo := func(c *app.Config) {
		c.MetricsAddr, c.Site.Rooms = "off", append(slices.Clip(c.Site.Rooms), exampleRoom())
	}
	var starts errgroup.Group
	for range 2 {
		config := b.Config()
		demo(&config)
		starts.Go(func() error { return apptest.TryStart(t.Context(), config) })
	}
	must.OK(t, starts.Wait())
	b.Start(demo)
	if n := b.Number(`SELECT count(*) FROM customers WHERE name = 'Regular customer'`); n != 2 {
		t.Errorf("%d customers, want one for each of 2 tenants", n)
	}
	if n := b.Number(`SELECT count(*) FROM intents WHERE key = 'demo-regular-1'`); n != 2 {
		t.Errorf("%d intents, want 2", n)
	}
}

// TestAtThree checks the nights around the hour.
func TestAtThree(t *testing.T) {
	t.Parallel()
	for now, want := range map[string]string{
		"2026-11-28T02:59:59Z":      "2026-11-28T03:00:00Z",
		"2026-11-28T03:00:00Z":      "2026-11-29T03:00:00Z",
		"2026-12-31T21:30:00-05:00": "2027-01-01T03:00:00Z",
	} {
		at, err := time.Parse(time.RFC3339, now)
		must.OK(t, err)
		if wanted, err := time.Parse(time.RFC3339, want); err != nil || !(atThree{}).Next(at).Equal(wanted) {
			t.Errorf("%s: %v, want %s", now, atThree{}.Next(at), want)
		}
	}
}

// Package room has the types by which a domain adds demo data, jobs and other work to the app, which it can't import.
package room

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/mailer"
	"onlyonce/internal/people/account"
	"onlyonce/internal/people/business"
	"onlyonce/internal/people/settings"
	"onlyonce/internal/record"
	"onlyonce/internal/value/secretkey"
)

// Room has the additions of a domain to the app. Unused fields are nil.
type Room struct {
	// Demo creates the missing data of a tenant of the demo, and reports whether there was any. Replicas may call it at the same time.
	Demo func(ctx context.Context, store *idempotency.Store, key secretkey.Key, t Tenant) (news bool, err error)
	// Jobs adds workers, queues and periodic jobs.
	Jobs func(Jobs) error
	// Expire deletes old data of a tenant, besides the results of operations.
	Expire func(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID) error
	// Duplicates lists groups of similar records.
	Duplicates func(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (record.List[Group], error)
	// Copies is about copies of a business.
	Copies business.Part
}

// Tenant is a business of the demo. Its nth customer was created under the key "demo-customer-n".
type Tenant struct {
	ID        uuid.UUID
	Business  settings.Input
	Customers []customer.Input
}

// Jobs are the background jobs of the app.
type Jobs struct {
	River *river.Config
	Mails mailer.Config // its pool is the one for jobs
	Store *idempotency.Store
	Log   *slog.Logger
	Key   secretkey.Key // zero if there is none
	// Event returns the JSON of the event with a number as in the feed, or nil for an operation without an API.
	Event func(ctx context.Context, tenant uuid.UUID, n int64) ([]byte, error)
	// Private is set if events may be delivered to addresses that are not on the public internet.
	Private bool
	// Origin is the public URL of the app, or "" if it isn't configured. Product is its name.
	Origin, Product string
}

// Group is a group of similar records.
type Group struct {
	JSON  any
	Lines []string // for people
}

// EachTenant is the worker of a job without arguments that runs for each tenant.
type EachTenant[J river.JobArgs] struct {
	river.WorkerDefaults[J]

	Pool  *pgxpool.Pool
	Log   *slog.Logger
	Limit time.Duration // of a run for all tenants
	// Run does the work for a tenant, by operations whose keys are the same in each attempt. The time is that of the job.
	Run func(ctx context.Context, tenant uuid.UUID, at time.Time) error
}

// ErrNotAll is the only error that River gets, because River stores errors in a table that row-level security does not protect.
var ErrNotAll = errors.New("the job failed for some tenants")

// Timeout returns the time limit of a run.
func (w *EachTenant[J]) Timeout(*river.Job[J]) time.Duration { return w.Limit }

// Work runs the job, tenant by tenant. A tenant for which it fails is logged, and does not keep the following ones from being served. If
// there are any, Work returns [ErrNotAll].
func (w *EachTenant[J]) Work(ctx context.Context, job *river.Job[J]) error {
	tenants, err := account.Tenants(ctx, w.Pool)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		if failed := w.Run(ctx, tenant, job.CreatedAt); failed != nil {
			w.Log.WarnContext(ctx, "the next run does what is left", "job", job.Kind, "tenant", tenant, "error", failed)
			err = ErrNotAll
		}
	}
	return err
}

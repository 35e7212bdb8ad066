// Package room has the types by which a domain adds demo data, jobs and other work to the app, which it can't import.
package room

import (
	"context"
	"log/slog"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/mailer"
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
}

// Group is a group of similar records.
type Group struct {
	JSON  any
	Lines []string // for people
}

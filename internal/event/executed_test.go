package event_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/event"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := storetest.Setup(t)
	sql := b.Executed()
	storetest.Execute(sql, "", event.Start, uuid.Nil, 0, event.Draft{Name: "Shop"})
	storetest.Execute(sql, "", event.Start, uuid.Nil, 0, event.Draft{Name: "Warehouse"})
	storetest.Pages(sql, "feeds", event.List)
	sql.Lookup("events", func(ctx context.Context, pool *pgxpool.Pool) error {
		var start idempotency.EventPlace
		last, err := idempotency.LastEvent(ctx, pool, b.Tenant, start)
		if err != nil {
			return err
		}
		_, err = idempotency.Events(ctx, pool, b.Tenant, start, last, 25)
		return err
	})
}

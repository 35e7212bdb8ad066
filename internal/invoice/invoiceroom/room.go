// Package invoiceroom has the demo data and the jobs of invoices.
package invoiceroom

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/invoice/webhook"
	"onlyonce/internal/room"
)

// Room returns the additions of invoices to the app.
func Room() room.Room {
	return room.Room{Demo: demo, Jobs: addJobs, Expire: expire, Duplicates: duplicates}
}

// expire deletes the bodies of old events.
func expire(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID) error {
	_, err := webhook.Expire(ctx, pool, tenant, time.Now().Add(-webhook.KeepBody))
	return err
}

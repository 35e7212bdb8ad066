package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/postgres"
)

// expiry deletes old records while invoices are created, in turns with not deleting.
func (b *bench) expiry(ctx context.Context) error {
	const connections = 4 // the server keeps up, so that the p99 is about waiting and not about queueing
	s, err := b.populated(ctx, "expiry", few, few)
	if err != nil {
		return err
	}
	defer s.stop()
	if err := s.admin().exec(ctx, fillRecords(b.Expired, "now() - interval '1 minute'"), `VACUUM ANALYZE`, `CHECKPOINT`); err != nil {
		return err
	}
	var during, without []float64
	var deleted int64
	var busy time.Duration
	for round := range b.Rounds + 1 {
		quiet, err := b.load.run(ctx, typed, s.origin+invoicesPath, connections)
		if err != nil {
			return err
		}
		var loud sample
		n, took, err := expireDuring(ctx, s.database, func() (err error) {
			loud, err = b.load.run(ctx, typed, s.origin+invoicesPath, connections)
			return err
		})
		if err != nil {
			return err
		}
		deleted, busy = deleted+n, busy+took
		if round > 0 {
			during, without = append(during, loud.p99()), append(without, quiet.p99())
		}
	}
	b.add(against(fmt.Sprintf("create while %s records expire: p99, 4 connections", thousands(b.Expired)),
		millis, during, "create p99 without", without).atMost(1.3).
		noting(fmt.Sprintf("%s deleted, %s a second", thousands(int(deleted)), thousands(int(float64(deleted)/busy.Seconds())))))
	return nil
}

// expireDuring runs the app's own expiry for as long as work takes. It gives how many records it deleted,
// and how long it had something to delete.
func expireDuring(ctx context.Context, db database, work func() error) (deleted int64, busy time.Duration, err error) {
	pool, err := postgres.Open(ctx, db.url())
	if err != nil {
		return 0, 0, err
	}
	defer pool.Close()
	before, err := value[int64](ctx, db.admin(), `SELECT count(*) FROM idempotency_records WHERE expires_at < now()`)
	if err != nil {
		return 0, 0, err
	}
	expiring, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	began := time.Now()
	go func() {
		_, err := idempotency.Expire(expiring, pool, uuid.MustParse(acme))
		busy = time.Since(began)
		if expiring.Err() != nil {
			err = nil // stopped by us
		}
		ended <- err
	}()
	err = work()
	stop()
	err = errors.Join(err, <-ended)
	if err != nil {
		return 0, 0, err
	}
	after, err := value[int64](ctx, db.admin(), `SELECT count(*) FROM idempotency_records WHERE expires_at < now()`)
	return before - after, busy, err
}

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

// expiry erases old results while invoices are created, in turns with not erasing.
func (b *bench) expiry(ctx context.Context) error {
	const connections = 4 // the server keeps up, so that the p99 is about waiting and not about queueing
	s, err := b.populated(ctx, "expiry", few)
	if err != nil {
		return err
	}
	defer s.stop()
	if err := s.admin().exec(ctx, fillIntents(b.Expired, "now() - interval '1 minute'"), `VACUUM ANALYZE`, `CHECKPOINT`); err != nil {
		return err
	}
	var during, without []float64
	var erased int64
	var busy time.Duration
	// Once without counting, for the caches.
	if _, err := b.load.run(ctx, typed, s.origin+invoicesPath, connections); err != nil {
		return err
	}
	for range b.Rounds {
		quiet, err := b.load.run(ctx, typed, s.origin+invoicesPath, connections)
		if err != nil {
			return err
		}
		var loud sample
		e, err := expireDuring(ctx, s.database, func() (err error) {
			loud, err = b.load.run(ctx, typed, s.origin+invoicesPath, connections)
			return err
		})
		if err != nil {
			return err
		}
		erased, busy = erased+e.erased, busy+e.busy
		if e.left == 0 {
			break // for some of this turn there was nothing to expire, so it is none of ours
		}
		during, without = append(during, loud.p99()), append(without, quiet.p99())
	}
	if len(during) == 0 {
		return fmt.Errorf("%s results expired before one sample was over: take more", thousands(b.Expired))
	}
	b.add(against(fmt.Sprintf("create while %s results expire: p99, 4 connections", thousands(b.Expired)),
		millis, during, "create p99 without", without).atMost(1.3).
		noting(fmt.Sprintf("%s, %s erased, %s a second", plural(len(during), "turn"), thousands(int(erased)),
			thousands(int(float64(erased)/busy.Seconds())))))
	return nil
}

// expiration is what expiry did in one turn.
type expiration struct {
	erased, left int64
	busy         time.Duration // for how long it had something to erase
}

// expireDuring runs the app's own expiry for as long as work takes.
func expireDuring(ctx context.Context, db database, work func() error) (e expiration, err error) {
	const due = `SELECT count(*) FROM intents WHERE expires_at < now() AND result IS NOT NULL`
	pool, err := postgres.Open(ctx, db.url())
	if err != nil {
		return e, err
	}
	defer pool.Close()
	before, err := value[int64](ctx, db.admin(), due)
	if err != nil {
		return e, err
	}
	expiring, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	began := time.Now()
	go func() {
		_, err := idempotency.Expire(expiring, pool, uuid.MustParse(acme))
		e.busy = time.Since(began)
		if expiring.Err() != nil {
			err = nil // stopped by us
		}
		ended <- err
	}()
	err = work()
	stop()
	if err = errors.Join(err, <-ended); err != nil {
		return e, err
	}
	e.left, err = value[int64](ctx, db.admin(), due)
	e.erased = before - e.left
	return e, err
}

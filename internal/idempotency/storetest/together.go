package storetest

import (
	"context"
	"sync"
	"time"

	"onlyonce/internal/must"
)

// Together runs attempts concurrently, from one gate, and returns their errors.
func Together(attempts int, attempt func(i int) error) []error {
	errs := make([]error, attempts)
	gate := make(chan struct{})
	var all sync.WaitGroup
	for i := range attempts {
		all.Go(func() {
			<-gate
			errs[i] = attempt(i)
		})
	}
	close(gate)
	all.Wait()
	return errs
}

// Both runs two attempts concurrently.
func Both(one, two func() error) (errOne, errTwo error) {
	errs := Together(2, func(i int) error {
		if i == 0 {
			return one()
		}
		return two()
	})
	return errs[0], errs[1]
}

// Waiting returns when the given number of connections wait for a lock.
func (b *Bundle) Waiting(count int) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 30*time.Second)
	defer cancel()
	for waiting := 0; waiting < count; {
		must.OK(b, b.Admin.QueryRow(ctx, `
			SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting))
	}
}

package lab

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// halfway begins an attempt and returns when it waits for a lock in the middle of its transaction. sent is closed when the attempt
// has ended.
func (s *stage) halfway(ctx context.Context, n int) (lock pgx.Tx, sent <-chan struct{}, err error) {
	lock, err = s.lock(ctx, lockNumbers)
	if err != nil {
		return nil, nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.send(ctx, n)
	}()
	if err := s.waiters(ctx, 1); err != nil {
		return nil, nil, errors.Join(err, lock.Rollback(context.WithoutCancel(ctx)))
	}
	return lock, done, nil
}

// commitUnheard begins the attempt that creates the first invoice, and returns when the database has committed it and the server
// has no answer yet.
func (s *stage) commitUnheard(ctx context.Context, n int) (sent <-chan struct{}, err error) {
	lock, sent, err := s.halfway(ctx, n)
	if err != nil {
		return nil, err
	}
	s.back[0].Pause()
	if err := lock.Rollback(ctx); err != nil {
		return nil, fmt.Errorf("release a lock: %w", err)
	}
	if err := s.count(ctx, 1, `SELECT count(*) FROM invoices`); err != nil {
		return nil, err
	}
	s.stays(n)
	return sent, nil
}

// stays records that an attempt without an answer was committed.
func (s *stage) stays(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.committed = append(s.committed, n)
}

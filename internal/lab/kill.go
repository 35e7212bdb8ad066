package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"

	"github.com/jackc/pgx/v5"
)

func kill() script {
	return ofInvoices(script{
		lanes: []lane{invoiceLane("Try 1"), invoiceLane("Try 2"), invoiceLane("Try 3")},
		play: func(ctx context.Context, s *stage) error {
			if err := s.killInside(ctx, 0); err != nil {
				return err
			}
			if err := s.killBehind(ctx, 1); err != nil {
				return err
			}
			s.send(ctx, 2)
			return nil
		},
	})
}

// killInside kills the server in the middle of an attempt's transaction, and restarts it.
func (s *stage) killInside(ctx context.Context, n int) error {
	lock, sent, err := s.halfway(ctx, n)
	if err != nil {
		return err
	}
	defer lock.Rollback(context.WithoutCancel(ctx))
	if err := s.replicas[0].End(ctx, syscall.SIGKILL); err != nil {
		return err
	}
	<-sent
	if err := s.waiters(ctx, 0); err != nil {
		return err
	}
	s.event("The server was killed halfway. PostgreSQL rolled back what it had begun.")
	if err := lock.Rollback(ctx); err != nil {
		return fmt.Errorf("release a lock: %w", err)
	}
	return s.restart(ctx)
}

// killBehind kills the server between an attempt's commit and its answer, and restarts it.
func (s *stage) killBehind(ctx context.Context, n int) error {
	sent, err := s.commitUnheard(ctx, n)
	if err != nil {
		return err
	}
	if err := s.replicas[0].End(ctx, syscall.SIGKILL); err != nil {
		return err
	}
	<-sent
	s.back[0].Isolate()
	s.back[0].Heal()
	s.event("The server was killed after the invoice was saved, before it could answer.")
	if !slices.Contains(s.left, sameTransaction) { // this crash lost the key
		if _, err := s.admin.Exec(ctx, `ALTER TABLE intents DISABLE TRIGGER lose`); err != nil {
			return fmt.Errorf("let keys be saved again: %w", err)
		}
	}
	return s.restart(ctx)
}

func (s *stage) restart(ctx context.Context) error {
	if err := s.replicas[0].Revive(ctx); err != nil {
		return err
	}
	s.event("The server is running again.")
	return nil
}

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

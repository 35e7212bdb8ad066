package lab

import (
	"context"
	"fmt"
	"slices"
	"syscall"
)

func kill() script {
	return ofInvoices(script{
		Experiment: Experiment{
			Slug: "kill", Title: "Kill the server",
			Story: "The server is killed while it is saving an invoice. It starts again and is killed once more, this time after it " +
				"saved the invoice but before it answered. The program tries again each time.",
			Question: "How many invoices will there be?", Guesses: []int{1, 2, 3},
			Layers: []Layer{intentLayer, {sameTransaction, "one transaction for both", "The invoice is saved first and the key " +
				"afterwards, so that a crash in between loses the key."}},
		},
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

package lab

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/postgres/server"
)

// at returns the milliseconds since the beginning of the side.
func (s *stage) at() float64 { return float64(time.Since(s.began).Microseconds()) / 1000 }

// event records an event on the servers.
func (s *stage) event(what string) {
	at := s.at()
	s.run.update(func(r *Result) { r.Sides[s.side].Events = append(r.Sides[s.side].Events, Event{At: at, What: what}) })
}

// send makes one attempt and records its result.
func (s *stage) send(ctx context.Context, n int) {
	l := s.lanes[n]
	if l.unsent {
		return
	}
	token := s.cluster.tokens[0]
	if !slices.Contains(s.left, intent) && slices.ContainsFunc(s.run.script.Layers, func(l Layer) bool { return l.Slug == intent }) {
		token = s.cluster.tokens[1+n]
	}
	l.path = s.path(l)
	began := s.at()
	s.run.update(func(r *Result) { r.Sides[s.side].Attempts[n].Began = began })
	a := ask(ctx, s.client, s.front[l.replica].Addr(), token, s.keys[n], l)
	s.note(n, began, s.at()-began, a)
}

// note records the result of an attempt.
func (s *stage) note(n int, began, took float64, a answer) {
	s.mu.Lock()
	if first, known := s.marks[a.mark]; known && a.status == http.StatusSeeOther {
		// The answer to a form is the same each time.
		a.outcome, a.stop = Reused, openSignUp
		if s.keys[first] == s.keys[n] {
			a.outcome, a.stop = Replayed, intent
		}
		a.says = "The same page, about the same sign-up: Look into your inbox."
	} else if a.outcome == Created || a.outcome == Changed {
		s.marks[a.mark] = n
	}
	s.mu.Unlock()
	s.run.update(func(r *Result) {
		at := &r.Sides[s.side].Attempts[n]
		at.Began, at.Took, at.Status, at.Outcome, at.Says = began, took, a.status, a.outcome, a.says
		at.Met, at.Done = a.met(s.left), true
	})
}

func (s *stage) path(l lane) string { return strings.Replace(l.path, "{id}", s.record, 1) }

// together makes attempts that overlap: it holds a lock until all wait for it.
func (s *stage) together(ctx context.Context, lanes []int, lock string) error {
	tx, err := s.lock(ctx, lock)
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	var all sync.WaitGroup
	for _, n := range lanes {
		all.Go(func() { s.send(ctx, n) })
	}
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := s.waiters(bounded, s.transactions(lanes)); err != nil && bounded.Err() == nil {
		return err
	}
	if err := tx.Rollback(ctx); err != nil {
		return fmt.Errorf("release a lock: %w", err)
	}
	all.Wait()
	return nil
}

// oneByOne makes attempts that queue for a lock in this order, behind the given number of waiting transactions, and then releases
// it.
func (s *stage) oneByOne(ctx context.Context, lock pgx.Tx, waiting int, lanes ...int) error {
	var all sync.WaitGroup
	for behind, n := range lanes {
		all.Go(func() { s.send(ctx, n) })
		if err := s.waiters(ctx, waiting+behind+1); err != nil {
			return err
		}
	}
	if err := lock.Rollback(ctx); err != nil {
		return fmt.Errorf("release a lock: %w", err)
	}
	all.Wait()
	return nil
}

// transactions returns the number of attempts that can have a transaction at the same time.
func (s *stage) transactions(lanes []int) int {
	busy := map[int]map[string]bool{}
	for _, n := range lanes {
		l := s.lanes[n]
		if l.unsent {
			continue
		}
		if busy[l.replica] == nil {
			busy[l.replica] = map[string]bool{}
		}
		who := s.keys[n] // a process sends one transaction for all requests with one key
		if !slices.Contains(s.left, intent) {
			who = fmt.Sprint(n)
		}
		busy[l.replica][who] = true
	}
	sum := 0
	for _, b := range busy {
		sum += min(conns, len(b))
	}
	return sum
}

// Locks in the middle of a transaction.
const (
	lockNumbers = `SELECT pg_advisory_xact_lock(invoice_series_lock(id, 2026)) FROM tenants`
	lockInvoice = `SELECT FROM invoices FOR UPDATE`
)

// lock takes a lock that requests have to wait for.
func (s *stage) lock(ctx context.Context, sql string) (pgx.Tx, error) {
	tx, err := s.admin.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("take a lock: %w", err)
	}
	if _, err := tx.Exec(ctx, sql); err != nil {
		return nil, errors.Join(fmt.Errorf("take a lock: %w", err), tx.Rollback(ctx))
	}
	return tx, nil
}

// patience bounds the wait for a state that makes a run more instructive but is not needed for its result.
const patience = 3 * time.Second

// waiters returns when n transactions wait for a lock.
func (s *stage) waiters(ctx context.Context, n int) error {
	return s.count(ctx, n, `
		SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND usename = '`+server.Role+`' AND wait_event_type = 'Lock'`)
}

// count returns when a SELECT returns want.
func (s *stage) count(ctx context.Context, want int, sql string) error {
	err := until(ctx, func(ctx context.Context) (bool, error) {
		var found int
		err := s.admin.QueryRow(ctx, sql).Scan(&found)
		return found == want, err
	})
	if err != nil {
		return fmt.Errorf("wait until %s gives %d: %w", sql, want, err)
	}
	return nil
}

package app

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
)

func invoicePart() part {
	return part{fill: func(ctx context.Context, t demoTenant, store *idempotency.Store) (news bool, err error) {
		if news, err = booksOf(t).fill(ctx, store); err != nil {
			return news, err
		}
		repeated, err := booksOf(t).repeat(ctx, store)
		return news || repeated, err
	}}
}

// demoKey returns the key of a step of a demo invoice.
func demoKey(n, step int) (idempotency.Key, error) {
	return idempotency.ParseKey(fmt.Sprintf("demo-%03d-%d", n+1, step+1))
}

// fill creates the missing data, and reports whether there was any.
func (t demoBooks) fill(ctx context.Context, store *idempotency.Store) (news bool, err error) {
	missing, err := t.missing(ctx, store)
	if err != nil {
		return false, fmt.Errorf("look for invoices: %w", err)
	}
	for _, n := range missing {
		if err := t.live(ctx, store, n); err != nil {
			return true, fmt.Errorf("invoice %d: %w", n, err)
		}
	}
	return len(missing) > 0, nil
}

// content returns the place in the books of the content of invoice n: the twin has the content of the previous one.
func (t demoBooks) content(n int) int {
	if t.twin > 0 && n >= t.twin {
		return n - 1
	}
	return n
}

// missing lists the invoices with missing steps.
func (t demoBooks) missing(ctx context.Context, store *idempotency.Store) (numbers []int, err error) {
	for n := range t.invoices + min(t.twin, 1) {
		steps := t.life(t.content(n))
		last := len(steps) - 1
		key, err := demoKey(n, last)
		if err != nil {
			return nil, err
		}
		_, used, err := steps[last].used(ctx, store, t.id, key)
		if err != nil {
			return nil, err
		}
		if !used {
			numbers = append(numbers, n)
		}
	}
	return numbers, nil
}

// live takes an invoice through the rest of its life.
func (t demoBooks) live(ctx context.Context, store *idempotency.Store, n int) error {
	var made []uuid.UUID
	for i, s := range t.life(t.content(n)) {
		key, err := demoKey(n, i)
		if err != nil {
			return err
		}
		intent := idempotency.Intent{Tenant: t.id, Key: key, Actor: "demo"}
		if i > 0 {
			intent.Record = made[s.about]
		}
		id, err := s.do(ctx, store, intent)
		if err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		made = append(made, id)
	}
	return nil
}

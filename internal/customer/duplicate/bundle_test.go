package duplicate_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/customer/duplicate"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// bundle uses connections as if behind PgBouncer, where pgx must know the types of all parameters.
type bundle struct {
	*storetest.Bundle

	keys int
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{Bundle: storetest.Setup(t)}
	config := b.DB.Pool.Config()
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	var err error
	if b.Store.Pool, err = pgxpool.NewWithConfig(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Store.Pool.Close)
	return b
}

// intent returns an intent with a new key, about a record unless of is uuid.Nil.
func (b *bundle) intent(of uuid.UUID, seen int) idempotency.Intent {
	b.Helper()
	b.keys++
	return b.Of(fmt.Sprint("key ", b.keys), of, seen)
}

// customer creates a customer.
func (b *bundle) customer(email, name, taxID string) customer.Customer {
	b.Helper()
	in := customer.Input{Email: email, Name: name}
	in.TaxID = taxID
	d, err := in.Draft()
	must.OK(b, err)
	done, err := customer.Upsert.Do(b.Context(), b.Store, b.intent(uuid.Nil, 0), d)
	must.OK(b, err)
	return done.Value
}

// now returns the current state of a customer.
func (b *bundle) now(c customer.Customer) customer.Customer {
	b.Helper()
	found, err := record.Find(b.Context(), b.Store.Pool, customer.Table, b.Tenant, c.ID)
	must.OK(b, err)
	return found
}

// merge merges customers, in their current versions, into the first one.
func (b *bundle) merge(all ...customer.Customer) (duplicate.Merge, error) {
	b.Helper()
	in := duplicate.MergeInput{WinnerID: all[0].ID.String()}
	for _, c := range all {
		in.Customers = append(in.Customers, duplicate.SeenInput{ID: c.ID.String(), Version: int32(b.now(c).Version)})
	}
	d, err := in.Draft()
	if err != nil {
		return duplicate.Merge{}, err
	}
	done, err := duplicate.MergeCustomers.Do(b.Context(), b.Store, b.intent(uuid.Nil, 0), d)
	return done.Value, err
}

func (b *bundle) mustMerge(all ...customer.Customer) duplicate.Merge {
	b.Helper()
	merged, err := b.merge(all...)
	must.OK(b, err)
	return merged
}

func (b *bundle) undo(m duplicate.Merge) error {
	_, err := duplicate.UndoMerge.Do(context.Background(), b.Store, b.intent(m.ID, 0), struct{}{})
	return err
}

// mergedInto returns the id of the customer that c was merged into, or uuid.Nil.
func (b *bundle) mergedInto(c customer.Customer) uuid.UUID { return b.now(c).MergedInto.ID }

func (b *bundle) wantConflict(err error, kind *conflict.Kind) {
	b.Helper()
	assert.Thatf(b, storetest.IsConflict(err, kind), "want the conflict %s, got %v", kind.Slug, err)
}

// groups returns all groups, read in pages of a length, each as "why: names".
func (b *bundle) groups(length int) (all []string) {
	b.Helper()
	var from record.Key
	for {
		list, err := duplicate.List(b.Context(), b.Store.Pool, b.Tenant, record.Page{From: from, Limit: length})
		must.OK(b, err)
		for _, g := range list.Rows {
			text := fmt.Sprint(g.Why, " ", g.Count)
			for _, c := range g.Customers {
				text += " " + c.Email
			}
			all = append(all, text)
		}
		if (list.After == record.Key{}) {
			return all
		}
		from = list.After
	}
}

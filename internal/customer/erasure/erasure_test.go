package erasure_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/customer/erasure"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// archived returns an archived customer.
func archived(t *testing.T, b *storetest.Bundle) uuid.UUID {
	t.Helper()
	made, err := customer.Upsert.Do(t.Context(), b.Store, b.Intent("made"), customer.Draft{Email: "ada@example.com", Name: "Ada"})
	must.OK(t, err)
	archive := b.Intent("archived")
	archive.Record = made.Value.ID
	_, err = customer.Archive.Do(t.Context(), b.Store, archive, struct{}{})
	must.OK(t, err)
	return made.Value.ID
}

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := storetest.Setup(t)
	ada := archived(t, b)
	sql := b.Executed()
	made := storetest.Execute(sql, "", erasure.Erase, uuid.Nil, 0, erasure.Draft{Customer: ada})
	storetest.Record(sql, "erasure", erasure.Table, made.ID)
}

// TestErasedAtOnce: of erasures and restores that come at the same moment, one erasure is made and found by the others, or all are refused
// because the customer was restored first.
func TestErasedAtOnce(t *testing.T) {
	const crowd = 24
	b := storetest.Setup(t)
	ada := archived(t, b)
	done := make([]idempotency.Done[erasure.Erasure], crowd)
	errs := storetest.Together(crowd, func(i int) (err error) {
		intent := b.Intent(fmt.Sprint("key-", i))
		if i == 0 {
			intent.Record = ada
			_, err = customer.Restore.Do(context.Background(), b.Store, intent, struct{}{})
			return err
		}
		done[i], err = erasure.Erase.Do(context.Background(), b.Store, intent, erasure.Draft{Customer: ada})
		return err
	})
	counts := map[idempotency.Outcome]int{}
	refused := 0
	for i, err := range errs[1:] {
		switch {
		case storetest.IsConflict(err, &erasure.NotArchived):
			refused++
		case err != nil:
			t.Error(err)
		default:
			counts[done[i+1].Outcome]++
		}
	}
	c, err := record.Find(t.Context(), b.Store.Pool, customer.Table, b.Tenant, ada)
	must.OK(t, err)
	switch restored := errs[0] == nil; {
	case restored && (refused != crowd-1 || !c.ErasedAt.IsZero()):
		t.Errorf("restored, and %v; refused %d; %+v", counts, refused, c)
	case !restored && (!storetest.IsConflict(errs[0], &customer.Erased) || counts[idempotency.Created] != 1 ||
		counts[idempotency.Reused] != crowd-2 || c.ErasedAt.IsZero() || c.Name != "Erased customer"):
		t.Errorf("%v; %v; refused %d; %+v", errs[0], counts, refused, c)
	}
}

package invoice_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
)

// voidAs voids an invoice as a duplicate of the invoice of.
func (b *bundle) voidAs(store *idempotency.Store, key string, inv, of invoice.Invoice) (idempotency.Done[invoice.Invoice], error) {
	return invoice.Void.Do(context.Background(), store, b.Of(key, inv.ID, 0), invoice.VoidDraft{DuplicateOf: of.ID})
}

// TestVoidAsDuplicate checks that an invoice is voided once per key, with a reference to the other one, and that the history of both has
// an entry.
func TestVoidAsDuplicate(t *testing.T) {
	b := setup(t)
	kept, twice, third := b.mustCreate("kept", draft(t, input(""))), b.Issued("twice"), b.mustCreate("third", draft(t, input("")))
	done, err := b.voidAs(b.Store, "void", twice, kept)
	want := record.Reference{ID: kept.ID, Name: kept.Number}
	if err != nil || done.Value.Status != invoice.StatusVoid || done.Value.DuplicateOf != want || done.Value.Number != twice.Number {
		t.Fatalf("%+v, %v", done, err)
	}
	again, err := b.voidAs(b.Replica(), "void", twice, kept)
	assert.Thatf(t, err == nil && again.Replayed && again.Value.DuplicateOf == want, "%+v, %v", again, err)
	for _, of := range []invoice.Invoice{third, {}} {
		_, err := b.voidAs(b.Replica(), "void", twice, of)
		_, mismatch := errors.AsType[*idempotency.MismatchError](err)
		assert.Thatf(t, mismatch, "with the same key, of %q: %v", of.Number, err)
	}
	void, err := b.voidAs(b.Store, "other", twice, third)
	assert.Thatf(t, err == nil && void.Outcome == idempotency.Unchanged && void.Value.DuplicateOf == want, "%+v, %v", void, err)
	for inv, what := range map[uuid.UUID]string{kept.ID: twice.Number + " voided as its duplicate", twice.ID: "unchanged"} {
		history, err := idempotency.History(t.Context(), b.DB.Pool, b.Tenant, inv, record.Page{Limit: 1}, "")
		assert.Thatf(t, err == nil && history.Rows[0].Operation == "invoice.void" && history.Rows[0].What == what, "%+v, %v", history, err)
	}
}

// TestNoDuplicate checks that the database refuses a duplicate_of that is the invoice itself, void, or not of the same customer.
func TestNoDuplicate(t *testing.T) {
	b := setup(t)
	inv, void := b.mustCreate("draft", draft(t, input(""))), b.mustCreate("void", draft(t, input("")))
	graces := b.mustCreate("grace's", forGrace(t))
	must.OK(t, b.Void("void", void))
	nobody := invoice.Invoice{Header: record.Header{ID: uuid.New()}}
	refused := map[string][]string{"invoices_duplicates_are_void": {
		fmt.Sprintf(`UPDATE invoices SET duplicate_of = '%s' WHERE id = '%s'`, b.mustCreate("other", draft(t, input(""))).ID, inv.ID),
	}, "invoices_life": {fmt.Sprintf(`UPDATE invoices SET duplicate_of = '%s' WHERE id = '%s'`, inv.ID, void.ID)}}
	for _, of := range []invoice.Invoice{inv, void, graces, nobody} {
		_, err := b.voidAs(b.Store, "void as", inv, of)
		assert.Thatf(t, storetest.IsConflict(err, &invoice.NotDuplicate), "of %+v: %v", of, err)
		refused["invoices_duplicate_of"] = append(refused["invoices_duplicate_of"], fmt.Sprintf(
			`UPDATE invoices SET status = 'void', voided_at = now(), duplicate_of = '%s' WHERE id = '%s'`, of.ID, inv.ID))
	}
	b.Refuses(refused)
	found := b.Find(inv)
	assert.Thatf(t, found.Version == 1, "%+v", found)
}

// TestVoidEachAsDuplicateOfTheOther voids two invoices as duplicates of each other, concurrently on two replicas. One is kept, even if
// the first transaction is held with its work done.
func TestVoidEachAsDuplicateOfTheOther(t *testing.T) {
	b := setup(t)
	replicas := []*idempotency.Store{b.Store, b.Replica()}
	for round := range 6 {
		both := []invoice.Invoice{
			b.mustCreate(fmt.Sprint("one", round), draft(t, input(""))), b.mustCreate(fmt.Sprint("two", round), draft(t, input(""))),
		}
		release, held := func() {}, round%2
		if held == 1 {
			release = b.held("invoice.void", fmt.Sprint("void", round, 0))
		}
		errs := storetest.Together(2+held, func(i int) error {
			b.Waiting(i * held)
			if i == 2 {
				release()
				return nil
			}
			_, err := b.voidAs(replicas[i], fmt.Sprint("void", round, i), both[i], both[1-i])
			return err
		})
		assert.Equal(t, b.Succeeded(errs[:2], &invoice.NotDuplicate), 1, "voided")
	}
	assert.Equal(t, b.count(`SELECT count(*) FROM invoices WHERE status = 'void'`), 6, "void invoices")
}

// TestDuplicateOfAMergedCustomer checks that undoing a merge moves an invoice that was voided as a duplicate after it back to its own
// customer, still as a duplicate.
func TestDuplicateOfAMergedCustomer(t *testing.T) {
	b := setup(t)
	winner, loser := b.two()
	kept, twice := b.mustCreate("kept", draft(t, of(winnerEmail))), b.mustCreate("twice", draft(t, of(loserEmail)))
	merged, err := b.merge(b.Store, "merge", winner, loser)
	must.OK(t, err)
	b.OK(b.voidAs(b.Store, "void", twice, kept))
	b.OK(b.undo("undo", merged))
	found := b.Find(twice)
	assert.Thatf(t, found.DuplicateOf.ID == kept.ID && found.Customer.ID == loser.ID, "%+v", found)
}

package invoice_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/must"
)

// another changes all content of an input.
func another(in *invoice.Input) {
	in.Notes, in.Customer.Email, in.Customer.Name = "Changed", "grace@example.com", "Grace Hopper"
	in.Lines = []invoice.LineInput{
		{Description: "Printing", Quantity: "3", UnitPrice: "33.33", TaxRate: "7"},
		{Description: "Delivery", Quantity: "1", UnitPrice: "9.00", TaxRate: "0"},
	}
}

func (b *bundle) edit(store *idempotency.Store, key string, of invoice.Invoice, d invoice.Draft) (invoice.Invoice, error) {
	done, err := invoice.Edit.Do(context.Background(), store, b.Of(key, of.ID, of.Version), d)
	return done.Value, err
}

// sameContent reports an error unless got has the same content as want, and totals that match its lines.
func (b *bundle) sameContent(got, want invoice.Invoice) {
	b.Helper()
	content := func(i invoice.Invoice) []any {
		return []any{i.Number, i.Customer, i.Notes, fmt.Sprint(i.Lines), i.Subtotal, i.TaxTotal, i.Total}
	}
	totals, err := invoice.TotalsOf(got.Lines)
	assert.Thatf(b, err == nil && reflect.DeepEqual(content(got), content(want)) &&
		got.Subtotal == totals.Subtotal && got.TaxTotal == totals.Tax && got.Total == totals.Total,
		"%+v\nand not %+v\ntotals of the lines %+v, %v", got, want, totals, err)
}

// mails returns the number of mails about an invoice, and the number of jobs to send them.
func (b *bundle) mails(id uuid.UUID) [2]int {
	b.Helper()
	return [2]int{
		b.count(`SELECT count(*) FROM mails WHERE invoice_id = $1`, id),
		b.count(`SELECT count(*) FROM river.river_job j JOIN mails m ON m.id::text = j.args->>'mail' WHERE m.invoice_id = $1`, id),
	}
}

func isStale(err error) bool {
	_, stale := errors.AsType[*idempotency.StaleError](err)
	return stale
}

// TestEditOrIssue checks that a concurrently issued invoice has the content from before the edit or from after it, and never a mixture.
func TestEditOrIssue(t *testing.T) {
	b := setup(t)
	changed := edited(t, another)
	for round := range 20 {
		inv := b.mustCreate(fmt.Sprint("create", round), draft(t, input("")))
		var saved invoice.Invoice
		edit, issue := storetest.Both(func() (err error) {
			saved, err = b.edit(b.Store, fmt.Sprint("edit", round), inv, changed)
			return err
		}, func() error {
			_, err := invoice.Issue.Do(context.Background(), b.Store, b.Of(fmt.Sprint("issue", round), inv.ID, 0), invoice.IssueDraft{})
			return err
		})
		want, version := inv, 2
		if edit == nil {
			want, version = saved, 3
		}
		found := b.Find(inv)
		b.sameContent(found, want)
		assert.Thatf(t, issue == nil && (edit == nil || isStale(edit)) && found.Status == invoice.StatusIssued && found.Version == version,
			"edit: %v, issue: %v, %+v", edit, issue, found)
		to := storetest.Value[string](b, `SELECT recipient FROM mails WHERE invoice_id = $1`, inv.ID)
		assert.Thatf(t, to == want.Customer.Email, "sent to %s, and not %s", to, want.Customer.Email)
	}
}

// TestIssueOrVoid checks that a concurrently issued and voided invoice is void in the end. A mail is queued only if the invoice was
// issued before it was voided. Otherwise Issue is refused, because the invoice is no longer a draft.
func TestIssueOrVoid(t *testing.T) {
	b := setup(t)
	for round := range 20 {
		seen := round % 2
		inv := b.mustCreate(fmt.Sprint("create", round), draft(t, input("")))
		issue, void := storetest.Both(func() error {
			_, err := invoice.Issue.Do(context.Background(), b.Store, b.Of(fmt.Sprint("issue", round), inv.ID, seen), invoice.IssueDraft{})
			return err
		}, func() error {
			_, err := invoice.Void.Do(context.Background(), b.Store, b.Of(fmt.Sprint("void", round), inv.ID, seen), invoice.VoidDraft{})
			return err
		})
		found := b.Find(inv)
		var ok bool
		switch {
		case seen == 0 && issue == nil:
			ok = void == nil && found.Status == invoice.StatusVoid && !found.IssuedAt.IsZero() && found.Version == 3
		case seen == 1 && issue == nil:
			ok = isStale(void) && found.Status == invoice.StatusIssued && found.Version == 2
		default:
			refused := seen == 0 && storetest.IsConflict(issue, &invoice.NotDraft) || seen == 1 && isStale(issue)
			ok = refused && void == nil && found.Status == invoice.StatusVoid && found.IssuedAt.IsZero() && found.Version == 2
		}
		queued := [2]int{}
		if issue == nil {
			queued = [2]int{1, 1}
		}
		mails := b.mails(inv.ID)
		assert.Thatf(t, ok && mails == queued, "seen %d, issue: %v, void: %v, %d mails and jobs, %+v", seen, issue, void, mails, found)
	}
}

// race runs n attempts concurrently and returns their answers.
func race(n int, attempt func(i int) (idempotency.Done[invoice.Invoice], error)) ([]idempotency.Done[invoice.Invoice], []error) {
	done := make([]idempotency.Done[invoice.Invoice], n)
	errs := storetest.Together(n, func(i int) (err error) {
		done[i], err = attempt(i)
		return err
	})
	return done, errs
}

func TestOneNumberManyKeys(t *testing.T) {
	b := setup(t)
	d := draft(t, input("2026-0042"))
	done, errs := race(100, func(i int) (idempotency.Done[invoice.Invoice], error) { return b.create(fmt.Sprint("key-", i), d) })
	created, conflicts := 0, 0
	for i := range done {
		taken, refused := numberTaken(errs[i])
		switch {
		case errs[i] == nil && !done[i].Replayed:
			created++
		case refused && taken.Name == "2026-0042" && taken.Members["next_number"] == "2026-0001":
			conflicts++
		default:
			t.Errorf("attempt %d: %v", i, errs[i])
		}
	}
	assert.Thatf(t, created == 1 && conflicts == 99, "created %d, conflicts %d, want 1 and 99", created, conflicts)
}

func TestParallelAllocationIsConsecutive(t *testing.T) {
	b := setup(t)
	b.OK(b.create("ahead", draft(t, input("2026-0007"))))
	d := draft(t, input(""))
	done, errs := race(50, func(i int) (idempotency.Done[invoice.Invoice], error) { return b.create(fmt.Sprint("key-", i), d) })
	var numbers, want []string
	for i := range done {
		must.Thatf(t, errs[i] == nil, "%v", errs[i])
		numbers = append(numbers, done[i].Value.Number)
	}
	for n := 1; n <= 51; n++ {
		if n != 7 {
			want = append(want, fmt.Sprintf("2026-%04d", n))
		}
	}
	slices.Sort(numbers)
	assert.Thatf(t, slices.Equal(numbers, want), "got %v", numbers)
}

package credit_test

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
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/receipt"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
)

// TestReverse checks that a credit note of a paid invoice is taken back with its credit, once, and only while the credit is unused.
func TestReverse(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i", invoice.LineInput{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "0"})
	b.OK(b.Pay("p", inv, "70"))
	made, err := b.credit("k", inv, "1")
	must.OK(t, err)
	note := made.Value
	used, err := receipt.Repay.Do(t.Context(), b.Store, b.Intent("repay"), receipt.RepayDraft{
		ReceiptID: note.Receipt, Currency: inv.Currency, Amount: 1, Date: note.Date,
	})
	must.OK(t, err)
	_, err = b.reverse("used", note)
	assert.Thatf(t, storetest.IsConflict(err, &receipt.Used), "took back credit that is used: %v", err)
	b.OK(receipt.RemoveRepayment.Do(t.Context(), b.Store, b.Of("unrepay", used.Value.ID, 0), struct{}{}))

	done, err := b.reverse("r", note)
	must.OK(t, err)
	back := done.Value
	assert.Thatf(t, back.Number == number(2) && back.Total == -50_00 && back.BecameCredit == -20_00 && back.Reverses.ID == note.ID &&
		back.Lines[0].Net == -50_00 && back.Taxes[0].Net == -50_00 && back.Lines[0].Quantity.String() == "-1", "%+v", back)
	found := b.Find(inv)
	assert.Thatf(t, found.Paid == 70_00 && found.Open == 30_00 && found.Credited == 0 && b.credits() == 0, "%+v", found)
	stored, err := record.Find(t.Context(), b.Store.Pool, credit.Table, b.Tenant, note.ID)
	assert.Thatf(t, err == nil && stored.ReversedBy == record.Reference{ID: back.ID, Name: back.Number}, "%+v, %v", stored, err)
	again, err := b.reverse("r", note)
	assert.Thatf(t, err == nil && again.Replayed, "%+v, %v", again, err)
	for _, of := range []credit.Note{note, back} {
		_, err = b.reverse("again"+of.Number, of)
		assert.Thatf(t, storetest.IsConflict(err, &credit.Reversed), "reversed %s: %v", of.Number, err)
	}
	_, err = b.reverse("missing", credit.Note{})
	assert.Thatf(t, errors.Is(err, record.ErrNotFound), "reversed nothing: %v", err)
	b.OK(b.credit("all", inv))
	assert.Thatf(t, b.Find(inv).Status == invoice.StatusCredited, "%+v", b.Find(inv))
}

// TestReversalRaces reverses a credit note twice, uses its credit and credits the rest at once: it's reversed once, unless its credit was
// used first.
func TestReversalRaces(t *testing.T) {
	b := setup(t)
	for round := range 10 {
		name := fmt.Sprint(round)
		inv := b.Issued(name)
		b.OK(b.Pay("p"+name, inv, inv.Currency.Format(inv.Total)))
		made, err := b.credit("k"+name, inv, "1")
		must.OK(t, err)
		errs := storetest.Together(4, func(i int) error {
			var err error
			switch i {
			case 0, 1:
				_, err = b.reverse(fmt.Sprint("r", name, i), made.Value)
			case 2:
				_, err = receipt.Repay.Do(b.Context(), b.Store, b.Intent("repay"+name), receipt.RepayDraft{
					ReceiptID: made.Value.Receipt, Currency: inv.Currency, Amount: 1, Date: made.Value.Date,
				})
			default:
				_, err = b.credit("rest"+name, inv)
			}
			return err
		})
		found, used := b.Find(inv), errs[2] == nil
		reversed := errs[0] == nil || errs[1] == nil
		assert.Thatf(t, reversed != used && (errs[0] == nil) != (errs[1] == nil) == reversed && errs[3] == nil &&
			(used || storetest.IsConflict(errs[2], &receipt.ExceedsCredit)), "%v", errs)
		assert.Thatf(t, found.Open == 0 && found.Paid+found.Credited == inv.Total, "%+v", found)
	}
}

func (b *bundle) reverse(k string, of credit.Note) (idempotency.Done[credit.Note], error) {
	b.Helper()
	d := credit.ReverseDraft{Reverses: of.ID}
	if of.ID == uuid.Nil {
		d.Reverses = uuid.MustParse("01900000-0000-7000-8000-000000000001")
	}
	return credit.Reverse.Do(context.Background(), b.Store, b.Intent(k), d)
}

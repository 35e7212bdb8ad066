package series_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/series"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestSetWhileNumbersAreAllocated checks that a series continues with the number that was set concurrently, without a gap and without a
// duplicate. After an invoice has the number, it can't be set again.
func TestSetWhileNumbersAreAllocated(t *testing.T) {
	b := invoicetest.Setup(t)
	const n = 40
	numbers := make([]string, n)
	in := invoice.Input{
		Customer:  &customer.Input{Email: "ada@example.com", Name: "Ada Lovelace"},
		IssueDate: "2026-11-21", DueDate: "2026-12-21", Currency: "EUR",
		Lines: []invoice.LineInput{{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "23"}},
	}
	d, err := in.Draft()
	must.OK(t, err)
	set := func(key, number string) error {
		d, err := series.Input{Number: number}.Draft()
		must.OK(t, err)
		_, err = series.Set.Do(t.Context(), b.Store, b.Intent(key), d)
		return err
	}
	errs := storetest.Together(n+1, func(i int) error {
		if i == n {
			return set("set", "2026-0500")
		}
		made, err := invoice.Create.Do(t.Context(), b.Store, b.Intent(fmt.Sprint("key-", i)), d)
		numbers[i] = made.Value.Number
		return err
	})
	must.OK(t, errors.Join(errs...))
	made, err := invoice.Create.Do(t.Context(), b.Store, b.Intent("last"), d)
	must.OK(t, err)
	numbers = slices.Concat(numbers, []string{made.Value.Number})
	slices.Sort(numbers)
	before, _ := slices.BinarySearch(numbers, "2026-0500")
	for i, number := range numbers {
		want := fmt.Sprintf("2026-%04d", i+1)
		if i >= before {
			want = fmt.Sprintf("2026-%04d", 500+i-before)
		}
		must.Thatf(t, number == want, "%v: got %s, want %s", numbers, number, want)
	}
	if err := set("again", "2026-0500"); !errors.As(err, new(*invalid.Error)) {
		t.Errorf("a number that is taken: %v", err)
	}
	if err := set("below", "2026-0499"); err != nil { // free, and without a collision
		t.Error(err)
	}
	next, err := series.Of(t.Context(), b.Store.Pool, b.Tenant, 2026)
	assert.Thatf(t, err == nil && slices.Equal(next, []string{"2026-0499", "CN-2026-0001"}), "%v, %v", next, err)
}

// TestNotOfASeries checks that only a complete number of a series can be set.
func TestNotOfASeries(t *testing.T) {
	b := invoicetest.Setup(t)
	for _, number := range []string{"", "139", "2026-139", "2026-0000", "RE-2026-0139", "1999-0001", "2100-0001", "CN2026-0001",
		"2026-00139"} {
		d, err := (series.Input{Number: number}).Draft()
		if err == nil {
			_, err = series.Set.Do(t.Context(), b.Store, b.Intent(number), d)
		}
		assert.Thatf(t, errors.As(err, new(*invalid.Error)), "%q: %+v, %v", number, d, err)
	}
}

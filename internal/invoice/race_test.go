package invoice_test

import (
	"fmt"
	"slices"
	"testing"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoicetest"
)

// race runs n attempts from one gate and gives their answers.
func race(n int, attempt func(i int) (idempotency.Done[invoice.Invoice], error)) ([]idempotency.Done[invoice.Invoice], []error) {
	done := make([]idempotency.Done[invoice.Invoice], n)
	errs := invoicetest.Together(n, func(i int) (err error) {
		done[i], err = attempt(i)
		return err
	})
	return done, errs
}

func TestOneKeyFromEverywhere(t *testing.T) {
	b := setup(t)
	d := draft(t, input(""))
	done, errs := race(200, func(int) (idempotency.Done[invoice.Invoice], error) { return b.create("one", d) })
	created := 0
	for i := range done {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		if !done[i].Replayed {
			created++
		}
		if fmt.Sprint(done[i].Value) != fmt.Sprint(done[0].Value) {
			t.Errorf("answers differ:\n%v\n%v", done[i].Value, done[0].Value)
		}
	}
	if rows := b.count(`SELECT count(*) FROM invoices`); created != 1 || rows != 1 {
		t.Errorf("created %d, rows %d, want 1 and 1", created, rows)
	}
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
	if created != 1 || conflicts != 99 {
		t.Errorf("created %d, conflicts %d, want 1 and 99", created, conflicts)
	}
}

func TestParallelAllocationIsConsecutive(t *testing.T) {
	b := setup(t)
	if _, err := b.create("ahead", draft(t, input("2026-0007"))); err != nil {
		t.Fatal(err)
	}
	d := draft(t, input(""))
	done, errs := race(50, func(i int) (idempotency.Done[invoice.Invoice], error) { return b.create(fmt.Sprint("key-", i), d) })
	var numbers, want []string
	for i := range done {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		numbers = append(numbers, done[i].Value.Number)
	}
	for n := 1; n <= 51; n++ {
		if n != 7 {
			want = append(want, fmt.Sprintf("2026-%04d", n))
		}
	}
	slices.Sort(numbers)
	if !slices.Equal(numbers, want) {
		t.Errorf("got %v", numbers)
	}
}

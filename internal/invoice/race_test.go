package invoice_test

import (
	"fmt"
	"slices"
	"testing"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/must"
)

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
	must.Holdf(t, created == 1 && conflicts == 99, "created %d, conflicts %d, want 1 and 99", created, conflicts)
}

func TestParallelAllocationIsConsecutive(t *testing.T) {
	b := setup(t)
	b.OK(b.create("ahead", draft(t, input("2026-0007"))))
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
	must.Holdf(t, slices.Equal(numbers, want), "got %v", numbers)
}

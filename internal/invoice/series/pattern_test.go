package series_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/series"
	"onlyonce/internal/must"
)

// TestPatterns checks that the program and the database accept the same patterns.
func TestPatterns(t *testing.T) {
	b := invoicetest.Setup(t)
	for _, c := range []struct {
		pattern string
		valid   bool
	}{
		{"{YYYY}-{NNNN}", true}, {"RE-{YYYY}-{NNNN}", true}, {"{N}", true}, {"{YY}-{NNNN}", true}, {"{NNN}/{YYYY}", true},
		{"Inv. {NNNNNNNN}", true}, {"{YYYY}-{N}", true}, {"{YYYY}-7{N}", true}, {"{NNNN}-{YY}", true}, {"R_{YY}.{NN}a", true},
		{"{YYYY}{NNNN}", true}, {"abcdefghijklmnopqrstuvwxyz-{N}", true}, {"{NNNN}-2026a", true},
		{"", false}, {"RE", false}, {"RE-{YYYY}", false}, {"{N}{N}", false}, {"{YYYY}{YY}{N}", false}, {"{YY}{N}{YY}", false},
		{"{NNNNNNNNN}", false}, {"{nnnn}", false}, {"{YYY}-{N}", false}, {"RE#{N}", false}, {"Ré-{N}", false}, {"RE-{N}}", false},
		{"abcdefghijklmnopqrstuvwxyz--{N}", false}, {"CN-{YYYY}-{NNNN}", false}, {"cn-{N}", false},
		// Their numbers look like those of a year.
		{"2026-{NNNN}", false}, {"{NNNN}-{YYYY}", false}, {"20{YY}-{NNNN}", false}, {"{YY}{NN}-0001", false}, {"{N}-2026", false},
	} {
		_, err := series.PatternInput{Pattern: c.pattern}.Draft()
		assert.Thatf(t, errors.As(err, new(*invalid.Error)) != c.valid && (err == nil) == c.valid, "%q: %v", c.pattern, err)
		_, err = b.Admin.Exec(t.Context(), `SELECT $1::text::number_pattern`, c.pattern)
		assert.Thatf(t, (err == nil) == c.valid, "%q in the database: %v", c.pattern, err)
	}
	for _, spaces := range []string{" {N}", "{N} ", "a  {N}"} { // the program removes them
		_, err := b.Admin.Exec(t.Context(), `SELECT $1::text::number_pattern`, spaces)
		assert.Thatf(t, err != nil, "%q in the database", spaces)
	}
}

// TestNumbersByPattern sets patterns, creates drafts and edits them, one after the other.
func TestNumbersByPattern(t *testing.T) {
	b := invoicetest.Setup(t)
	made := map[string]invoice.Invoice{} // by number
	for i, step := range []struct {
		pattern      string // set before, if any
		edited       string // the number of the draft that is edited; "" creates an invoice
		typed, year  string
		want, refuse string // the number, or the beginning of the message
	}{
		{year: "2026", want: "2026-0001"},
		{year: "2026", typed: "RE-2026-002", want: "RE-2026-002"},
		{year: "2026", typed: "RE 05", want: "RE 05"},
		{year: "2026", typed: "27/09", want: "27/09"},
		// Yearly: behind the number that was typed before, and from 1 in the next year.
		{pattern: "RE-{YYYY}-{NNN}", year: "2026", want: "RE-2026-003"},
		{year: "2027", want: "RE-2027-001"},
		{year: "2026", typed: "re-2026-003", refuse: "taken"},
		{year: "2026", typed: "re-2027-009", refuse: "This is a number of another year"},
		{year: "2026", typed: "2026-0007", want: "2026-0007"},
		{edited: "2026-0001", year: "2026", want: "2026-0001"},
		{edited: "RE-2026-003", year: "2027", want: "RE-2027-002"},
		{year: "2026", want: "RE-2026-003"}, // was given up
		// Continuous: one series of all years, in which a number is taken once.
		{pattern: "RE {NN}", year: "2026", want: "RE 06"},
		{year: "2027", want: "RE 07"},
		{edited: "RE 06", year: "2028", want: "RE 06"},
		{year: "2029", typed: "re 07", refuse: "taken"},
		{year: "2029", want: "RE 08"},
		{edited: "RE 08", year: "2029", typed: "RE 06", refuse: "taken"},
		{edited: "RE 08", year: "2028", want: "RE 08"},
		{edited: "RE 08", year: "2026", typed: "B", want: "B"},
		{year: "2027", want: "RE 08"},
		// The place before the year. What looks like another year's was there before, and stays.
		{pattern: "{NN}/{YY}", year: "2026", want: "01/26"},
		{year: "2027", want: "01/27"},
		{edited: "27/09", year: "2026", want: "27/09"},
		// Back, and then to the first one.
		{pattern: "{YYYY}-{NNNN}", year: "2026", want: "2026-0008"},
		{edited: "RE-2027-001", year: "2027", typed: "C", want: "C"},
		{edited: "RE-2027-002", year: "2027", typed: "RE-2027-004", want: "RE-2027-004"},
		{pattern: "RE-{YYYY}-{NNN}", year: "2027", want: "RE-2027-005"},
		{year: "2026", want: "RE-2026-004"},
	} {
		key := fmt.Sprint(i)
		if step.pattern != "" {
			must.OK(t, set(t, b, "set "+key, step.pattern))
		}
		next, err := invoice.NextNumber(t.Context(), b.Store.Pool, b.Tenant, int(step.year[3]-'0')+2020)
		must.OK(t, err)
		must.Thatf(t, step.edited+step.typed != "" || next == step.want, "step %d: %s is next, want %s", i, next, step.want)
		d := draftOf(t, step.typed, step.year+"-11-21")
		var done idempotency.Done[invoice.Invoice]
		if draft, edit := made[step.edited]; edit {
			done, err = invoice.Edit.Do(t.Context(), b.Store, b.Of(key, draft.ID, draft.Version), d)
		} else {
			done, err = invoice.Create.Do(t.Context(), b.Store, b.Intent(key), d)
		}
		number := done.Value.Number
		switch refused, _ := errors.AsType[*invalid.Error](err); {
		case step.refuse == "taken":
			must.Thatf(t, storetest.IsConflict(err, &invoice.NumberTaken), "step %d: %v", i, err)
		case step.refuse != "":
			must.Thatf(t, refused != nil && strings.HasPrefix(refused.Fields[0].Message, step.refuse), "step %d: %s, %v", i, number, err)
		default:
			must.Thatf(t, err == nil && number == step.want, "step %d: %s, %v, want %s", i, number, err, step.want)
			made[number] = done.Value
		}
	}
}

// TestOneNumberOfSeveralYears checks that a number of a continuous series is typed for several years at once, and taken once.
func TestOneNumberOfSeveralYears(t *testing.T) {
	b := invoicetest.Setup(t)
	must.OK(t, set(t, b, "set", "RE {NN}"))
	made := 0
	for _, err := range storetest.Together(20, func(i int) error {
		_, err := invoice.Create.Do(t.Context(), b.Store, b.Intent(fmt.Sprint(i)), draftOf(t, "RE 07", fmt.Sprint(2026+i%4, "-11-21")))
		return err
	}) {
		if err == nil {
			made++
		} else {
			must.Thatf(t, storetest.IsConflict(err, &invoice.NumberTaken), "%v", err)
		}
	}
	assert.Equal(t, made, 1, "invoices")
}

// TestPatternIsSetWhileNumbersAreAllocated checks that both series have their numbers without a gap and without a duplicate.
func TestPatternIsSetWhileNumbersAreAllocated(t *testing.T) {
	b := invoicetest.Setup(t)
	const n = 50
	numbers := make([]string, n)
	d := draftOf(t, "", "2026-11-21")
	must.OK(t, errors.Join(storetest.Together(n+1, func(i int) error {
		if i == n {
			return set(t, b, "set", "RE-{NNN}")
		}
		done, err := invoice.Create.Do(t.Context(), b.Store, b.Intent(fmt.Sprint(i)), d)
		numbers[i] = done.Value.Number
		return err
	})...))
	done, err := invoice.Create.Do(t.Context(), b.Store, b.Intent("last"), d)
	must.OK(t, err)
	numbers = slices.Concat(numbers, []string{done.Value.Number})
	slices.Sort(numbers)
	before, _ := slices.BinarySearch(numbers, "RE")
	for i, number := range numbers {
		want := fmt.Sprintf("2026-%04d", i+1)
		if i >= before {
			want = fmt.Sprintf("RE-%03d", i-before+1)
		}
		must.Thatf(t, number == want, "%v: got %s, want %s", numbers, number, want)
	}
}

// TestPatternWaitsForTypedNumbers checks that a pattern that is set knows a number that was typed in a transaction still running.
func TestPatternWaitsForTypedNumbers(t *testing.T) {
	b := invoicetest.Setup(t)
	_, err := invoice.Create.Do(t.Context(), b.Store, b.Intent("first"), draftOf(t, "A", "2026-11-21")) // of no series
	must.OK(t, err)
	tx, err := b.Admin.Begin(t.Context())
	must.OK(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	_, err = tx.Exec(t.Context(), `UPDATE invoices SET number = 'RE-002'`)
	must.OK(t, err)
	done := make(chan error, 1)
	go func() { done <- set(t, b, "set", "RE-{NNN}") }()
	b.Waiting(1)
	must.OK(t, tx.Commit(t.Context()))
	must.OK(t, <-done)
	next, err := invoice.NextNumber(t.Context(), b.Store.Pool, b.Tenant, 2026)
	assert.Thatf(t, err == nil && next == "RE-003", "%s is next, %v", next, err)
}

func set(t *testing.T, b *invoicetest.Bundle, key, pattern string) error {
	t.Helper()
	d, err := series.PatternInput{Pattern: pattern}.Draft()
	must.OK(t, err)
	_, err = series.SetPattern.Do(t.Context(), b.Store, b.Intent(key), d)
	return err
}

func draftOf(t *testing.T, number, issued string) invoice.Draft {
	t.Helper()
	d, err := invoice.Input{
		Number: number, Customer: &customer.Input{Email: "ada@example.com", Name: "Ada Lovelace"},
		IssueDate: issued, DueDate: "2029-12-31", Currency: "EUR",
		Lines: []invoice.LineInput{{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "23"}},
	}.Draft()
	must.OK(t, err)
	return d
}

package statement_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/customer/duplicate"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/receipt"
	"onlyonce/internal/invoice/refund"
	"onlyonce/internal/invoice/statement"
	"onlyonce/internal/invoice/writeoff"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
	"onlyonce/migrations"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// story has two customers, which are merged and separated again, and their records.
type story struct {
	*invoicetest.Bundle

	random     *rand.Rand
	key        string // of the step
	customers  [2]customer.Customer
	invoices   []invoice.Invoice
	payments   []payment.Payment
	refunds    []refund.Refund
	writeOffs  []writeoff.WriteOff
	receipts   []receipt.Receipt
	repayments []receipt.Repayment
	merge      duplicate.Merge
}

func setup(t *testing.T) *story {
	t.Helper()
	s := &story{Bundle: invoicetest.Setup(t), random: rand.New(rand.NewPCG(1, 2))}
	for i, in := range []customer.Input{
		{Email: "ada@example.com", Name: "Ada Lovelace"}, {Email: "grace@example.com", Name: "Grace Hopper"},
	} {
		d, err := in.Draft()
		must.OK(s, err)
		made, err := customer.Upsert.Do(s.Context(), s.Store, s.Intent(in.Name), d)
		must.OK(s, err)
		s.customers[i] = made.Value
	}
	return s
}

// day returns one of few days, at the ends of months and between them.
func (s *story) day() string {
	days := []string{"2026-09-30", "2026-10-01", "2026-10-14", "2026-10-15", "2026-10-31", "2026-11-01", "2027-01-31"}
	return days[s.random.IntN(len(days))]
}

func (s *story) amount() string { return fmt.Sprintf("%d.5", s.random.IntN(30)) }

// one returns one of the records, or the zero value.
func one[R any](s *story, all []R) (r R) {
	if len(all) > 0 {
		r = all[s.random.IntN(len(all))]
	}
	return r
}

// keep adds a record that an operation made.
func keep[R any](all *[]R, made R, err error) error {
	if err == nil {
		*all = append(*all, made)
	}
	return err
}

// step runs a random operation. It may be refused because of what was done before.
func (s *story) step() error {
	ctx := context.Background()
	inv, of, pay := one(s, s.invoices), one(s, s.receipts), one(s, s.payments)
	id := func(id uuid.UUID) string { return s.customers[0].ID.String() + id.String() }
	switch s.random.IntN(17) {
	case 0, 1:
		who := s.customers[s.random.IntN(2)]
		d, err := invoice.Input{
			Customer:  &customer.Input{Email: who.Email, Name: who.Name},
			IssueDate: []string{"2026-09-29", "2026-10-15", "2026-11-01"}[s.random.IntN(3)], DueDate: "2027-01-31",
			Currency: []string{"EUR", "EUR", "JPY"}[s.random.IntN(3)],
			Lines:    []invoice.LineInput{{Description: "Design", Quantity: "2", UnitPrice: "50", TaxRate: "0"}},
		}.Draft()
		must.OK(s, err)
		made, err := invoice.Create.Do(ctx, s.Store, s.Intent(s.key), d)
		if err != nil || s.random.IntN(4) == 0 {
			return keep(&s.invoices, made.Value, err) // a draft
		}
		done, err := invoice.Issue.Do(ctx, s.Store, s.Of(s.key, made.Value.ID, 0), invoice.IssueDraft{NoEmail: true})
		return keep(&s.invoices, done.Value, err)
	case 2:
		return s.Void(s.key, inv)
	case 3:
		d, err := credit.Input{Lines: []credit.LineInput{{Position: 1, Quantity: "0.4"}}}.Draft(inv)
		if err != nil {
			return err
		}
		made, err := credit.Create.Do(ctx, s.Store, s.Intent(s.key), d)
		if err == nil && s.random.IntN(3) == 0 {
			_, err = credit.Reverse.Do(ctx, s.Store, s.Intent(s.key), credit.ReverseDraft{Reverses: made.Value.ID})
		}
		return err
	case 4, 5:
		d, err := payment.Input{Amount: s.amount(), Date: s.day(), Method: "cash"}.Draft(inv.ID, inv.Currency)
		if err != nil {
			return err
		}
		done, err := payment.Create.Do(ctx, s.Store, s.Intent(s.key), d)
		return keep(&s.payments, done.Value, err)
	case 6:
		_, err := s.Remove(s.key, pay)
		return err
	case 7:
		d, err := refund.Input{Amount: "0.5", Date: s.day()}.Draft(pay)
		if err != nil {
			return err
		}
		done, err := refund.Create.Do(ctx, s.Store, s.Intent(s.key), d)
		return keep(&s.refunds, done.Value, err)
	case 8:
		_, err := refund.Remove.Do(ctx, s.Store, s.Of(s.key, one(s, s.refunds).ID, 0), struct{}{})
		return err
	case 9:
		off, err := s.WriteOff(s.key, inv, "1")
		return keep(&s.writeOffs, off, err)
	case 10:
		_, err := s.TakeBack(s.key, one(s, s.writeOffs))
		return err
	case 11:
		if inv.Currency.String() != "EUR" {
			return nil
		}
		done, err := s.Receive(s.key, "60", []string{"", id(inv.ID)}[s.random.IntN(2)], inv, invoicetest.Part(inv, s.amount()))
		return keep(&s.receipts, done.Value, err)
	case 12:
		p, err := s.Apply(s.key, of, inv, "1.5")
		return keep(&s.payments, p, err)
	case 13:
		b, err := s.Repay(s.key, of, "1")
		return keep(&s.repayments, b, err)
	case 14:
		_, err := receipt.RemoveRepayment.Do(ctx, s.Store, s.Of(s.key, one(s, s.repayments).ID, 0), struct{}{})
		return err
	case 15:
		_, err := receipt.Remove.Do(ctx, s.Store, s.Of(s.key, of.ID, 0), struct{}{})
		return err
	default:
		return s.mergeOrSeparate()
	}
}

func (s *story) mergeOrSeparate() (err error) {
	if s.merge.ID != uuid.Nil {
		_, err = duplicate.UndoMerge.Do(context.Background(), s.Store, s.Of(s.key, s.merge.ID, 0), struct{}{})
		s.merge = duplicate.Merge{}
		return err
	}
	in := duplicate.MergeInput{WinnerID: s.customers[0].ID.String()}
	for _, c := range s.customers {
		found, err := record.Find(s.Context(), s.Store.Pool, customer.Table, s.Tenant, c.ID)
		must.OK(s, err)
		in.Customers = append(in.Customers, duplicate.SeenInput{ID: c.ID.String(), Version: int32(found.Version)})
	}
	d, err := in.Draft()
	must.OK(s, err)
	done, err := duplicate.MergeCustomers.Do(context.Background(), s.Store, s.Intent(s.key), d)
	s.merge = done.Value
	return err
}

func parsed(t *testing.T, text string) date.Date {
	t.Helper()
	day, err := date.Parse(text)
	must.OK(t, err)
	return day
}

// read returns a statement with all of its entries, which it reads in pages, forwards and backwards.
func (s *story) read(of statement.Account) (found statement.Statement) {
	s.Helper()
	var balances [2][]string
	for back := range 2 {
		page := record.Page{Limit: 3}
		if back == 1 {
			page.Back, page.From = true, record.Key{of.Last.AddDays(1).String(), uuid.Nil.String()}
		}
		var all []statement.Entry
		for first := true; first || page.From != (record.Key{}); first = false {
			var err error
			found, err = statement.Of(s.Context(), s.Store.Pool, s.Tenant, of, page)
			must.OK(s, err)
			if page.From = found.Entries.After; page.Back {
				page.From = found.Entries.Before
				all = append(found.Entries.Rows, all...)
				continue
			}
			all = append(all, found.Entries.Rows...)
		}
		found.Entries.Rows = all
		for _, e := range all {
			balances[back] = append(balances[back], fmt.Sprint(e.ID, e.Kind, e.Balance))
		}
	}
	assert.Thatf(s, reflect.DeepEqual(balances[0], balances[1]), "forwards %v, backwards %v", balances[0], balances[1])
	return found
}

// adds checks that the entries lead from the opening balance to the closing one.
func adds(t *testing.T, found statement.Statement) {
	t.Helper()
	balance := found.Opening
	for _, e := range found.Entries.Rows {
		balance = balance.Add(decimal.NewFromInt(e.Amount))
		assert.Thatf(t, e.Balance.Equal(balance), "%s %d: %v, want %v", e.Kind, e.Amount, e.Balance, balance)
	}
	assert.Thatf(t, found.Closing.Equal(balance), "closing %v, want %v", found.Closing, balance)
}

// TestBalance checks after random operations of all kinds that the balance of a customer is the open amount less the credit, that the
// entries of a period lead from its opening to its closing balance, and that periods join. The entries are those of the books, which the
// migration enters for earlier records.
func TestBalance(t *testing.T) {
	s := setup(t)
	for n := range 700 {
		s.key = fmt.Sprint("step", n)
		err := s.step()
		_, refused := errors.AsType[*conflict.Error](err)
		_, typed := errors.AsType[*invalid.Error](err)
		must.Thatf(t, err == nil || refused || typed || errors.Is(err, record.ErrNotFound), "%s: %v", s.key, err)
	}
	assert.Equal(t, storetest.Value[int](s, `SELECT count(DISTINCT kind) FROM account_entries`), 13, "kinds of entries")
	periods := []string{"2026-08-01", "2026-10-01", "2026-10-15", "2026-11-01", "2026-12-01", "2027-12-31"}
	for _, c := range s.customers {
		for _, code := range []string{"EUR", "JPY"} {
			currency, _ := money.ParseCurrency(code)
			of := statement.Account{Customer: c.ID, Currency: currency}
			var before statement.Statement
			for i, first := range periods[:len(periods)-1] {
				of.First, of.Last = parsed(t, first), parsed(t, periods[i+1]).AddDays(-1)
				found := s.read(of)
				adds(t, found)
				assert.Thatf(t, found.Opening.Equal(before.Closing), "%s %s from %s: %v, want %v",
					c.Name, code, first, found.Opening, before.Closing)
				before = found
			}
			want := decimal.Decimal{}
			sums, err := invoice.Standing(t.Context(), s.Store.Pool, s.Tenant, c.ID, date.Today())
			must.OK(t, err)
			for _, sum := range sums {
				switch {
				case sum.Currency != currency:
				case sum.Kind == "open":
					want = want.Add(sum.Amount)
				case sum.Kind == "credit":
					want = want.Sub(sum.Amount)
				}
			}
			assert.Thatf(t, before.Closing.Equal(want), "%s %s: balance %v, open less credit %v", c.Name, code, before.Closing, want)
		}
	}
	const entries = `SELECT json_agg(e ORDER BY source_id, kind)::text FROM account_entries e`
	const wrong = `
		SELECT count(*) FROM (
			SELECT tenant_id, of_id, kind, day, currency, sum(amount) AS amount, sum(invoices) AS invoices FROM standing
			GROUP BY 1, 2, 3, 4, 5) AS kept
		FULL JOIN standing_by_the_books() AS books USING (tenant_id, of_id, kind, day, currency)
		WHERE (COALESCE(kept.amount, 0), COALESCE(kept.invoices, 0)) <> (COALESCE(books.amount, 0), COALESCE(books.invoices, 0))`
	want := storetest.Value[string](s, entries)
	assert.Equal(t, storetest.Value[int](s, wrong), 0, "sums that differ")
	text, err := migrations.FS.ReadFile("00223_invoice_accounts.sql")
	must.OK(t, err)
	_, entering, _ := strings.Cut(string(text), "DO $$")
	entering, _, _ = strings.Cut(entering, "END $$;")
	s.Exec(`SET session_replication_role = replica; DELETE FROM account_entries; DELETE FROM standing WHERE kind = 'account_month';
		DO $$` + entering + `END $$; RESET session_replication_role`)
	assert.Equal(t, storetest.Value[string](s, entries), want, "entries of earlier records")
	assert.Equal(t, storetest.Value[int](s, wrong), 0, "sums of earlier records that differ")
}

// TestDatabaseKeepsTheEntries checks that even the superuser can't change entries, except for the customer.
func TestDatabaseKeepsTheEntries(t *testing.T) {
	s := setup(t)
	s.Issued("i")
	s.Refuses(map[string][]string{"account_entries_append_only": {
		`UPDATE account_entries SET amount = 1`, `UPDATE account_entries SET day = day + 1`, `DELETE FROM account_entries`,
		`TRUNCATE account_entries`,
	}})
}

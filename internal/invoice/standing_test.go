package invoice_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/shopspring/decimal"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/receipt"
	"onlyonce/internal/invoice/refund"
	"onlyonce/internal/invoice/writeoff"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
)

// standingCase has invoices that concurrent steps change.
type standingCase struct {
	*bundle

	replicas []*idempotency.Store
	invoices []invoice.Invoice
}

// step runs a random operation on a random invoice. It ignores refusals because of the invoice's state.
func (c *standingCase) step(key string, random *rand.Rand) error {
	ctx, store, inv := context.Background(), c.replicas[random.IntN(2)], c.invoices[random.IntN(len(c.invoices))]
	var err error
	switch random.IntN(18) {
	case 0, 1, 2:
		_, err = invoice.Issue.Do(ctx, store, c.Of(key, inv.ID, 0), invoice.IssueDraft{})
	case 3, 4, 5:
		day := fmt.Sprintf("2026-%02d-28", 10+random.IntN(2))
		var d payment.Draft
		if d, err = (payment.Input{Amount: "31.00", Date: day, Method: "cash"}).Draft(inv.ID, inv.Currency); err == nil {
			_, err = payment.Create.Do(ctx, store, c.Intent(key), d)
		}
	case 6, 7, 8, 9:
		var paid record.List[payment.Payment]
		if paid, err = payment.ListOf(ctx, store.Pool, c.Tenant, inv.ID, record.Page{Limit: 1}); err != nil || len(paid.Rows) == 0 {
			return err
		}
		if random.IntN(2) == 0 {
			_, err = payment.Remove.Do(ctx, store, c.Of(key, paid.Rows[0].ID, 0), struct{}{})
			break
		}
		var d refund.Draft
		if d, err = (refund.Input{Amount: "15.50", Date: "2026-12-24"}).Draft(paid.Rows[0]); err == nil {
			_, err = refund.Create.Do(ctx, store, c.Intent(key), d)
		}
	case 10:
		var d credit.Draft
		quantity := credit.LineInput{Position: 1, Quantity: "0.25"}
		if d, err = (credit.Input{Lines: []credit.LineInput{quantity}}).Draft(inv); err == nil {
			_, err = credit.Create.Do(ctx, store, c.Intent(key), d)
		}
	case 11:
		var d writeoff.Draft
		if d, err = (writeoff.Input{Amount: "7.00", Date: "2026-11-28", Reason: "bad_debt"}).Draft(inv); err == nil {
			_, err = writeoff.Create.Do(ctx, store, c.Intent(key), d)
		}
	case 12:
		var off record.List[writeoff.WriteOff]
		if off, err = writeoff.ListOf(ctx, store.Pool, c.Tenant, inv.ID, record.Page{Limit: 1}); err == nil && len(off.Rows) > 0 {
			_, err = writeoff.Reverse.Do(ctx, store, c.Of(key, off.Rows[0].ID, 0), struct{}{})
		}
	case 13, 14:
		_, err = c.Receive(key, "40.00", "", inv, invoicetest.Part(inv, "31.00"))
	case 15, 16:
		err = c.useReceipt(key, random)
	default:
		_, err = invoice.Void.Do(ctx, store, c.Of(key, inv.ID, 0), invoice.VoidDraft{})
	}
	if _, refused := errors.AsType[*conflict.Error](err); refused {
		return nil
	}
	if _, moved := errors.AsType[*invalid.Error](err); moved { // the invoice has another customer
		return nil
	}
	return err
}

// useReceipt repays, applies or removes the newest receipt of a random customer.
func (c *standingCase) useReceipt(key string, random *rand.Rand) error {
	inv := c.invoices[random.IntN(len(c.invoices))]
	found, err := record.Find(c.Context(), c.Store.Pool, invoice.Table, c.Tenant, inv.ID)
	must.OK(c, err)
	all, err := receipt.List(c.Context(), c.Store.Pool, c.Tenant, invoice.BelowFilter{Customer: found.Customer.ID}, record.Page{Limit: 1})
	if err != nil || len(all.Rows) == 0 {
		return err
	}
	switch random.IntN(3) {
	case 0:
		_, err = c.Repay(key, all.Rows[0], "5.00")
	case 1:
		_, err = c.Apply(key, all.Rows[0], found, "7.00")
	default:
		_, err = receipt.Remove.Do(context.Background(), c.Store, c.Of(key, all.Rows[0].ID, 0), struct{}{})
	}
	return err
}

// sums reports an error unless the standing of a customer, or of all with the tenant's id, matches the invoices and payments, on days at
// both ends of a month.
func (c *standingCase) sums(of uuid.UUID) {
	c.Helper()
	for _, text := range []string{"2026-09-30", "2026-10-01", "2026-10-31", "2026-11-01", "2026-11-15", "2026-12-01", "2028-02-29"} {
		day, err := date.Parse(text)
		must.OK(c, err)
		shown, err := invoice.Standing(c.Context(), c.Store.Pool, c.Tenant, of, day)
		must.OK(c, err)
		rows, _ := c.Admin.Query(c.Context(), `
			SELECT kind, currency, sum(amount), count(DISTINCT id) FROM (
				SELECT kind, currency, open_amount::bigint AS amount, id
				FROM invoices, unnest(CASE WHEN due_date < $2::date THEN '{open,overdue}' ELSE '{open}'::text[] END) AS kind
				WHERE state IN ('issued', 'partially_paid') AND $1 IN (customer_id, tenant_id)
				UNION ALL
				SELECT 'paid', currency, CASE WHEN receipt_id IS NULL THEN p.amount ELSE 0 END, i.id
				FROM payments p JOIN invoices i ON i.id = invoice_id
				WHERE removed_at IS NULL AND date_trunc('month', paid_on) = date_trunc('month', $2::date) AND $1 = p.tenant_id
				UNION ALL
				SELECT 'paid', currency, -r.amount, NULL FROM refunds r JOIN invoices i ON i.id = invoice_id
				WHERE r.removed_at IS NULL AND date_trunc('month', refunded_on) = date_trunc('month', $2::date) AND $1 = r.tenant_id
				UNION ALL
				SELECT 'paid', currency, amount, NULL FROM receipts
				WHERE removed_at IS NULL AND credit_note_id IS NULL AND date_trunc('month', received_on) = date_trunc('month', $2::date)
					AND $1 = tenant_id
				UNION ALL
				SELECT 'paid', currency, -b.amount, NULL FROM repayments b JOIN receipts r ON r.id = receipt_id
				WHERE b.removed_at IS NULL AND date_trunc('month', repaid_on) = date_trunc('month', $2::date) AND $1 = b.tenant_id
				UNION ALL
				SELECT 'credit', currency, left_amount, id FROM receipts WHERE $1 = customer_id AND left_amount > 0) AS each
			GROUP BY 1, 2 ORDER BY 1, 2`, of, day.Time())
		want, err := pgx.CollectRows(rows, pgx.RowToStructByPos[invoice.Sum])
		must.OK(c, err)
		assert.Thatf(c, len(shown)+len(want) == 0 || reflect.DeepEqual(shown, want), "of %s on %s: %v, want %v", of, text, shown, want)
	}
}

// TestSumsFollow checks that the sums are exact after concurrent operations on invoices whose customers are merged and separated, without
// a deadlock.
func TestSumsFollow(t *testing.T) {
	c := standingCase{bundle: setup(t)}
	c.replicas = []*idempotency.Store{c.Store, c.Replica()}
	winner, loser := c.two()
	other := c.upsert("other", "grace@example.com", "Grace Hopper")
	dues := []string{"2026-10-01", "2026-10-31", "2026-11-01", "2026-11-15", "2026-11-30", "2027-01-01", "2026-10-31", "2026-11-15"}
	for i, due := range dues {
		in := of([]string{winnerEmail, loserEmail, other.Email}[i%3])
		in.IssueDate, in.DueDate, in.Currency = "2026-09-01", due, []string{"EUR", "EUR", "PLN"}[i%3]
		c.invoices = append(c.invoices, c.mustCreate(fmt.Sprint("create", i), draft(t, in)))
	}
	for round := range 6 {
		errs := storetest.Together(17, func(i int) error {
			if i == 16 {
				return c.mergeAndSeparate(round, winner, loser)
			}
			random := rand.New(rand.NewPCG(uint64(round), uint64(i)))
			for n := range 6 {
				if err := c.step(fmt.Sprint(round, "-", i, "-", n), random); err != nil {
					return err
				}
			}
			return nil
		})
		must.OK(t, errors.Join(errs...))
		for _, of := range []uuid.UUID{c.Tenant, winner.ID, loser.ID, other.ID} {
			c.sums(of)
		}
	}
	up, down, _ := strings.Cut(must.Read(t, "../../migrations/00238_invoice_voids_by_month.sql"), "-- +goose Down")
	earlierUp, earlierDown, _ := strings.Cut(must.Read(t, "../../migrations/00225_invoice_money_received.sql"), "-- +goose Down")
	c.DB.Spoil(t)
	for step, sql := range []string{"", down, earlierDown, earlierUp, up} { // each version has its books
		_, err := c.Store.Pool.Exec(t.Context(), sql)
		must.OK(t, err)
		wrong := storetest.Value[int](c, `
			SELECT count(*) FROM (
				SELECT tenant_id, of_id, kind::text, day, currency::text, sum(amount)::bigint AS amount, sum(invoices)::bigint AS invoices
				FROM standing GROUP BY 1, 2, 3, 4, 5) AS kept
			FULL JOIN standing_by_the_books() AS books USING (tenant_id, of_id, kind, day, currency)
			WHERE (COALESCE(kept.amount, 0), COALESCE(kept.invoices, 0)) <> (COALESCE(books.amount, 0), COALESCE(books.invoices, 0))`)
		assert.Thatf(t, wrong == 0, "step %d: %d sums are not what the books come to", step, wrong)
	}
	wrong := storetest.Value[int](c, `
		SELECT count(*) FROM (
			(SELECT tenant_id, source_id, kind, of_id, customer_id, currency, day, amount FROM account_entries
				EXCEPT SELECT * FROM account_by_the_books())
			UNION ALL
			(SELECT * FROM account_by_the_books()
				EXCEPT SELECT tenant_id, source_id, kind, of_id, customer_id, currency, day, amount FROM account_entries)) AS differing`)
	assert.Thatf(t, wrong == 0, "%d entries of accounts are not those of the books", wrong)
	parts := storetest.Value[int](c, `SELECT count(*) FROM standing WHERE amount = 0 AND invoices = 0`)
	assert.Thatf(t, parts == 0, "%d parts of nothing are left", parts)
}

// mergeAndSeparate merges a customer into another one, and in every second round undoes the merge.
func (c *standingCase) mergeAndSeparate(round int, winner, loser customer.Customer) error {
	now := func(of customer.Customer) customer.Customer {
		found, err := record.Find(c.Context(), c.Store.Pool, customer.Table, c.Tenant, of.ID)
		assert.Thatf(c, err == nil, "%v", err)
		return found
	}
	if round%2 == 1 && round > 1 {
		return nil // it was merged in the previous round
	}
	merged, err := c.merge(c.Store, fmt.Sprint("merge", round), now(winner), now(loser))
	if err == nil && round < 4 {
		_, err = c.undo(fmt.Sprint("undo", round), merged)
	}
	return err
}

// TestPaymentsDoNotWaitForEachOther checks that an uncommitted payment does not block a payment of a second invoice with the same
// customer, currency and day.
func TestPaymentsDoNotWaitForEachOther(t *testing.T) {
	b := setup(t)
	one, other := b.Issued("one"), b.Issued("other")
	held, err := b.Admin.Begin(t.Context())
	must.OK(t, err)
	defer func() { _ = held.Rollback(context.Background()) }()
	pay := `
		INSERT INTO payments (tenant_id, id, invoice_id, amount, paid_on, method)
		VALUES ($1, gen_random_uuid(), $2, 100, '2026-11-22', 'cash')`
	must.Exec(t, held, pay, b.Tenant, one.ID)
	b.OK(b.Pay("other", other, "1.00"))
	must.OK(t, held.Commit(t.Context()))
	day, err := date.Parse("2026-11-30")
	must.OK(t, err)
	shown, err := invoice.Standing(t.Context(), b.Store.Pool, b.Tenant, b.Tenant, day)
	want := invoice.Sum{Kind: "paid", Currency: one.Currency, Amount: decimal.NewFromInt(200), Count: 2}
	assert.Thatf(t, err == nil && len(shown) == 2 && reflect.DeepEqual(shown[1], want), "%v, %v", shown, err)
}

// TestRefundsOfEarlierVersions checks that the migration moves a refund, which the previous version counted in the month of its payment,
// to its own month, for every tenant.
func TestRefundsOfEarlierVersions(t *testing.T) {
	b := setup(t)
	b.DB.Spoil(t)
	up, down, _ := strings.Cut(must.Read(t, "../../migrations/00129_refunds_by_month.sql"), "-- +goose Down")
	migrate := func(sql, want string) {
		t.Helper()
		_, err := b.Store.Pool.Exec(t.Context(), sql)
		must.OK(t, err)
		assert.Equal(t, storetest.Value[string](b, `
			SELECT string_agg(format('%s %s %s', to_char(day, 'MM'), amount, invoices), ', ' ORDER BY tenant_id = $1, day) FROM (
				SELECT tenant_id, day, sum(amount) AS amount, sum(invoices) AS invoices FROM standing WHERE kind = 'paid_month'
				GROUP BY tenant_id, day) AS months`, b.Tenant), want)
	}
	_, err := b.Store.Pool.Exec(t.Context(), down)
	must.OK(t, err)
	for i, days := range [][]string{{"2026-11-30", "2026-12-01", "2027-01-31"}, {"2026-12-24"}} {
		if i > 0 {
			b.Tenant = uuid.New()
			b.Exec(`INSERT INTO tenants (id, name) VALUES ($1, 'Other')`, b.Tenant)
		}
		paid, err := b.Pay("paid", b.Issued("i"), "50.00")
		must.OK(t, err)
		for _, day := range days {
			d, err := refund.Input{Amount: "10.00", Date: day}.Draft(paid)
			must.OK(t, err)
			b.OK(refund.Create.Do(t.Context(), b.Store, b.Intent(day), d))
		}
	}
	const before, after = "11 2000 1, 11 4000 1", "11 4000 1, 12 -1000 0, 01 -1000 0, 11 5000 1, 12 -1000 0"
	migrate("", before)
	migrate(up, after)
	migrate(down, before)
	migrate(up, after)
}

// TestInvoicesBeginAsDrafts checks that only the superuser can insert an invoice that is not a draft, which no sum would include.
func TestInvoicesBeginAsDrafts(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	for status, want := range map[string]string{"draft": "", "issued": "42501"} {
		err := pgx.BeginFunc(t.Context(), b.Store.Pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), `SELECT set_config('onlyonce.tenant_id', $1::text, true)`, b.Tenant); err != nil {
				return err
			}
			_, err := tx.Exec(t.Context(), `
				INSERT INTO invoices (tenant_id, id, number, customer_id, currency, issue_date, due_date, notes, subtotal, tax_total, total,
					status, issued_at, bill_to, seller)
				SELECT tenant_id, gen_random_uuid(), 'A-' || $2, customer_id, currency, issue_date, due_date, notes, subtotal, tax_total,
					total, $2, CASE $2 WHEN 'issued' THEN now() END, '{}', '{}'
				FROM invoices WHERE id = $1`, inv.ID, status)
			return err
		})
		broken, _ := errors.AsType[*pgconn.PgError](err)
		assert.Thatf(t, (broken == nil) == (want == "") && (broken == nil || broken.Code == want), "%s: %v", status, err)
	}
}

package duplicate_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/duplicate"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type bundle struct {
	*invoicetest.Bundle

	made int
}

func setup(t *testing.T) *bundle {
	t.Helper()
	return &bundle{Bundle: invoicetest.Setup(t)}
}

// bill creates an invoice for Ada with two lines, on a day of November. change may modify the input.
func (b *bundle) bill(number string, day int, change func(*invoice.Input)) invoice.Invoice {
	b.Helper()
	in := invoice.Input{
		Number: number, Customer: &customer.Input{Email: "ada@example.com", Name: "Ada"}, Currency: "EUR",
		IssueDate: fmt.Sprintf("2026-11-%02d", day), DueDate: "2026-12-31",
		Lines: []invoice.LineInput{
			{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "23"},
			{Description: "Print", Quantity: "1", UnitPrice: "7.00", TaxRate: "0"},
		},
	}
	if change != nil {
		change(&in)
	}
	d, err := in.Draft()
	must.OK(b, err)
	b.made++
	done, err := invoice.Create.Do(b.Context(), b.Store, b.Intent(fmt.Sprint("bill ", b.made)), d)
	must.OK(b, err)
	return done.Value
}

func (b *bundle) keepApart(all ...invoice.Invoice) {
	b.Helper()
	var d duplicate.ApartDraft
	for _, inv := range all {
		d.Invoices = append(d.Invoices, inv.ID)
	}
	b.made++
	b.OK(duplicate.KeepApart.Do(b.Context(), b.Store, b.Intent(fmt.Sprint("apart ", b.made)), d))
}

// groups returns all groups, read in pages of a length, each as "count days: numbers".
func (b *bundle) groups(length int) (all []string) {
	b.Helper()
	var from record.Key
	for {
		list, err := duplicate.List(b.Context(), b.Store.Pool, b.Tenant, record.Page{From: from, Limit: length})
		must.Thatf(b, err == nil && len(list.Rows) <= length, "%v %v", len(list.Rows), err)
		for _, g := range list.Rows {
			numbers := make([]string, len(g.Invoices))
			for i, inv := range g.Invoices {
				numbers[i] = inv.Number
			}
			all = append(all, fmt.Sprintf("%d, %d days: %s", g.Count, g.Days, strings.Join(numbers, " ")))
		}
		if (list.After == record.Key{}) {
			return all
		}
		from = list.After
	}
}

// TestGroups checks a group of similar invoices, and every difference that excludes an invoice.
func TestGroups(t *testing.T) {
	b := setup(t)
	first := b.bill("A-1", 2, nil)
	for number, change := range map[string]func(*invoice.Input){
		"other customer": func(in *invoice.Input) { in.Customer = &customer.Input{Email: "grace@example.com", Name: "Grace"} },
		"currency":       func(in *invoice.Input) { in.Currency = "USD" },
		"description":    func(in *invoice.Input) { in.Lines[0].Description = "Designs" },
		"quantity":       func(in *invoice.Input) { in.Lines[0].Quantity, in.Lines[0].UnitPrice = "1", "100.00" },
		"tax": func(in *invoice.Input) {
			in.Lines[0].TaxRate, in.Lines[1] = "0", invoice.LineInput{Description: "Print", Quantity: "1", UnitPrice: "30", TaxRate: "0"}
		},
		"total": func(in *invoice.Input) { in.Lines[1].UnitPrice = "7.01" },
	} {
		b.bill(number, 3, change)
	}
	b.InPages(b.groups)

	second := b.bill("A-2", 9, func(in *invoice.Input) {
		in.Lines[0].Description, in.Lines[0].Quantity, in.Notes = "ＤＥＳＩＧＮ", "2.0", "In another order, and with other notes"
		slices.Reverse(in.Lines)
	})
	b.bill("later", 17, nil)
	b.InPages(b.groups, "2, 7 days: A-1 A-2")
	third := b.bill("A-3", 9, nil)
	b.InPages(b.groups, "3, 7 days: A-1 A-2 A-3")
	b.keepApart(first, second)
	b.InPages(b.groups, "3, 7 days: A-1 A-2 A-3") // the third one is similar to both
	b.keepApart(third, second, first)
	b.InPages(b.groups)
	b.bill("B-1", 1, func(in *invoice.Input) { in.Currency = "GBP" })
	other := b.bill("B-2", 1, func(in *invoice.Input) { in.Currency = "GBP" })
	fourth := b.bill("A-4", 2, nil)
	b.InPages(b.groups, "2, 0 days: B-1 B-2", "4, 7 days: A-1 A-4 A-2 A-3")
	for i, inv := range []invoice.Invoice{other, fourth} {
		must.OK(t, b.Void(fmt.Sprint("void ", i), inv))
	}
	b.InPages(b.groups)
}

// TestGroupsWithSchedules checks that the periods of a schedule are never duplicates of each other, but duplicates of invoices billed by
// hand or by another schedule.
func TestGroupsWithSchedules(t *testing.T) {
	b := setup(t)
	now := time.Now()
	first := date.Of(now.UTC()).AddDays(-28)
	repeat := func(key string) schedule.Schedule {
		b.Helper()
		by := b.bill(key, 2, func(in *invoice.Input) { in.Customer.Email = key + "@example.com" }).Customer.ID
		d, err := schedule.Input{
			CustomerID: by.String(), Currency: "EUR", Every: "1", Unit: schedule.Week, FirstDay: first.String(), BillAs: schedule.AsDraft,
			Missed: schedule.Each, Lines: []invoice.LineInput{{Description: "Support", Quantity: "1", UnitPrice: "90", TaxRate: "0"}},
		}.Draft()
		must.OK(t, err)
		done, err := schedule.Create.Do(t.Context(), b.Store, b.Intent(key), d)
		must.OK(t, err)
		return done.Value
	}
	s := repeat("one")
	clock := schedule.Clockwork{Store: b.Store, Now: func() time.Time { return now }}
	must.OK(t, clock.Run(t.Context(), b.Tenant))
	const billed = `SELECT count(*) FROM schedule_periods`
	assert.Equal(t, storetest.Value[int](b, billed), 5, "billed periods")
	b.InPages(b.groups)
	b.bill("by hand", 2, func(in *invoice.Input) {
		in.Customer, in.CustomerID, in.IssueDate, in.DueDate = nil, s.Customer.ID.String(), first.AddDays(1).String(), ""
		in.Lines = []invoice.LineInput{{Description: "Support", Quantity: "1", UnitPrice: "90", TaxRate: "0"}}
	})
	got := b.groups(25)
	assert.Thatf(t, len(got) == 1 && strings.HasPrefix(got[0], "3, 7 days: ") && strings.Contains(got[0], " by hand "), "%q", got)
}

// TestGroupsInALargeTenant checks that each group is listed once, even if statements and pages end within the invoices of a customer.
func TestGroupsInALargeTenant(t *testing.T) {
	b := setup(t)
	grow(t, b.Admin, b.Tenant, 12_500, 19, 1500)
	for _, length := range []int{47, 100} {
		all := b.groups(length)
		if slices.Sort(all); len(all) != 1500 || len(slices.Compact(all)) != 1500 {
			t.Errorf("%d groups in pages of %d", len(all), length)
		}
	}
	for _, at := range []record.Key{{"", "x"}, {strings.Repeat("2026-02-30 ", 3), ""}, {uuid.NewString(), uuid.NewString()}} {
		_, err := duplicate.List(t.Context(), b.Store.Pool, b.Tenant, record.Page{From: at, Limit: 1})
		assert.Thatf(t, errors.Is(err, record.ErrKey), "%q: %v", at, err)
	}
}

// grow inserts invoices for customers, one on each day, and replaces the last ones with copies, three days later.
func grow(t testing.TB, admin *pgxpool.Pool, tenant uuid.UUID, invoices, customers, copies int) {
	t.Helper()
	sql := fmt.Sprintf(`
		SET LOCAL session_replication_role = replica; -- the triggers would do the same one by one
		INSERT INTO customers (tenant_id, id, email, name)
		SELECT '%[1]s', new_id(now() + n * interval '1 ms'), n || '@example.com', 'Customer ' || n FROM generate_series(0, %[3]d - 1) AS n;
		INSERT INTO invoices (tenant_id, id, number, customer_id, currency, issue_date, due_date, notes, subtotal, tax_total, total)
		SELECT c.tenant_id, new_id(now() + n * interval '1 ms'), 'T-' || n, c.id, 'EUR', day, day + 30, '', total, 0, total
		FROM generate_series(1, %[2]d) AS n CROSS JOIN LATERAL (
			SELECT CASE WHEN n > %[2]d - %[4]d THEN (n - %[2]d + %[4]d) * ((%[2]d - %[4]d) / %[4]d) ELSE n END
			) AS of (origin) CROSS JOIN LATERAL (
			SELECT '2000-01-01'::date + (origin / %[3]d) %% 30000 + CASE WHEN n <> origin THEN 3 ELSE 0 END, 1000 + origin
			) AS billed (day, total)
		JOIN customers c ON c.email = origin %% %[3]d || '@example.com';
		INSERT INTO invoice_lines (tenant_id, invoice_id, position, description, quantity, unit_price, tax_rate, net)
		SELECT tenant_id, id, position, 'Work', 1, total, 0, total FROM invoices, generate_series(1, 3) AS position`,
		tenant, invoices, customers, copies)
	for _, sql := range []string{sql, `VACUUM ANALYZE`} {
		must.Exec(t, admin, sql)
	}
}

// BenchmarkGroups finds all groups among 100,000 invoices, 1 % with a duplicate. For comparison, it reports how often PostgreSQL can sort
// the first compared columns in that time.
func BenchmarkGroups(b *testing.B) {
	db, tenant := pgtest.New(b), uuid.New()
	admin := db.Admin()
	must.Exec(b, admin, `INSERT INTO tenants (id, name) VALUES ($1, 'Test')`, tenant)
	grow(b, admin, tenant, 100_000, 1000, 1000)
	for b.Loop() {
		start, groups := time.Now(), 0
		for from, more := (record.Key{}), true; more; more = from != (record.Key{}) {
			list, err := duplicate.List(b.Context(), db.Pool, tenant, record.Page{From: from, Limit: 100})
			must.OK(b, err)
			groups, from = groups+len(list.Rows), list.After
		}
		must.Thatf(b, groups == 1000, "%d groups", groups)
		all := time.Since(start)
		var n int
		err := admin.QueryRow(b.Context(), `
			SELECT count(apart) FROM (
				SELECT issue_date - lag(issue_date) OVER (PARTITION BY customer_id, currency, total ORDER BY issue_date) FROM invoices)
				AS of (apart)`).Scan(&n)
		must.OK(b, err)
		b.ReportMetric(float64(all)/float64(time.Since(start)-all), "times-the-floor")
	}
}

package duplicate_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/customer/duplicate"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
)

// keepApart stores a distinction of customers.
func (b *bundle) keepApart(all ...customer.Customer) {
	b.Helper()
	d := duplicate.ApartDraft{}
	for _, c := range all {
		d.Customers = append(d.Customers, c.ID)
	}
	b.OK(duplicate.KeepApart.Do(b.Context(), b.Store, b.intent(uuid.Nil, 0), d))
}

// TestGroups checks that each group has its reasons, and is listed under the surest one.
func TestGroups(t *testing.T) {
	b := setup(t)
	ada := b.customer("ada@example.com", "Ada Lovelace", "")
	dots := b.customer("a.d.a+bills@example.com", "ADA  Lovelace.", "")
	b.customer("other@example.com", "A. Lovelace", "GB 123 4567 89")
	b.customer("another@example.com", "Lovelace Ltd", "gb123456789")
	jurgen := b.customer("j@example.com", "Jürgen Groß", "")
	gross := b.customer("jg@example.com", "Jurgen Gross", "")
	b.customer("alone@example.com", "Alone", "")
	b.customer("+plus@example.com", "Plus", "")
	b.customer("+sum@example.com", "Sum", "")
	adas := "[email name] 2 ada@example.com a.d.a+bills@example.com"
	sames := "[name] 2 j@example.com jg@example.com"
	taxes := "[tax_id] 2 other@example.com another@example.com"
	b.InPages(b.groups, taxes, adas, sames)

	b.keepApart(jurgen, gross)
	b.InPages(b.groups, taxes, adas)
	third := b.customer("jgross@example.com", "JURGEN GROSS", "")
	three := "[name] 3 j@example.com jg@example.com jgross@example.com"
	b.InPages(b.groups, taxes, adas, three)
	b.keepApart(jurgen, gross, third)
	b.InPages(b.groups, taxes, adas)

	merged := b.mustMerge(ada, dots)
	b.InPages(b.groups, taxes)
	must.OK(t, b.undo(merged))
	b.InPages(b.groups, taxes, adas)
}

// TestGroupsInALargeTenant checks that each group is listed once, even if it is larger than one statement reads.
func TestGroupsInALargeTenant(t *testing.T) {
	b := setup(t)
	must.Exec(t, b.DB.Admin(), fmt.Sprintf(`
		SET LOCAL session_replication_role = replica; -- no triggers
		INSERT INTO customers (tenant_id, id, email, name)
		SELECT '%s', new_id(now() + n * interval '1 ms'), n || '@example.com',
			CASE WHEN n > 9900 THEN 'Same' ELSE 'Customer ' || n %% 9800 END
		FROM generate_series(1, 12500) AS n;
		ANALYZE customers`, b.Tenant))
	for _, length := range []int{7, 100} {
		all := b.groups(length)
		if slices.Sort(all); len(all) != 101 || len(slices.Compact(all)) != 101 {
			t.Errorf("%d groups in pages of %d", len(all), length)
		}
	}
}

// BenchmarkGroups finds all groups among 100,000 customers, 1 % with a duplicate. For comparison, it reports how often PostgreSQL can
// read the three compared columns in that time.
func BenchmarkGroups(b *testing.B) {
	db, tenant := pgtest.New(b), uuid.New()
	admin := db.Admin()
	for _, sql := range []string{
		`INSERT INTO tenants (id, name) VALUES ('` + tenant.String() + `', 'Test')`,
		`INSERT INTO customers (tenant_id, id, email, name, tax_id)
		SELECT '` + tenant.String() + `', new_id(now() + n * interval '1 ms'), n || '@example.com', 'Customer ' || n % 99000, 'GB' || n
		FROM generate_series(1, 100000) AS n`,
		`VACUUM ANALYZE customers`,
	} {
		must.Exec(b, admin, sql)
	}
	var floor time.Duration
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
			SELECT sum(n) FROM (
				SELECT count(*) FROM customers GROUP BY alike_tax_id UNION ALL SELECT count(*) FROM customers GROUP BY alike_email
				UNION ALL SELECT count(*) FROM customers GROUP BY alike_name) AS of (n)`).Scan(&n)
		must.OK(b, err)
		floor = time.Since(start) - all
		b.ReportMetric(float64(all)/float64(floor), "times-the-floor")
	}
}

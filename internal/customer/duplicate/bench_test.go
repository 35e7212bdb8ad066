package duplicate_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/customer/duplicate"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
)

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
		if groups != 1000 {
			b.Fatalf("%d groups", groups)
		}
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

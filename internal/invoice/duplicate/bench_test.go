package duplicate_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/invoice/duplicate"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
)

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
		if groups != 1000 {
			b.Fatalf("%d groups", groups)
		}
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

package sitetest

import (
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Requests that must not change anything: reads, natural routes, and refused requests.

// Contents returns a digest of all rows of all tables that belong to tenants.
func (b *Bundle) Contents() string {
	b.Helper()
	return b.digest(append(b.TenantTables(), "users", "api_tokens"))
}

// Everything returns a digest of all tables, including the directory, without the time of a session's last request.
func (b *Bundle) Everything() string {
	b.Helper()
	return b.digest(append(slices.Clone(Directory), b.TenantTables()...))
}

func (b *Bundle) digest(tables []string) string {
	b.Helper()
	var digests []string
	for _, table := range tables {
		row := `row::text`
		if table == "sessions" {
			row = `token`
		}
		digests = append(digests, `'`+table+` ' || (SELECT COALESCE(md5(string_agg(`+row+`, ',' ORDER BY `+row+`)), '') FROM `+
			pgx.Identifier{table}.Sanitize()+` AS row)`)
	}
	return Get[string](b, `SELECT concat_ws(E'\n', `+strings.Join(digests, `, `)+`)`)
}

// WantUnchanged fails if two digests differ, and names the tables.
func WantUnchanged(b *Bundle, what, before, after string) {
	b.Helper()
	if before == after {
		return
	}
	was := strings.Split(before, "\n")
	for i, table := range strings.Split(after, "\n") {
		if table != was[i] {
			name, _, _ := strings.Cut(table, " ")
			b.Errorf("%s changed the table %s", what, name)
		}
	}
}

package postgres_test

import (
	"testing"
	"time"

	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
)

// wrong gives the checks that found something.
func wrong(findings []postgres.Finding) map[string]string {
	found := map[string]string{}
	for _, f := range findings {
		if f.Err != nil {
			found[f.Check] = f.Err.Error()
		}
	}
	return found
}

func TestExamine(t *testing.T) {
	t.Parallel()
	const newest = "DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)"
	own := func(db *pgtest.Database) string { return db.URL }
	for name, c := range map[string]struct {
		spoil string // as the superuser
		url   func(*pgtest.Database) string
		want  string // the only check that finds something
	}{
		"in order":      {"SELECT ''", own, ""},
		"superuser":     {"SELECT ''", func(db *pgtest.Database) string { return db.AdminURL }, "role"},
		"open table":    {"ALTER TABLE customers NO FORCE ROW LEVEL SECURITY", own, "row-level security"},
		"old schema":    {newest, own, "schema"},
		"no such host":  {"SELECT ''", func(*pgtest.Database) string { return "postgres://a@127.0.0.1:1/a" }, "database"},
		"no such base":  {"SELECT ''", func(db *pgtest.Database) string { return db.URL + "&database=nothing" }, "database"},
		"no URL at all": {"SELECT ''", func(*pgtest.Database) string { return "mysql://" }, "database"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			query(t, db.AdminURL, c.spoil)
			found := wrong(postgres.Examine(t.Context(), c.url(db)))
			if _, ok := found[c.want]; len(found) != len(c.want[:min(1, len(c.want))]) || !ok && c.want != "" {
				t.Errorf("found %q, want %q", found, c.want)
			}
		})
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for off, fine := range map[time.Duration]bool{0: true, time.Second: true, -time.Second: true, time.Minute: false, -time.Minute: false} {
		f := postgres.Clock(now, now.Add(off), now.Add(time.Millisecond))
		if (f.Err == nil) != fine || !f.Minor {
			t.Errorf("%v: %+v", off, f)
		}
	}
}

package postgres_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
)

// wrong returns the errors by check.
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
	timeout := func(value string) string {
		return `DO $$ BEGIN
			EXECUTE format('ALTER DATABASE %I SET statement_timeout = ' || quote_literal('` + value + `'), current_database());
		END $$`
	}
	own := func(db *pgtest.Database) string { return db.URL }
	for name, c := range map[string]struct {
		spoil string // run as the superuser
		url   func(*pgtest.Database) string
		want  string // the only check with an error
	}{
		"in order":      {"SELECT ''", own, ""},
		"superuser":     {"SELECT ''", func(db *pgtest.Database) string { return db.AdminURL }, "role"},
		"no policy":     {"DROP POLICY tenant_isolation ON customers", own, "catalog"},
		"old schema":    {newest, own, "schema"},
		"hole":          {"DELETE FROM goose_db_version WHERE version_id = 102", own, "schema"},
		"another owner": {"ALTER TABLE sessions OWNER TO postgres", own, "owner"},
		"short timeout": {timeout("5s"), own, "timeouts"},
		"long timeout":  {timeout("6s"), own, ""},
		"no such host":  {"SELECT ''", func(*pgtest.Database) string { return "postgres://a@127.0.0.1:1/a" }, "database"},
		"no such base":  {"SELECT ''", func(db *pgtest.Database) string { return db.URL + "&database=nothing" }, "database"},
		"no URL at all": {"SELECT ''", func(*pgtest.Database) string { return "mysql://" }, "database"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			db.Spoil(t)
			must.Exec(t, db.Admin(), c.spoil)
			found := wrong(postgres.Examine(t.Context(), c.url(db), 5*time.Second))
			if _, ok := found[c.want]; len(found) != len(c.want[:min(1, len(c.want))]) || !ok && c.want != "" {
				t.Errorf("found %q, want %q", found, c.want)
			}
		})
	}
}

// TestExamineAfterAChangeOfOrder checks a server with another version of the default collation.
func TestExamineAfterAChangeOfOrder(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	db.ChangeOrder(t)
	found := wrong(postgres.Examine(t.Context(), db.URL, time.Second))
	run := "REINDEX DATABASE " + db.Pool.Config().ConnConfig.Database + ";"
	if len(found) != 1 || !strings.Contains(found["collation"], run) {
		t.Errorf("found %q", found)
	}
}

// TestExamineAsAStranger checks a role that has all rights on the tables, but doesn't own them.
func TestExamineAsAStranger(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	db.Spoil(t)
	query(t, db.AdminURL, "CREATE ROLE stranger LOGIN")
	query(t, db.AdminURL, "GRANT ALL ON ALL TABLES IN SCHEMA public TO stranger")
	stranger, err := url.Parse(db.URL)
	must.OK(t, err)
	stranger.User = url.User("stranger")
	message := wrong(postgres.Examine(t.Context(), stranger.String(), time.Second))["owner"]
	if !strings.HasPrefix(message, `"stranger" does not own a`) || !strings.Contains(message, " objects more: ") ||
		!strings.Contains(message, "their owner (onlyonce)") {
		t.Errorf("got %q", message)
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

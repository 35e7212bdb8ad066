package postgres_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
)

func TestRoleThatRowLevelSecurityDoesNotBind(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	empty(t, db)
	query(t, db.AdminURL, `CREATE ROLE "by passer" LOGIN BYPASSRLS`)
	passing, err := url.Parse(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	passing.User = url.User("by passer")
	for name, c := range map[string]struct {
		url, role, says string
		superuser       bool
	}{
		"a superuser":            {db.AdminURL, "postgres", "CREATE ROLE onlyonce LOGIN", true},
		"with BYPASSRLS":         {passing.String(), "by passer", `ALTER ROLE "by passer" NOBYPASSRLS;`, false},
		"having taken on a role": {db.AdminURL + "&role=by%20passer", "by passer", `ALTER ROLE "by passer" NOBYPASSRLS;`, false},
	} {
		for step, err := range map[string]error{"Migrate": postgres.Migrate(t.Context(), c.url), "Open": opened(t, c.url)} {
			var refused *postgres.RoleError
			if !errors.As(err, &refused) || refused.Role != c.role || refused.Superuser != c.superuser ||
				!strings.Contains(err.Error(), c.says) {
				t.Errorf("%s, %s: %v", name, step, err)
			}
			t.Log(err)
		}
	}
	if tables := query(t, db.URL, "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"); tables != "0" {
		t.Errorf("%s tables and indexes were made all the same", tables)
	}
	// Who acts as a role that is bound is bound.
	if err := opened(t, db.AdminURL+"&role=onlyonce"); err != nil {
		t.Error(err)
	}
}

// TestAdvisedRole: the SQL that the error gives makes a role that the app takes.
func TestAdvisedRole(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	empty(t, db)
	query(t, db.AdminURL, `ALTER SCHEMA public OWNER TO pg_database_owner`) // as in every new database
	err := opened(t, db.AdminURL)
	_, advice, _ := strings.Cut(err.Error(), "role of the app's own (")
	advice, _, _ = strings.Cut(advice, "), which")
	// A name of the test's own: roles belong to the whole server, and onlyonce is there.
	advice = strings.ReplaceAll(advice, "onlyonce", "advised")
	for statement := range strings.SplitSeq(advice, ";") {
		if strings.TrimSpace(statement) != "" {
			query(t, db.AdminURL, statement)
		}
	}
	as, err := url.Parse(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	as.User = url.User("advised")
	if err := postgres.Migrate(t.Context(), as.String()); err != nil {
		t.Error(err)
	}
	if err := opened(t, as.String()); err != nil {
		t.Error(err)
	}
}

func TestOpenRefusesAnotherIsolationLevel(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	query(t, db.AdminURL, "ALTER ROLE onlyonce IN DATABASE "+db.Pool.Config().ConnConfig.Database+
		" SET default_transaction_isolation = 'repeatable read'")
	// Through a pooler that drops what we ask for.
	err := opened(t, pooled(t, db.URL, ours...)+"&"+execMode)
	var other *postgres.IsolationError
	if !errors.As(err, &other) || other.Level != "repeatable read" {
		t.Errorf("got %v", err)
	}
}

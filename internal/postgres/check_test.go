package postgres_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
)

func TestRoleThatRowLevelSecurityDoesNotBind(t *testing.T) {
	t.Parallel()
	db := emptied(t)
	query(t, db.AdminURL, `CREATE ROLE "by passer" LOGIN BYPASSRLS`)
	passing := as(t, db, "by passer")
	for name, c := range map[string]struct {
		url, role, advice string
		superuser         bool
	}{
		"a superuser":            {db.AdminURL, "postgres", "CREATE ROLE onlyonce LOGIN", true},
		"with BYPASSRLS":         {passing, "by passer", `ALTER ROLE "by passer" NOBYPASSRLS;`, false},
		"having taken on a role": {db.AdminURL + "&role=by%20passer", "by passer", `ALTER ROLE "by passer" NOBYPASSRLS;`, false},
	} {
		for step, err := range map[string]error{"Migrate": migrated(t.Context(), c.url), "Open": opened(t, c.url)} {
			var refused *postgres.RoleError
			assert.Thatf(t, errors.As(err, &refused) && refused.Role == c.role && refused.Superuser == c.superuser &&
				strings.Contains(err.Error(), c.advice), "%s, %s: %v", name, step, err)
			t.Log(err)
		}
	}
	wantValue(t, db.URL, "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace", "0")
	// A superuser that acts as a bound role is bound.
	must.OK(t, opened(t, db.AdminURL+"&role=onlyonce"))
}

// TestAdvisedRole checks that the SQL in the error makes a role that the app accepts.
func TestAdvisedRole(t *testing.T) {
	t.Parallel()
	db := emptied(t)
	query(t, db.AdminURL, `ALTER SCHEMA public OWNER TO pg_database_owner`) // as in every new database
	err := opened(t, db.AdminURL)
	_, advice, _ := strings.Cut(err.Error(), "role of the app's own (")
	advice, _, _ = strings.Cut(advice, "), which")
	// A name for this test, because roles belong to the whole server, and onlyonce exists.
	advice = strings.ReplaceAll(advice, "onlyonce", "advised")
	for statement := range strings.SplitSeq(advice, ";") {
		if strings.TrimSpace(statement) != "" {
			query(t, db.AdminURL, statement)
		}
	}
	as := as(t, db, "advised")
	must.OK(t, migrated(t.Context(), as))
	must.OK(t, opened(t, as))
}

// TestEncodingOfTheDatabase checks that any encoding other than UTF8 is refused before the first migration, with the SQL that makes a
// database for the app.
func TestEncodingOfTheDatabase(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, encoding := range []string{"SQL_ASCII", "LATIN1"} {
		name := db.Pool.Config().ConnConfig.Database + strings.ToLower(encoding)
		query(t, db.AdminURL, "CREATE DATABASE "+name+" OWNER onlyonce ENCODING '"+encoding+"' LOCALE 'C' TEMPLATE template0")
		url := db.URL + "&database=" + name
		message := wrong(postgres.Examine(t.Context(), url, time.Second))["encoding"]
		for step, err := range map[string]error{"Migrate": migrated(t.Context(), url), "Open": opened(t, url)} {
			assert.Thatf(t, err != nil && err.Error() == message && strings.Contains(message, encoding),
				"%s, %s: %v, and Examine found %q", encoding, step, err, message)
		}
		wantValue(t, url, "SELECT to_regclass('goose_db_version')", "<nil>")
		_, advice, _ := strings.Cut(message, "a new one (")
		advice, _, _ = strings.Cut(advice, ";)")
		query(t, db.AdminURL, advice)
		must.OK(t, migrated(t.Context(), url+"_utf8"))
		query(t, db.AdminURL, "DROP DATABASE "+name)
		query(t, db.AdminURL, "DROP DATABASE "+name+"_utf8")
	}
}

func TestOpenRefusesAnotherIsolationLevel(t *testing.T) {
	t.Parallel()
	db := spoiled(t)
	query(t, db.AdminURL, "ALTER ROLE onlyonce IN DATABASE "+db.Pool.Config().ConnConfig.Database+
		" SET default_transaction_isolation = 'repeatable read'")
	// Through a pooler that drops the parameter.
	err := opened(t, pooled(t, db.URL, ours...)+"&"+execMode)
	var other *postgres.IsolationError
	assert.Thatf(t, errors.As(err, &other) && other.Level == "repeatable read", "got %v", err)
}

// TestOpenRefusesOtherSettings tries settings that the pool does not set, and settings that it sets through a pooler that drops them.
// Migrate refuses them as well, and Examine names them.
func TestOpenRefusesOtherSettings(t *testing.T) {
	t.Parallel()
	const dropped = "through a pooler: "
	for setting, name := range map[string]string{
		"row_security = off":                          "row_security",
		"session_replication_role = replica":          "session_replication_role",
		"default_transaction_read_only = on":          "transaction_read_only",
		"onlyonce.tenant_id = 'x'":                    "onlyonce.tenant_id",
		"bytea_output = escape":                       "bytea_output",
		"search_path = other":                         "search_path",
		"search_path = other, public":                 "search_path",
		dropped + "datestyle = 'SQL, DMY'":            "DateStyle",
		dropped + "client_encoding = LATIN1":          "client_encoding",
		dropped + "standard_conforming_strings = off": "standard_conforming_strings",
		"search_path = nothing":                       "search_path",
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			db := spoiled(t)
			database := db.Pool.Config().ConnConfig.Database
			query(t, db.AdminURL, "CREATE SCHEMA other AUTHORIZATION onlyonce")
			query(t, db.AdminURL, "ALTER ROLE onlyonce IN DATABASE "+database+" SET "+strings.TrimPrefix(setting, dropped))
			url := db.URL
			if strings.HasPrefix(setting, dropped) {
				url = pooled(t, db.URL, ours...) + "&" + execMode
			}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // the pooler has one connection, and migrating takes two
			defer cancel()
			for step, err := range map[string]error{"Migrate": migrated(ctx, url), "Open": opened(t, url)} {
				refused, ok := errors.AsType[*postgres.SettingError](err)
				assert.Thatf(t, ok && refused.Name == name && strings.Contains(err.Error(), name), "%s: %v", step, err)
				t.Log(err)
			}
			found := wrong(postgres.Examine(t.Context(), url, time.Second))
			assert.Thatf(t, strings.Contains(found["session"], name), "found %q", found)
		})
	}
}

// TestOpenInASchemaOfItsOwn checks that an empty database may have another search_path than the usual one.
func TestOpenInASchemaOfItsOwn(t *testing.T) {
	t.Parallel()
	db := spoiled(t)
	query(t, db.AdminURL, "DROP SCHEMA public, river CASCADE")
	query(t, db.AdminURL, "CREATE SCHEMA own AUTHORIZATION onlyonce")
	query(t, db.AdminURL, "ALTER DATABASE "+db.Pool.Config().ConnConfig.Database+" SET search_path = own")
	must.OK(t, migrated(t.Context(), db.URL))
	found := wrong(postgres.Examine(t.Context(), db.URL, time.Second))
	assert.Thatf(t, len(found) == 0, "found %q", found)
}

// TestVisit checks that a command uses the server of the app, or starts one, which ends with the visit.
func TestVisit(t *testing.T) {
	t.Parallel()
	dir := pgtest.Embedded(t)
	visit := func() *postgres.Visit {
		t.Helper()
		v, err := postgres.VisitEmbedded(t.Context(), dir, logger(t))
		must.OK(t, err)
		return v
	}
	alone := visit()
	put(t, alone.URL)
	_, err := postgres.StartEmbedded(t.Context(), dir, logger(t))
	var inUse *postgres.InUseError
	assert.Thatf(t, alone.Started && errors.As(err, &inUse) && inUse.PID == os.Getpid(),
		"started %v, and then an app: %v", alone.Started, err)
	checkKept(t, alone.URL) // the first one is unaffected
	must.OK(t, alone.End(t.Context()))

	app := start(t, dir)
	beside := visit()
	assert.Thatf(t, !beside.Started && beside.URL == app.URL(), "%+v beside %s", beside, app.URL())
	must.OK(t, beside.End(t.Context()))
	checkKept(t, app.URL()) // the app's server still runs
}

// TestVisitsTakeTurns checks that concurrent visits each start a server, and that none stops another's.
func TestVisitsTakeTurns(t *testing.T) {
	t.Parallel()
	dir := pgtest.Home(t)
	var visits errgroup.Group
	for range 3 {
		visits.Go(func() error {
			v, err := postgres.VisitEmbedded(t.Context(), dir, logger(t))
			if err != nil {
				return err
			}
			query(t, v.URL, "SELECT pg_sleep(0.2)::text")
			return v.End(t.Context())
		})
	}
	must.OK(t, visits.Wait())
}

package postgres_test

import (
	"errors"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"

	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
)

// empty takes the schema away again.
func empty(t *testing.T, db *pgtest.Database) {
	t.Helper()
	if _, err := db.Pool.Exec(t.Context(), "DROP SCHEMA IF EXISTS public, river CASCADE"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Pool.Exec(t.Context(), "CREATE SCHEMA public"); err != nil {
		t.Fatal(err)
	}
}

func TestMigrateFromManyReplicasAtOnce(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	empty(t, db)
	var replicas errgroup.Group
	gate := make(chan struct{})
	for range 12 {
		replicas.Go(func() error {
			<-gate
			return postgres.Migrate(t.Context(), db.URL)
		})
	}
	close(gate)
	if err := replicas.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := postgres.SchemaCurrent(t.Context(), db.Pool); err != nil {
		t.Error(err)
	}
	if twice := query(t, db.URL, "SELECT count(*) - count(DISTINCT version_id) FROM goose_db_version"); twice != "0" {
		t.Errorf("%s migrations were applied twice", twice)
	}
	if locks := query(t, db.URL, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' "+
		"AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"); locks != "0" {
		t.Errorf("%s locks are left", locks)
	}
}

func TestMigrateThroughTransactionPooler(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	empty(t, db)
	if err := postgres.Migrate(t.Context(), db.URL+"&default_query_exec_mode=exec&pool_max_conns=3"); err != nil {
		t.Fatal(err)
	}
}

func TestSchemaOfANewerProgram(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	query(t, db.URL, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)")
	for name, err := range map[string]error{
		"Migrate":       postgres.Migrate(t.Context(), db.URL),
		"SchemaCurrent": postgres.SchemaCurrent(t.Context(), db.Pool),
	} {
		var newer *postgres.SchemaError
		if !errors.As(err, &newer) || newer.Database != 99999 || newer.Program >= 99999 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchemaOfAnOlderProgram(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	query(t, db.URL, "DELETE FROM goose_db_version WHERE version_id > 1")
	var older *postgres.SchemaError
	if err := postgres.SchemaCurrent(t.Context(), db.Pool); !errors.As(err, &older) || older.Database != 1 {
		t.Errorf("got %v", err)
	}
	empty(t, db)
	if err := postgres.SchemaCurrent(t.Context(), db.Pool); !errors.As(err, &older) || older.Database != 0 {
		t.Errorf("an empty database: %v", err)
	}
}

func TestSchemaWithAnIndexThatDoesNotWork(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	query(t, db.AdminURL, "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'users_email_once'::regclass")
	var invalid *postgres.InvalidIndexError
	if err := postgres.SchemaCurrent(t.Context(), db.Pool); !errors.As(err, &invalid) ||
		!slices.Equal(invalid.Names, []string{"users_email_once"}) {
		t.Errorf("got %v", err)
	}
}

func TestServerVersion(t *testing.T) {
	t.Parallel()
	for number, want := range map[int]bool{
		90603: false, 140012: false, 149999: false, 150000: true, 150018: true, 180004: true,
	} {
		var old *postgres.ServerVersionError
		err := postgres.CheckServerVersion(number)
		if ok := !errors.As(err, &old); ok != want {
			t.Errorf("%d: %v", number, err)
		}
	}
}

package postgres_test

import (
	"strings"
	"testing"

	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
)

// TestCopyDatabaseRefuses checks that CopyDatabase refuses a database with objects that it would lose. It isn't parallel, because
// databases of other tests would count as such.
func TestCopyDatabaseRefuses(t *testing.T) { //nolint:paralleltest // see above
	to := pgtest.New(t)
	to.Spoil(t) // removes the schema pgtest, which the other databases lack as well
	for want, sql := range map[string]string{
		"the table notes;":                               `CREATE TABLE notes (text text)`,
		"of mine.notes;":                                 `CREATE SCHEMA mine CREATE TABLE notes (text text)`,
		"the index mine of users;":                       `CREATE INDEX mine ON users (id)`,
		"the unique index tenants_name_once of tenants;": `DROP INDEX tenants_name_once`,
		"the large object 4711":                          `SELECT lo_create(4711)`,
		"settings: 1 rows": `
			SET session_replication_role = replica;
			INSERT INTO settings (tenant_id, name) VALUES (gen_random_uuid(), 'Acme');
			UPDATE pg_attribute SET attgenerated = '' WHERE attrelid = 'settings'::regclass AND attname = 'id';
			UPDATE settings SET id = gen_random_uuid();
			UPDATE pg_attribute SET attgenerated = 's' WHERE attrelid = 'settings'::regclass AND attname = 'id'`,
	} {
		t.Run(want, func(t *testing.T) { //nolint:paralleltest // see above
			from := pgtest.New(t)
			from.Spoil(t)
			must.Exec(t, from.Admin(), sql)
			err := postgres.CopyDatabase(t.Context(), from.AdminURL, to.AdminURL)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Error(err)
			}
		})
	}
}

package pgtest

import "testing"

// ChangeOrder changes the order of text by the default collation, as an upgrade of the operating system can, for connections that are
// made afterwards. It spoils the database. Its indexes stay as they are.
func (d *Database) ChangeOrder(t testing.TB) {
	t.Helper()
	d.Spoil(t)
	_, err := d.admin.Exec(t.Context(), `
		DO $$ BEGIN
			EXECUTE format($sql$
				UPDATE pg_database SET datlocprovider = 'i', %I = 'en-US', datcollversion = '0' WHERE datname = current_database()$sql$,
				CASE WHEN current_setting('server_version_num')::integer < 170000 THEN 'daticulocale' ELSE 'datlocale' END);
		END $$`)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
}

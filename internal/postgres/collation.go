package postgres

import (
	"context"
	"fmt"
)

// Collation returns an error that names the repair if the default collation of the database has another version than when its indexes
// were built, as after an upgrade of the operating system. Searches in an index that is ordered by it may then miss rows. The columns
// that the app compares by identity are ordered by code point instead, and don't depend on it.
func Collation(ctx context.Context, db Querier) error {
	var name, built, now string
	err := db.QueryRow(ctx, `
		SELECT format('%I', datname), COALESCE(datcollversion, ''), COALESCE(pg_database_collation_actual_version(oid), '')
		FROM pg_database WHERE datname = current_database()`).Scan(&name, &built, &now)
	switch {
	case err != nil:
		return fmt.Errorf("read the version of the collation: %w", err)
	case built == "" || now == "" || built == now:
		return nil
	default:
		return fmt.Errorf("indexes were built with version %s of the default collation, and the server has version %s: run "+
			"REINDEX DATABASE %s; ALTER DATABASE %s REFRESH COLLATION VERSION; while the app is stopped", built, now, name, name)
	}
}

package postgres

import (
	"context"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Internals that tests outside the package can't reach through its API.
var (
	CheckServerVersion = checkServerVersion
	Clock              = clock
	CopyDatabase       = copyDatabase
	ExplainPooler      = explainPooler
)

// Catalog returns the lines of catalog.txt for a database.
func Catalog(ctx context.Context, pool *pgxpool.Pool) (string, error) {
	found, err := readCatalog(ctx, pool, nil)
	if err != nil {
		return "", err
	}
	lines := make([]string, 0, len(found))
	for o, hash := range found {
		lines = append(lines, strings.Join([]string{o.Kind, o.Subject, o.Name, hash}, "\t")+"\n")
	}
	slices.Sort(lines)
	return strings.Join(lines, ""), nil
}

// EmbeddedCatalog returns the content of catalog.txt.
func EmbeddedCatalog() string { return catalog }

// Substitute returns the directory that is used if root's server cannot reach dir.
func Substitute(dir string) string { return substituteOf(dir) }

// MigrateFrom applies other migrations than the program's.
func MigrateFrom(ctx context.Context, url string, files fs.FS) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return err
	}
	return migrate(ctx, config, files)
}

// MigrateWithin is [Migrate] with other limits for its waits.
func MigrateWithin(ctx context.Context, url string, log *slog.Logger, logged, most time.Duration) error {
	return migrateWithin(ctx, url, patience{log, logged, logged, most, most})
}

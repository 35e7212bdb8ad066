package postgres

import (
	"context"
	"io/fs"

	"github.com/jackc/pgx/v5"
)

// What tests from outside the package cannot bring about by honest means.
var (
	CheckServerVersion = checkServerVersion
	Clock              = clock
	ExplainPooler      = explainPooler
)

// Substitute is the directory that stands for dir when root's server cannot reach dir.
func Substitute(dir string) string { return systemDir + "/" + nameOf(dir) }

// MigrateFrom applies other migrations than the program's.
func MigrateFrom(ctx context.Context, url string, files fs.FS) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return err
	}
	return migrate(ctx, config, files)
}

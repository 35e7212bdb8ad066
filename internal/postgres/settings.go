package postgres

import (
	"context"

	"onlyonce/internal/postgres/server"
)

// settingsFor returns settings that suit a small machine and keep all guarantees of durability.
func settingsFor(ctx context.Context, programs server.Programs, account server.Account, dataDir string) map[string]string {
	settings := map[string]string{
		"fsync":              "on",
		"synchronous_commit": "on",
		"full_page_writes":   "on",
		"shared_buffers":     "128MB",
		"timezone":           "UTC",

		// The most that make bench opens: 64 of pgbench, and two servers with a pool of 16 and a few more.
		"max_connections": "128",

		// A duplicate is an ordinary event here and raises an error in the server. The log has its time, process, SQLSTATE and message,
		// and no user input: no details (which quote the key), no statement, no parameters.
		"log_timezone":                      "UTC",
		"log_line_prefix":                   "%m [%p] %e ",
		"log_error_verbosity":               "terse",
		"log_min_error_statement":           "panic",
		"log_parameter_max_length_on_error": "0",
		"log_checkpoints":                   "off",
	}
	// When the tables are big, most of the WAL of a create is full-page images. Every server can compress them with pglz ("on"), which
	// takes a fifth of the create's time. With lz4 it takes almost none.
	const compression = "wal_compression"
	settings[compression] = "on"
	if programs.Take(ctx, account, dataDir, compression, "lz4") {
		settings[compression] = "lz4"
	}
	return settings
}

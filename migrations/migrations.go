// Package migrations embeds the schema: one goose file per change, applied in order of their numbers.
package migrations

import "embed"

// FS holds the goose SQL files at its root.
//
//go:embed *.sql
var FS embed.FS

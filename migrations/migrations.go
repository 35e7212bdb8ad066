// Package migrations embeds the schema: one goose file for each room of the app, and one for each change since. They are applied in
// the order of their numbers.
//
// A number is never used for something else, because a database remembers numbers: one with a number that the program does not have,
// though it has later ones, is refused. So these files begin behind the numbers of those that they replaced, and a fork keeps the last
// of them, whatever it takes away.
package migrations

import (
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// FS holds the goose SQL files at its root.
//
//go:embed *.sql
var FS embed.FS

// Newest returns the highest number of the migrations at the root of files, and 0 if there are none. The error says which file has
// no number.
func Newest(files fs.FS) (newest int64, err error) {
	versions, err := Versions(files)
	if err != nil {
		return 0, err
	}
	for _, version := range versions {
		newest = max(newest, version)
	}
	return newest, nil
}

// Versions returns the numbers of the migrations at the root of files. The error says which file has none.
func Versions(files fs.FS) (versions []int64, err error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", name, err)
		}
		versions = append(versions, version)
	}
	return versions, nil
}

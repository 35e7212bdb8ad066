// Package migrations embeds the schema: one goose file for each room of the app, and one for each later change. They are applied in the
// order of their numbers.
//
// A number is never reused, because a database remembers the applied numbers: a database is refused if it has a number that the program
// lacks and that is lower than the program's newest. So the numbers of these files follow those of the files that they replaced, and a
// fork keeps the last file even if it removes rooms.
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

// Newest returns the highest number of the migrations at the root of files, or 0 if there are none. It returns an error with the name of
// a file without a number.
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

// Versions returns the numbers of the migrations at the root of files. It returns an error with the name of a file without a number.
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

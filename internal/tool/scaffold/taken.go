package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// maxIdentifier is the longest name in PostgreSQL, in bytes. It cuts longer ones, so that the code would look for another constraint.
const maxIdentifier = 63

var sqlName = regexp.MustCompile(`(?:CREATE (?:UNIQUE )?(?:TABLE|DOMAIN|INDEX|FUNCTION)|CONSTRAINT) (\w+)`)

// sqlCollisions returns an error for each name of a migration that is too long, is there twice, or is in the schema already.
func sqlCollisions(root string, migration []byte) error {
	catalog, err := os.ReadFile(filepath.Join(root, "internal/postgres/catalog.txt"))
	if err != nil {
		return fmt.Errorf("read the names of the schema: %w", err)
	}
	there := map[string]string{}
	for line := range strings.Lines(string(catalog)) {
		kind, rest, _ := strings.Cut(line, "\t")
		switch name, _, _ := strings.Cut(rest, "\t"); kind {
		case "table", "domain", "function", "index", "unique index":
			there[name] = "the database has " + kind + " " + name
		}
	}
	var taken []error
	for _, found := range sqlName.FindAllSubmatch(migration, -1) {
		name := string(found[1])
		if len(name) > maxIdentifier {
			taken = append(taken, fmt.Errorf("the name %s has %d characters, and PostgreSQL cuts it at %d: choose shorter names",
				name, len(name), maxIdentifier))
		}
		if what, ok := there[name]; ok {
			taken = append(taken, fmt.Errorf("%s already: choose another name, or another plural", what))
		}
		there[name] = "this resource would have " + name
	}
	return errors.Join(taken...)
}

var (
	appPath = regexp.MustCompile(`(?:(?:Path|Prefix)(?::| =) *|\.(?:[Rr]ead|[Nn]atural)\()"/([a-z0-9-]+)`)
	appSlug = regexp.MustCompile(`Slug: *"([a-z0-9-]+)"`)
)

// appCollisions returns an error for each address and each slug of a conflict that files have, and the app already.
func appCollisions(root string, files []file) error {
	there := map[string]string{}
	app := os.DirFS(filepath.Join(root, "internal"))
	err := fs.WalkDir(app, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(app, path)
		for _, name := range appNames(text) {
			there[name] = filepath.Base(path)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("read the addresses of the app: %w", err)
	}
	var taken []error
	for _, f := range files {
		for _, name := range appNames(f.text) {
			if at, ok := there[name]; ok && f.was == nil {
				delete(there, name)
				taken = append(taken, fmt.Errorf("%s would have %s, which %s has already: choose another name, or another plural",
					f.path, name, at))
			}
		}
	}
	return errors.Join(taken...)
}

func appNames(text []byte) (names []string) {
	for _, found := range appPath.FindAllSubmatch(text, -1) {
		names = append(names, "the address /"+string(found[1]))
	}
	for _, found := range appSlug.FindAllSubmatch(text, -1) {
		names = append(names, "the conflict "+string(found[1]))
	}
	return names
}

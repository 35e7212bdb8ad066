package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"golang.org/x/tools/imports"

	"onlyonce/migrations"
)

//go:embed templates
var templates embed.FS

// file is a file to be written, by its path in the repository.
type file struct {
	path string
	text []byte
	was  []byte    // before it was edited; nil for a new file
	code *ast.File // of a new Go file, with all imports
}

// Write writes the files of a resource into the repository at root, and its line into each list of all resources. It returns
// their paths, and a function that takes everything back. If a file exists already or the resource conflicts with existing code, it
// returns an error and leaves nothing behind.
func Write(root string, r Resource) (paths []string, undo func() error, err error) {
	for i, f := range r.Fields {
		switch {
		case f.Type != "ref":
		case f.of == string(r.One):
			r.Fields[i].To = Target{One: r.One, Many: r.Many, Package: r.One.Package(), Self: true}
		default:
			if r.Fields[i].To, err = target(root, f.of); err != nil {
				return nil, nil, err
			}
		}
	}
	files, err := r.files(root)
	if err != nil {
		return nil, nil, err
	}
	if err := free(root, files); err != nil {
		return nil, nil, err
	}
	if err := errors.Join(nameCollisions(root, files), sqlCollisions(root, files[0].text), appCollisions(root, files)); err != nil {
		return nil, nil, err
	}
	return save(root, files)
}

func (r Resource) files(root string) ([]file, error) {
	number, err := migrations.Newest(os.DirFS(filepath.Join(root, "migrations")))
	if err != nil {
		return nil, err
	}
	// The names of Go files have no underscore, which could lead to the name of a system: shop_windows.go is for Windows.
	one, many := r.One.Package(), r.Many.Package()
	var files []file
	for _, f := range []struct{ template, path string }{
		{"migration.sql", fmt.Sprintf("migrations/%05d_%s.sql", number+1, r.Many)},
		{"domain.go", "internal/" + one + "/" + one + ".go"},
		{"operations.go", "internal/" + one + "/operations.go"},
		{"find.go", "internal/" + one + "/find.go"},
		{"domain_test.go", "internal/" + one + "/" + one + "_test.go"},
		{"testing.go", "internal/" + one + "/" + one + "test/" + one + ".go"},
		{"web.go", "internal/" + one + "/" + one + "pages/" + many + ".go"},
		{"cases.go", "internal/" + one + "/" + one + "cases/" + many + ".go"},
		{"room_test.go", "internal/" + one + "/" + one + "pages/room_test.go"},
		{"e2e_test.go", "e2e/" + one + "_test.go"},
	} {
		text, err := r.render(f.template)
		if err != nil {
			return nil, err
		}
		var code *ast.File
		if filepath.Ext(f.path) == ".go" { // formatted, without unused imports
			if code, err = parser.ParseFile(token.NewFileSet(), f.path, text, parser.SkipObjectResolution); err != nil {
				return nil, fmt.Errorf("read what was written: %w", err)
			}
			if text, err = imports.Process(f.path, text, nil); err != nil {
				return nil, fmt.Errorf("%s: %w in\n%s", f.path, err, text)
			}
		}
		files = append(files, file{path: f.path, text: text, code: code})
	}
	pages := fmt.Sprintf("\t\"onlyonce/internal/%s/%[1]spages\"\n", one)
	cases := fmt.Sprintf("\t\"onlyonce/internal/%s/%[1]scases\"\n", one)
	for _, e := range []edit{
		{"internal/site/site.go", "\t" + newest, "\t\t" + one + "pages.Mount(s)\n"},
		{"internal/site/site.go", "\t\"onlyonce/internal/customer/customerpages\"\n", pages},
		{"internal/site/sitecases/resources.go", "\t" + newest, "\t\t" + one + "cases.Resources(),\n"},
		{"internal/site/sitecases/resources.go", "\t\"onlyonce/internal/customer/customercases\"\n", cases},
	} {
		if files, err = e.add(root, files); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func (r Resource) render(name string) ([]byte, error) {
	t, err := template.ParseFS(templates, "templates/"+name+".tmpl")
	if err != nil {
		return nil, fmt.Errorf("read the template %s: %w", name, err)
	}
	var text bytes.Buffer
	if err := t.Execute(&text, r); err != nil {
		return nil, fmt.Errorf("fill in the template %s: %w", name, err)
	}
	return text.Bytes(), nil
}

// newest is the line before which each list of resources has its newest one.
const newest = "\t// New resources are added above this line.\n"

// edit inserts text before the only line of a file that begins with an anchor.
type edit struct{ path, anchor, text string }

// add adds the edit to files. If files has an edit of the same file, they are merged.
func (e edit) add(root string, files []file) ([]file, error) {
	was, err := os.ReadFile(filepath.Join(root, e.path))
	if err != nil {
		return nil, fmt.Errorf("add the resource to a list: %w", err)
	}
	before := slices.IndexFunc(files, func(f file) bool { return f.path == e.path })
	if before >= 0 {
		was = files[before].text
	}
	if n := strings.Count(string(was), e.anchor); n != 1 {
		return nil, fmt.Errorf("%s has the line %q %d times, and a resource is added before it: add this by hand, "+
			"or tell internal/tool/scaffold where it belongs:\n%s", e.path, strings.TrimSpace(e.anchor), n, e.text)
	}
	formatted, err := format.Source([]byte(strings.Replace(string(was), e.anchor, e.text+e.anchor, 1)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.path, err)
	}
	if before >= 0 {
		files[before].text = formatted
		return files, nil
	}
	return append(files, file{path: e.path, text: formatted, was: was}), nil
}

// free returns an error that names each existing file.
func free(root string, files []file) error {
	var taken []error
	for _, f := range files {
		if _, err := os.Stat(filepath.Join(root, f.path)); err == nil && f.was == nil {
			taken = append(taken, fmt.Errorf("%s is there already, and nothing was written: choose another name", f.path))
		}
	}
	return errors.Join(taken...)
}

// save writes files, all or none, and returns their paths and a function that takes them back.
func save(root string, files []file) (paths []string, undo func() error, err error) {
	var made []string // new files, or the directories around them that are new too
	edited := map[string][]byte{}
	undo = func() (err error) {
		for path, was := range edited {
			err = errors.Join(err, os.WriteFile(path, was, 0o644)) //nolint:gosec // source code is world-readable
		}
		for _, path := range made {
			err = errors.Join(err, os.RemoveAll(path))
		}
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, undo())
		}
	}()
	for _, f := range files {
		path := filepath.Join(root, f.path)
		if f.was != nil {
			edited[path] = f.was
		} else {
			made = append(made, outermostNew(path))
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // the same
			return nil, nil, fmt.Errorf("make a directory: %w", err)
		}
		if err := os.WriteFile(path, f.text, 0o644); err != nil { //nolint:gosec // the same
			return nil, nil, fmt.Errorf("write: %w", err)
		}
		paths = append(paths, f.path)
	}
	return paths, undo, nil
}

// outermostNew returns the outermost directory of a new file that doesn't exist yet, or the file.
func outermostNew(path string) string {
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		return path
	}
	return outermostNew(filepath.Dir(path))
}

// Migration writes the next, empty migration into the repository at root, and returns its path. The name describes the
// migration in a few words, such as expenses_have_projects.
func Migration(root, what string) (string, error) {
	if err := Name(what).check("migration", nil); err != nil {
		return "", err
	}
	number, err := migrations.Newest(os.DirFS(filepath.Join(root, "migrations")))
	if err != nil {
		return "", err
	}
	paths, _, err := save(root, []file{{
		path: fmt.Sprintf("migrations/%05d_%s.sql", number+1, what),
		text: []byte("-- +goose Up\n\n-- +goose Down\n"),
	}})
	return strings.Join(paths, ""), err
}

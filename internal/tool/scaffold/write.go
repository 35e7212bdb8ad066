package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
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

// file is a file to be written, by its path in the repository. An edit changes an existing file.
type file struct {
	path string
	text []byte
	edit bool
}

// Write writes the files of a resource into the repository at root, and its line into each list of all resources. It returns
// their paths. If a file exists already or the resource conflicts with existing code, it returns an error and writes nothing.
func Write(root string, r Resource) (paths []string, err error) {
	for i, f := range r.Fields {
		if f.Type == "ref" {
			if r.Fields[i].To, err = target(root, f.of); err != nil {
				return nil, err
			}
		}
	}
	files, err := r.files(root)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(free(root, files), nameCollisions(root, files)); err != nil {
		return nil, err
	}
	return save(root, files)
}

// files returns all files of a resource.
func (r Resource) files(root string) ([]file, error) {
	number, err := migrations.Newest(os.DirFS(filepath.Join(root, "migrations")))
	if err != nil {
		return nil, err
	}
	one, many := r.One.Package(), string(r.Many)
	var files []file
	for _, f := range []struct{ template, path string }{
		{"migration.sql", fmt.Sprintf("migrations/%05d_%s.sql", number+1, many)},
		{"domain.go", "internal/" + one + "/" + string(r.One) + ".go"},
		{"operations.go", "internal/" + one + "/operations.go"},
		{"find.go", "internal/" + one + "/find.go"},
		{"domain_test.go", "internal/" + one + "/" + string(r.One) + "_test.go"},
		{"testing.go", "internal/" + one + "/" + one + "test/" + string(r.One) + ".go"},
		{"web.go", "internal/" + one + "/" + one + "pages/" + many + ".go"},
		{"cases.go", "internal/" + one + "/" + one + "cases/" + many + ".go"},
		{"room_test.go", "internal/" + one + "/" + one + "pages/room_test.go"},
		{"e2e_test.go", "e2e/" + string(r.One) + "_test.go"},
	} {
		text, err := r.render(f.template)
		if err != nil {
			return nil, err
		}
		if filepath.Ext(f.path) == ".go" { // formatted, without unused imports
			if text, err = imports.Process(f.path, text, nil); err != nil {
				return nil, fmt.Errorf("%s: %w in\n%s", f.path, err, text)
			}
		}
		files = append(files, file{path: f.path, text: text})
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
	return append(files, file{path: e.path, text: formatted, edit: true}), nil
}

// free returns an error that names each existing file.
func free(root string, files []file) error {
	var taken []error
	for _, f := range files {
		if _, err := os.Stat(filepath.Join(root, f.path)); err == nil && !f.edit {
			taken = append(taken, fmt.Errorf("%s is there already, and nothing was written: choose another name", f.path))
		}
	}
	return errors.Join(taken...)
}

func save(root string, files []file) (paths []string, err error) {
	for _, f := range files {
		path := filepath.Join(root, f.path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // source code is world-readable
			return paths, fmt.Errorf("make a directory: %w", err)
		}
		if err := os.WriteFile(path, f.text, 0o644); err != nil { //nolint:gosec // the same
			return paths, fmt.Errorf("write: %w", err)
		}
		paths = append(paths, f.path)
	}
	return paths, nil
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
	paths, err := save(root, []file{{
		path: fmt.Sprintf("migrations/%05d_%s.sql", number+1, what),
		text: []byte("-- +goose Up\n\n-- +goose Down\n"),
	}})
	return strings.Join(paths, ""), err
}

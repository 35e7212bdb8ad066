package fork

import (
	"context"
	"fmt"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/imports"
)

// Removed is the result of [Remove].
type Removed struct {
	Parts []string // the requested one, after those that depend on it
	Files int      // removed or changed
}

// Remove takes a part away from the app in root, the top directory of a git repository, with the parts that depend on it: their
// files, the references in other files, and the requirements in go.mod that only they need. It commits nothing, and after an
// error nothing has changed. The error is [ErrNothingToDo] if the part was removed before, or a [*DirtyError].
func Remove(ctx context.Context, root, name string) (done Removed, err error) {
	all := parts()
	n := slices.Index(names(all), name)
	if n < 0 {
		return done, fmt.Errorf("there is no part %q to remove: the parts are %s", name, strings.Join(names(all), ", "))
	}
	t, err := openTree(ctx, root)
	if err != nil {
		return done, err
	}
	there := func(p part) bool { return slices.ContainsFunc(t.files, p.has) }
	if !there(all[n]) {
		return done, ErrNothingToDo
	}
	with := slices.DeleteFunc(all[:n+1], func(p part) bool { return !there(p) })
	done.Parts = names(with)
	err = t.change(ctx, func() error {
		done.Files, err = t.remove(with)
		if err == nil {
			_, err = t.run(ctx, "go", "mod", "tidy")
		}
		return err
	})
	return done, err
}

// remove deletes the files of parts, and the references to them. It returns the number of deleted and changed files.
func (t *tree) remove(going []part) (n int, err error) {
	gone := func(file string) bool { return slices.ContainsFunc(going, func(p part) bool { return p.has(file) }) }
	left, err := t.withoutNaming(going, gone)
	if err != nil {
		return 0, err
	}
	for _, file := range t.files {
		if gone(file) {
			n++
			if err := os.Remove(filepath.Join(t.root, file)); err != nil {
				return n, err
			}
			for dir := path.Dir(file); dir != "." && os.Remove(filepath.Join(t.root, dir)) == nil; dir = path.Dir(dir) {
				continue // up to the first non-empty directory
			}
		}
	}
	for _, file := range slices.Sorted(maps.Keys(left)) { // afterwards: imports are resolved in the remaining files
		n++
		text := []byte(left[file])
		if filepath.Ext(file) == ".go" {
			text, err = imports.Process(filepath.Join(t.root, file), text, nil) // drops unused imports
			if err != nil {
				return n, fmt.Errorf("format %s: %w", file, err)
			}
		}
		if err := t.write(file, file, string(text)); err != nil {
			return n, err
		}
	}
	return n, nil
}

// withoutNaming returns the changed files without references to the removed ones, by path.
func (t *tree) withoutNaming(going []part, gone func(file string) bool) (left map[string]string, err error) {
	speaks := func(page, text string) bool {
		return slices.ContainsFunc(going, func(p part) bool { return p.speaks(page, text) })
	}
	left = map[string]string{}
	source := &goFiles{
		module: t.module, goes: gone, set: token.NewFileSet(), gone: map[string]map[string]bool{}, left: map[string]map[string]bool{},
	}
	tests, err := t.removedTests(gone)
	if err != nil {
		return nil, err
	}
	for _, file := range t.files {
		text, ok, err := t.text(file)
		if err != nil {
			return nil, err
		}
		switch {
		case !ok || path.Dir(file) == "internal/tool/fork": // this package, which needs the names to remove them
		case filepath.Ext(file) == ".go":
			if err := source.add(file, text); err != nil {
				return nil, err
			}
		case filepath.Ext(file) == ".css" && !gone(file):
			rest := text
			for _, p := range going {
				if p.rules != nil {
					rest = p.rules.ReplaceAllString(rest, "")
				}
			}
			if rest != text {
				left[file] = rest
			}
		case filepath.Ext(file) == ".md" && !gone(file) && file != tutorial:
			if rest := withoutTests(withoutMentions(file, text, gone, speaks), tests); rest != text {
				left[file] = rest
			}
		}
	}
	maps.Copy(left, source.cut())
	return left, nil
}

// removedTests returns the names of the tests that only removed files have.
func (t *tree) removedTests(gone func(file string) bool) (map[string]bool, error) {
	removed, stays := map[string]bool{}, map[string]bool{}
	for _, file := range t.files {
		if !strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, _, err := t.text(file)
		if err != nil {
			return nil, err
		}
		for _, found := range declaredTest.FindAllStringSubmatch(text, -1) {
			if gone(file) {
				removed[found[1]] = true
			} else {
				stays[found[1]] = true
			}
		}
	}
	maps.DeleteFunc(removed, func(name string, _ bool) bool { return stays[name] })
	return removed, nil
}

var declaredTest = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

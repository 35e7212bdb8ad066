package fork

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/imports"
)

// Removed says what [Remove] has taken away.
type Removed struct {
	Parts []string // the one that was asked for, and before it those that cannot do without it
	Files int      // that are gone or changed
}

// Remove takes a part away from the app in root, the top directory of a git repository, with the parts that cannot do
// without it and with what only they need from go.mod. It commits nothing. The error is [ErrNothingToDo] if the part is gone
// already, a [*DirtyError], or says that there is no such part or that a file is not marked right.
func Remove(ctx context.Context, root, name string) (done Removed, err error) {
	all := parts()
	if p, ok := all[name]; !ok || p.users != nil {
		return done, fmt.Errorf("there is no part %q to remove: the parts are %s", name, strings.Join(removable(all), ", "))
	}
	t, err := openTree(ctx, root)
	if err != nil {
		return done, err
	}
	if !slices.ContainsFunc(t.files, all[name].has) {
		return done, ErrNothingToDo
	}
	for _, other := range slices.Sorted(maps.Keys(all)) {
		if slices.Contains(all[other].knows, name) && slices.ContainsFunc(t.files, all[other].has) {
			done.Parts = append(done.Parts, other)
		}
	}
	done.Parts = append(done.Parts, name)
	for _, other := range slices.Sorted(maps.Keys(all)) {
		if t.unused(all, other, done.Parts) {
			done.Parts = append(done.Parts, other)
		}
	}
	left := map[string]string{} // of files that change
	for _, file := range t.files {
		if err := t.strip(file, done.Parts, left); err != nil {
			return done, err
		}
	}
	pages := false
	for _, file := range t.files {
		switch rest, changed := left[file]; {
		case t.isGone(file, done.Parts):
			err = os.Remove(filepath.Join(root, file))
		case changed:
			pages = pages || filepath.Ext(file) == ".templ"
			err = t.write(file, file, rest)
		default:
			continue
		}
		if err != nil {
			return done, err
		}
		done.Files++
	}
	for _, part := range done.Parts {
		if err := t.migrate(part); err != nil {
			return done, err
		}
	}
	if pages {
		err = t.generate(ctx)
	}
	if err == nil {
		_, err = t.run(ctx, "go", "mod", "tidy")
	}
	return done, err
}

// removable are the names of the parts that can be asked for.
func removable(all map[string]part) []string {
	names := slices.Sorted(maps.Keys(all))
	return slices.DeleteFunc(names, func(name string) bool { return all[name].users != nil })
}

// unused says whether a part is there that nobody needs any more once some are gone.
func (t *tree) unused(all map[string]part, name string, gone []string) bool {
	users := all[name].users
	return users != nil && slices.ContainsFunc(t.files, all[name].has) && !slices.ContainsFunc(users, func(user string) bool {
		return !slices.Contains(gone, user) && slices.ContainsFunc(t.files, all[user].has)
	})
}

// has says whether a file belongs to the part.
func (p part) has(file string) bool {
	return slices.ContainsFunc(p.paths, func(pattern string) bool {
		for part := file; part != "."; part = path.Dir(part) {
			if ok, _ := path.Match(pattern, part); ok {
				return true
			}
		}
		return false
	})
}

// isGone says whether a file belongs to one of some parts.
func (t *tree) isGone(file string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return parts()[name].has(file) })
}

// strip notes what is left of a file without some parts, if it is something else than there is.
func (t *tree) strip(file string, names []string, left map[string]string) error {
	text, ok, err := t.text(file)
	if err != nil || !ok || t.isGone(file, names) {
		return err
	}
	rest := text
	for _, name := range names {
		if rest, err = without(rest, name); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if filepath.Ext(file) == ".md" {
			rest = withoutLines(rest, t.gone(file, name))
		}
	}
	if rest == text {
		return nil
	}
	if filepath.Ext(file) == ".go" {
		used, err := imports.Process(filepath.Join(t.root, file), []byte(rest), nil) // drops imports that are not used any more
		if err != nil {
			return fmt.Errorf("format %s: %w", file, err)
		}
		rest = string(used)
	}
	left[file] = rest
	return nil
}

// gone are the paths of a part and all of its files, as a page names them: from the top, or from where it is itself.
func (t *tree) gone(page, name string) (all []string) {
	p := parts()[name]
	for _, file := range slices.Concat(t.files, p.paths) {
		if !p.has(file) && !slices.Contains(p.paths, file) {
			continue
		}
		all = append(all, file)
		if beside, ok := strings.CutPrefix(file, path.Dir(page)+"/"); ok {
			all = append(all, beside)
		} else if path.Dir(page) != "." {
			all = append(all, "../"+file)
		}
	}
	return all
}

// migrate adds the migration that takes the tables of a part away.
func (t *tree) migrate(name string) error {
	sql := parts()[name].migration
	if sql == "" {
		return nil
	}
	there, err := filepath.Glob(filepath.Join(t.root, "migrations", "0*.sql"))
	if err != nil || len(there) == 0 {
		return fmt.Errorf("number the migration behind %d others: %w", len(there), err)
	}
	var newest int
	if _, err := fmt.Sscanf(filepath.Base(there[len(there)-1]), "%d_", &newest); err != nil {
		return fmt.Errorf("number the migration: %w", err)
	}
	file := fmt.Sprintf("%05d_without_%s.sql", newest+1, name)
	return os.WriteFile(filepath.Join(t.root, "migrations", file), []byte(sql), 0o644) //nolint:gosec // source code is for everybody
}

var mark = regexp.MustCompile(`^\s*(?:#|//|--|%%|<!--) (begin|end) ([a-z]+)(?: -->)?\s*$`)

// without gives a text without what is marked as of a part. The error says in which line a mark is wrong.
func without(text, part string) (string, error) {
	var rest strings.Builder
	inside, number := false, 0
	for line := range strings.Lines(text) {
		number++
		if found := mark.FindStringSubmatch(line); found != nil && found[2] == part {
			if begins := found[1] == "begin"; begins == inside {
				return "", fmt.Errorf("line %d: %s %s does not fit the one before", number, found[1], part)
			}
			inside = !inside
			continue
		}
		if !inside {
			rest.WriteString(line)
		}
	}
	if inside {
		return "", fmt.Errorf("begin %s has no end", part)
	}
	return rest.String(), nil
}

// withoutLines gives a Markdown text without the lines that begin with a path or with a link to one, and without the rows of
// tables that name one.
func withoutLines(text string, paths []string) string {
	var rest strings.Builder
	for line := range strings.Lines(text) {
		start := strings.TrimLeft(line, " -[`")
		if !slices.ContainsFunc(paths, func(path string) bool {
			return strings.HasPrefix(start, path) ||
				strings.HasPrefix(line, "|") && (strings.Contains(line, "`"+path+"`") || strings.Contains(line, "]("+path+")"))
		}) {
			rest.WriteString(line)
		}
	}
	return rest.String()
}

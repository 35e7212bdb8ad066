package fork

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Parts are what a fork can do without: files and directories, by the name of the part.
//
// What other files say of a part stands between two lines that hold nothing but a comment, "begin" or "end" and its
// name. In Markdown a line that begins with one of the paths, or with a link to one, needs no such lines.
func Parts() map[string][]string {
	return map[string][]string{
		"bench":   {"internal/bench", "docs/performance.md", "docs/performance.json"},
		"torture": {"internal/torture", "docs/torture.md"},
	}
}

// Remove takes a part away from the app in root, the top directory of a git repository, and what only that part needs
// from go.mod. It returns how many files are gone or changed, and commits nothing. The error is [ErrNothingToDo] if
// the part is gone already, a [*DirtyError], or says that there is no such part or that a file is not marked right.
func Remove(ctx context.Context, root, part string) (changed int, err error) {
	paths, ok := Parts()[part]
	if !ok {
		return 0, fmt.Errorf("there is no part %q to remove: the parts are %s", part,
			strings.Join(slices.Sorted(maps.Keys(Parts())), ", "))
	}
	tree, err := openTree(ctx, root)
	if err != nil {
		return 0, err
	}
	gone := func(file string) bool {
		return slices.ContainsFunc(paths, func(path string) bool { return file == path || strings.HasPrefix(file, path+"/") })
	}
	if !slices.ContainsFunc(tree.files, gone) {
		return 0, ErrNothingToDo
	}
	for _, file := range tree.files {
		if gone(file) {
			changed++
			continue
		}
		text, ok, err := tree.text(file)
		if err != nil {
			return changed, err
		}
		rest, err := without(text, part)
		if err != nil {
			return changed, fmt.Errorf("%s: %w", file, err)
		}
		if filepath.Ext(file) == ".md" {
			rest = withoutLines(rest, paths)
		}
		if !ok || rest == text {
			continue
		}
		if err := tree.write(file, file, rest); err != nil {
			return changed, err
		}
		changed++
	}
	for _, path := range paths {
		if err := os.RemoveAll(filepath.Join(root, path)); err != nil {
			return changed, err
		}
	}
	_, err = tree.run(ctx, "go", "mod", "tidy")
	return changed, err
}

var mark = regexp.MustCompile(`^\s*(?:#|//|--|<!--) (begin|end) ([a-z]+)(?: -->)?\s*$`)

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

// withoutLines gives a Markdown text without the lines that begin with a path, or with a link to one.
func withoutLines(text string, paths []string) string {
	var rest strings.Builder
	for line := range strings.Lines(text) {
		start := strings.TrimLeft(line, " -[`")
		if !slices.ContainsFunc(paths, func(path string) bool { return strings.HasPrefix(start, path) }) {
			rest.WriteString(line)
		}
	}
	return rest.String()
}

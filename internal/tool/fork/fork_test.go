package fork_test

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/tool/fork"
	"onlyonce/internal/tool/scratch"
)

// TestRenameThenRemove makes a copy of the app a fork: with names that are hard to replace, and without each of the parts. The references
// to a part are removed, and the rest compiles. TestTutorial runs its tests.
func TestRenameThenRemove(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	s := scratch.Copy(t, "../../..")
	renameCopy(t, s)
	removed := false
	for _, part := range []string{"lab", "proof", "invoices"} {
		out := s.Run("go", "run", "./internal/tool/fork/cmd/remove", part) // the copy's version, which has its names
		if strings.Contains(out, "nothing to do") {                        // a fork without it
			continue
		}
		removed = part == "invoices"
		must.Thatf(t, strings.Contains(out, "files are gone or changed"), "%s: %s", part, out)
		s.Commit()
		s.CheckTypes()
		_, err := fork.Remove(t.Context(), s.Dir, part)
		assert.Thatf(t, errors.Is(err, fork.ErrNothingToDo), "%s again: %v", part, err)
	}
	if removed {
		wantNoInvoices(t, s)
	}
	unformatted := s.Run("gofmt", "-l", ".")
	assert.Thatf(t, unformatted == "", "not formatted: %s", unformatted)
	s.Run("go", "tool", "templ", "generate", "-check")
	if fork.Now().Renamed() { // in a fork, which has its names
		return
	}
	again := s.Run("go", "run", "./internal/tool/fork/cmd/rename", "-module", someNames(t).Module, "-name", someNames(t).Product)
	assert.Thatf(t, strings.Contains(again, "nothing to do"), "the second time it says %s", again)

	other := scratch.Copy(t, "../../..")
	switch _, err := fork.Remove(t.Context(), other.Dir, "invoices"); {
	case err == nil:
		other.Commit()
	case !errors.Is(err, fork.ErrNothingToDo):
		t.Fatal(err)
	}
	renameCopy(t, other)
	files, others := s.Files(), other.Files()
	for name := range others {
		assert.Thatf(t, files[name] == others[name], "%s depends on which of the two was first", name)
	}
	assert.Thatf(t, len(files) == len(others), "%d or %d files are left", len(files), len(others))
}

// wantNoInvoices checks that the rest doesn't mention invoices, except as an example in comments, tests and explanations of the
// code.
func wantNoInvoices(t *testing.T, s *scratch.Repository) {
	t.Helper()
	examples := regexp.MustCompile(
		`_test\.go$|/viewtest/|^internal/tool/|^docs/decisions/|^docs/tutorial\.md$|^(CHANGELOG|CONTRIBUTING|STYLE)\.md$`)
	spoken := regexp.MustCompile(`(?i)(?:^|[^=\w])invoice`)
	for name, text := range s.Files() {
		for number, line := range strings.Split(text, "\n") {
			said, _, _ := strings.Cut(line, "// ")
			assert.Thatf(t, examples.MatchString(name) || !spoken.MatchString(strings.ReplaceAll(said, someNames(t).Module, "")),
				"%s:%d speaks of invoices: %s", name, number+1, line)
		}
	}
}

// someNames are long, so that lines get long as well. The path of the module contains the old one, and names of parts.
func someNames(t *testing.T) fork.Names {
	t.Helper()
	return newNames(t, "example.com/invoices/onlyonce", "Bookkeeper and Ledger")
}

// renameCopy renames a copy of the app and commits it, unless it was renamed before.
func renameCopy(t *testing.T, s *scratch.Repository) {
	t.Helper()
	old, names := fork.Now(), someNames(t)
	if old.Renamed() {
		return
	}
	changed, err := fork.Rename(t.Context(), s.Dir, old, names)
	must.Thatf(t, err == nil && changed >= 100, "%d files changed: %v", changed, err)
	left := regexp.MustCompile(`(?i)` + old.Slug + `|\b` + old.Token + `|only-once-demo`)
	mixed := regexp.MustCompile(`"` + names.Slug + `/`)
	for name, text := range s.Files() {
		if found := left.FindString(name); found != "" {
			t.Errorf("the file %s has the name %q", name, found)
		}
		for number, line := range strings.Split(text, "\n") {
			mayStay := slices.Contains([]string{"LICENSE", "CHANGELOG.md", "docs/tutorial.md"}, name) || strings.Contains(text, "\x00")
			found := left.FindString(strings.ReplaceAll(line, names.Module, ""))
			assert.Thatf(t, found == "" || mayStay, "%s:%d has the name %q", name, number+1, found)
			assert.Thatf(t, !strings.HasSuffix(name, ".go") || !mixed.MatchString(line),
				"%s:%d has the slug in place of the module: write the path as far as internal", name, number+1)
			if width := len([]rune(strings.ReplaceAll(line, "\t", "    "))); strings.HasSuffix(name, ".go") &&
				!strings.HasSuffix(name, "_templ.go") && width > 140 {
				t.Errorf("%s:%d is %d characters long: break it, so that a longer name has its place", name, number+1, width)
			}
		}
	}
	s.Commit()
}

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/must"
)

// TestDoubtsAreKept generates the table again in a copy: it stays as it is, and so does the paragraph below it, which names
// each app with doubtful rows. The page of an app has its whole description, with the names of these rows.
func TestDoubtsAreKept(t *testing.T) {
	root, err := filepath.Abs("../../../../..")
	must.OK(t, err)
	t.Chdir(t.TempDir())
	must.OK(t, os.CopyFS("docs", os.DirFS(filepath.Join(root, "docs"))))
	must.OK(t, os.CopyFS("e2e/apps", os.DirFS(filepath.Join(root, "e2e/apps"))))
	before := must.Read(t, "docs/verdicts.md")
	must.OK(t, write(nil))
	after := must.Read(t, "docs/verdicts.md")
	sorted := func(text string) []string { return slices.Sorted(strings.Lines(text)) } // a renamed app is in another place
	if !slices.Equal(sorted(before), sorted(after)) {
		t.Errorf("docs/verdicts.md has become\n%s", after)
	}
	_, doubts, _ := strings.Cut(before, "<!-- end verdicts -->\n\n**In doubt:** ")
	doubts, _, _ = strings.Cut(doubts, "\n\n")
	repo, err := os.OpenRoot(".")
	must.OK(t, err)
	defer repo.Close()
	runs, err := filepath.Glob("docs/verdicts/*.xml")
	must.OK(t, err)
	for _, run := range runs {
		app := strings.TrimSuffix(filepath.Base(run), ".xml")
		title, words, err := about(repo, app)
		must.OK(t, err)
		page := must.Read(t, "docs/verdicts/"+app+".md")
		if !strings.Contains(page, words) {
			t.Errorf("the page of %s has no\n%s", title, words)
		}
		_, doubt, doubtful := strings.Cut(words, "**In doubt:** ")
		if !doubtful {
			continue
		}
		product, _, _ := strings.Cut(title, "'")
		if !strings.Contains(doubts, product) {
			t.Errorf("docs/verdicts.md does not say that rows of %s are in doubt", title)
		}
		for n, row := range strings.Split(doubt, "*") {
			if n%2 == 1 && !strings.Contains(page, " | "+row+" | ") {
				t.Errorf("the page of %s has no row %q", title, row)
			}
		}
	}
}

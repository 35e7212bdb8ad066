package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// TestPagesAreKept generates the table again in a copy: the page stays as it is, and the page of an app has its whole description.
func TestPagesAreKept(t *testing.T) {
	root, err := filepath.Abs("../../../../..")
	must.OK(t, err)
	t.Chdir(t.TempDir())
	must.OK(t, os.CopyFS("docs", os.DirFS(filepath.Join(root, "docs"))))
	must.OK(t, os.CopyFS("e2e/apps", os.DirFS(filepath.Join(root, "e2e/apps"))))
	before := must.Read(t, "docs/verdicts.md")
	must.OK(t, write(nil))
	after := must.Read(t, "docs/verdicts.md")
	sorted := func(text string) []string { return slices.Sorted(strings.Lines(text)) } // a renamed app is in another place
	assert.Thatf(t, slices.Equal(sorted(before), sorted(after)), "docs/verdicts.md has become\n%s", after)
	repo, err := os.OpenRoot(".")
	must.OK(t, err)
	defer repo.Close()
	apps, err := filepath.Glob("e2e/apps/*/about.md")
	must.OK(t, err)
	for _, app := range apps {
		app := filepath.Base(filepath.Dir(app))
		title, words, err := about(repo, app)
		must.OK(t, err)
		page := must.Read(t, "docs/verdicts/"+app+".md")
		assert.Thatf(t, strings.Contains(page, words), "the page of %s has no\n%s", title, words)
	}
}

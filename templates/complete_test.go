package templates_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// TestEveryPageIsLookedAt checks that each page is among the states that the tests of its folder check.
func TestEveryPageIsLookedAt(t *testing.T) {
	t.Parallel()
	below, err := filepath.Glob("*/*.templ")
	must.Thatf(t, err == nil && len(below) != 0, "%d files below, %v", len(below), err)
	folders := map[string]bool{".": true}
	for _, file := range below {
		folders[filepath.Dir(file)] = true
	}
	pages := 0
	for folder := range folders {
		states := sourceOf(t, filepath.Join(folder, "*states_test.go"))
		assert.Thatf(t, strings.Contains(states, "viewtest.Check(t, states())"), "%s: no test goes through its states", folder)
		source := sourceOf(t, filepath.Join(folder, "*.templ"))
		room := packageName.FindStringSubmatch(source)[1]
		for _, page := range page.FindAllStringSubmatch(source, -1) {
			pages++
			if name := page[1]; name != "Layout" && name != "FormPage" && !strings.Contains(states, room+"."+name+"(") {
				t.Errorf("%s: no state of %s is looked at: add it to states()", folder, name)
			}
		}
	}
	assert.Thatf(t, pages >= 10, "only %d pages", pages)
}

var (
	packageName = regexp.MustCompile(`(?m)^package (\w+)`)
	// page matches a component that is a whole page, or a frame of pages.
	page = regexp.MustCompile(`(?m)^templ ([A-Z]\w*)\(p (?:templates\.)?Page\b`)
)

// sourceOf returns the text of all files that match. It fails if none does.
func sourceOf(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	must.Thatf(t, err == nil && len(files) != 0, "%d files match %s: %v", len(files), pattern, err)
	var all strings.Builder
	for _, file := range files {
		source := must.Read(t, file)
		all.WriteString(source)
	}
	return all.String()
}

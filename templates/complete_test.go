package templates_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryPageIsLookedAt: each page has a place among the states that the tests of this package go through.
func TestEveryPageIsLookedAt(t *testing.T) {
	t.Parallel()
	var states strings.Builder
	lookedAt, err := filepath.Glob("*states_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range lookedAt {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		states.Write(source)
	}
	files, err := filepath.Glob("*.templ")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	pages := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range page.FindAllSubmatch(source, -1) {
			pages++
			name := string(page[1])
			if name != "Layout" && name != "FormPage" && !strings.Contains(states.String(), "templates."+name+"(") {
				t.Errorf("%s: no state of %s is looked at: add it to states()", file, name)
			}
		}
	}
	if pages < 10 {
		t.Errorf("only %d pages", pages)
	}
}

// page matches a component that is a whole page, but for the frames of others.
var page = regexp.MustCompile(`(?m)^templ ([A-Z]\w*)\(p Page\b`)

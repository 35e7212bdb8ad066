package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	box   = regexp.MustCompile(`(?m)^ +(\w+)\["([\w/]+)`)
	arrow = regexp.MustCompile(`(?m)^ +(\w+) --> (\w+)$`)
)

// TestTheArchitectureIsAsItIsDrawn compares the diagram in docs/architecture.md with the packages: each box is a package, and
// each arrow is an import.
func TestTheArchitectureIsAsItIsDrawn(t *testing.T) {
	t.Parallel()
	page := read(t, "../../..", "docs/architecture.md")
	if boxes, arrows := box.FindAllString(page, -1), arrow.FindAllString(page, -1); len(boxes) < 12 || len(arrows) < 12 {
		t.Errorf("found %d boxes and %d arrows", len(boxes), len(arrows))
	}
	for _, wrong := range misdrawn(page, list(t)) {
		t.Error("docs/architecture.md: " + wrong)
	}
	for name := range rooms {
		if !strings.Contains(page, "`"+name) && !strings.Contains(page, `"`+name) {
			t.Errorf("docs/architecture.md does not say what %s is", name)
		}
	}
}

// misdrawn returns a sentence for each difference between a diagram and the packages.
func misdrawn(page string, packages []pkg) (found []string) {
	imports := map[string][]string{} // by the path of a package; with the packages below it
	for _, p := range packages {
		imports[strings.TrimPrefix(p.path, module+"/")] = p.imports
	}
	path := map[string]string{}
	for _, b := range box.FindAllStringSubmatch(page, -1) {
		path[b[1]] = b[2]
		if _, ok := imports[b[2]]; !ok {
			found = append(found, b[2]+" is no package")
		}
	}
	for _, a := range arrow.FindAllStringSubmatch(page, -1) {
		if from, to := path[a[1]], path[a[2]]; !slices.Contains(imports[from], module+"/"+to) {
			found = append(found, fmt.Sprintf("%s does not import %s", from, to))
		}
	}
	return found
}

func TestWhatIsMisdrawnIsFound(t *testing.T) {
	t.Parallel()
	const boxes = "    a[\"cmd/a: A\"]\n    b[\"b\"]\n    c[\"c\"]\n"
	packages := []pkg{
		{module + "/cmd/a", []string{module + "/b", module + "/c", "fmt"}}, {module + "/b", []string{module + "/c"}}, {module + "/c", nil},
	}
	for arrows, want := range map[string]string{
		"    b --> c\n    a --> b\n":            "",
		"    a --> b\n    c --> b\n":            "c does not import b",
		"    d[\"d\"]\n":                        "d is no package",
		"    a --> d\n    d[\"internal/d: D\"]": "cmd/a does not import internal/d",
	} {
		wantFound(t, arrows, misdrawn(boxes+arrows, packages), want)
	}
}

package check

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"onlyonce/internal/must"
)

// TestClaimsHaveTheirTests: every test and every row of the table of cases that a page of claims names exists.
func TestClaimsHaveTheirTests(t *testing.T) {
	t.Parallel()
	const root = "../../.."
	tests, err := testsUnder(root)
	must.OK(t, err)
	cases := read(t, root, "internal/site/cases_test.go")
	for page, least := range map[string]int{"docs/security.md": 50, "docs/idempotency.md": 25, "CONTRIBUTING.md": 10} {
		named := regexp.MustCompile("`(Test[A-Za-z0-9]+)(?:/([^`\n]+))?`").FindAllStringSubmatch(read(t, root, page), -1)
		if len(named) < least {
			t.Errorf("%s names only %d tests", page, len(named))
		}
		for _, name := range named {
			switch {
			case !tests[name[1]]:
				t.Errorf("%s names %s, and there is no such test: name the one that holds the claim, or drop the claim", page, name[1])
			case name[2] != "" && !strings.Contains(cases, `{"`+name[2]+`", `):
				t.Errorf("%s names the row %q, which internal/site/cases_test.go does not have", page, name[2])
			}
		}
	}
}

// testsUnder returns the names of all test functions in a tree.
func testsUnder(root string) (map[string]bool, error) {
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	tests := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && path != root):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(path)
		for _, found := range declared.FindAllStringSubmatch(string(source), -1) {
			tests[found[1]] = true
		}
		return err
	})
	return tests, err
}

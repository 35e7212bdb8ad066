package check

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/must"
)

// TestClaimsHaveTheirTests: every test and every row of the table of cases that a page names exists.
func TestClaimsHaveTheirTests(t *testing.T) {
	t.Parallel()
	const root = "../../.."
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	tests := map[string]bool{}
	eachFile(t, func(path string) {
		if strings.HasSuffix(path, "_test.go") {
			for _, found := range declared.FindAllStringSubmatch(must.Read(t, path), -1) {
				tests[found[1]] = true
			}
		}
	})
	var cases string
	for _, table := range []string{"cases", "checks", "race"} {
		cases += read(t, root, "internal/site/sitetest/"+table+".go")
	}
	least := map[string]int{"docs/security.md": 50, "docs/idempotency.md": 25, "CONTRIBUTING.md": 10}
	pages, err := filepath.Glob(root + "/docs/*.md")
	must.OK(t, err)
	decisions, err := filepath.Glob(root + "/docs/decisions/*.md")
	must.OK(t, err)
	for _, page := range slices.Concat(pages, decisions, []string{root + "/README.md", root + "/CONTRIBUTING.md", root + "/STYLE.md"}) {
		page = strings.TrimPrefix(page, root+"/")
		named := regexp.MustCompile("`(Test[A-Za-z0-9]+)(?:/([^`\n]+))?`").FindAllStringSubmatch(read(t, root, page), -1)
		if len(named) < least[page] {
			t.Errorf("%s names only %d tests", page, len(named))
		}
		for _, name := range named {
			switch {
			case !tests[name[1]]:
				t.Errorf("%s names %s, and there is no such test: name the one that holds the claim, or drop the claim", page, name[1])
			case name[2] != "" && least[page] > 0 && !regexp.MustCompile(`"/?`+regexp.QuoteMeta(name[2])+`"`).MatchString(cases):
				t.Errorf("%s names the row %q, which internal/site/sitetest does not have", page, name[2])
			}
		}
	}
}

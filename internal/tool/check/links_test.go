package check

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// TestLinksLeadSomewhere: every relative link in a Markdown file leads to an existing file or directory, and its anchor to a
// heading.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	pages := 0
	eachFile(t, func(path string) {
		if filepath.Ext(path) != ".md" {
			return
		}
		pages++
		for _, broken := range brokenLinks(filepath.Dir(path), must.Read(t, path)) {
			t.Errorf("%s: %s", path, broken)
		}
	})
	assert.Thatf(t, pages >= 20, "looked at %d pages", pages)
}

// eachFile calls look for each file of the repository, except in node_modules and hidden directories other than .ci and .github.
func eachFile(t *testing.T, look func(path string)) {
	t.Helper()
	const root = "../../.."
	must.OK(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(d.Name(), ".") && !slices.Contains([]string{"..", ".ci", ".github"}, d.Name())
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || hidden):
			return fs.SkipDir
		case d.Type().IsRegular():
			look(path)
		}
		return nil
	}))
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	fence   = regexp.MustCompile("(?ms)^```.*?^```$")
	code    = regexp.MustCompile("`[^`\n]+`")
)

// brokenLinks returns a sentence for each broken link of a page in dir.
func brokenLinks(dir, text string) (found []string) {
	text = fence.ReplaceAllString(text, "")
	for _, to := range link.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
		if strings.Contains(to[1], "://") || strings.HasPrefix(to[1], "mailto:") {
			continue
		}
		name, anchor, anchored := strings.Cut(to[1], "#")
		page := text
		if name != "" {
			file := filepath.Join(dir, name)
			content, err := os.ReadFile(file)
			if info, statErr := os.Stat(file); statErr != nil || err != nil && !info.IsDir() {
				found = append(found, to[1]+" leads to no file")
				continue
			}
			page = fence.ReplaceAllString(string(content), "")
		}
		if anchored && filepath.Ext(name) != ".go" && !anchors(page)[anchor] {
			found = append(found, to[1]+" leads to no heading")
		}
	}
	return found
}

// anchors returns the anchors that GitHub generates for the headings of a page.
func anchors(page string) map[string]bool {
	names := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(page, -1) {
		title := link.ReplaceAllString(h[1], "")
		names[strings.Map(func(r rune) rune {
			switch {
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			case r == ' ':
				return '-'
			default:
				return -1
			}
		}, strings.TrimSpace(title))] = true
	}
	return names
}

// TestEveryDecisionIsListed: the index of decisions lists each decision with a status.
func TestEveryDecisionIsListed(t *testing.T) {
	t.Parallel()
	const dir = "../../../docs/decisions"
	files, err := filepath.Glob(dir + "/0*.md")
	must.Thatf(t, err == nil && len(files) >= 12, "found %d decisions: %v", len(files), err)
	index := read(t, dir, "README.md")
	for _, file := range files {
		row := regexp.MustCompile(`(?m)^\| \[\d+\]\(` + filepath.Base(file) + `\) \| .+ \| (accepted|replaced by \S+) \|$`)
		if !row.MatchString(index) {
			t.Errorf("docs/decisions/README.md does not list %s with its status", filepath.Base(file))
		}
	}
}

func TestBrokenLinksAreFound(t *testing.T) {
	t.Parallel()
	const page = "# Links, and more\n\n## A `code` word\n\n"
	for to, want := range map[string]string{
		"links_test.go":              "",
		"../check":                   "",
		"links_test.go#L1":           "",
		"#links-and-more":            "",
		"#a-code-word":               "",
		"https://example.com/x":      "",
		"nothing.md":                 "no file",
		"../nothing/":                "no file",
		"#links":                     "no heading",
		"../../../README.md#nothing": "no heading",
	} {
		wantFound(t, to, brokenLinks(".", page+"[x]("+to+")"), want)
	}
}

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
		assert.Thatf(t, len(named) >= least[page], "%s names only %d tests", page, len(named))
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

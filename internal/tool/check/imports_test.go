package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

const module = "onlyonce"

// level is the height of a room. Imports go downward only: a package may import rooms on lower levels, and its own room.
type level int

const (
	leaf       level = iota // imports no other room
	foundation              // uses the database, and knows no business
	domain                  // one business concept each; may use its neighbours
	kit                     // HTTP, forms, lists
	parts                   // what the pages of several rooms have in common
	pages                   // the pages and the API of a domain
	app                     // wires everything but the pages, which programs pass to it
	site                    // lists the domains
	around                  // the command line, and additions to the app that only some programs have
	program                 // starts an app
	tests                   // declares resources for tests, or tests them: only tests import it
)

// rooms lists the level of every room except the domains and their pages; if an import path is in several, the innermost
// counts. A directory in internal/ that is not listed is a domain: the strictest level, and the one where most new rooms
// belong.
var rooms = map[string]level{
	"docs":                         leaf,
	"migrations":                   leaf,
	"static":                       leaf,
	"templates":                    leaf,
	"templates/viewtest":           tests,
	"internal/invoice/excerpt":     parts,
	"internal/invoice/invoiceform": parts,
	"internal/invoice/pdf":         leaf,
	"internal/invoice/ubl":         leaf,
	"internal/invalid/text":        leaf,
	"internal/tool":                foundation,
	"internal/proof":               program,
	"internal/proof/layer":         foundation,
	"internal/proof/proxy":         leaf,
	"internal/proof/redis":         foundation,
	"internal/value":               foundation,
	"internal/conflict":            foundation,
	"internal/file":                foundation,
	"internal/idempotency":         foundation,
	"internal/invalid":             foundation,
	"internal/mailer":              foundation,
	"internal/postgres":            foundation,
	"internal/record":              foundation,
	"internal/event/delivery":      domain,
	"internal/web":                 kit,
	"internal/site":                site,
	"internal/site/sitetest":       tests,
	"internal/app":                 app,
	"internal/app/apptest":         program,
	"internal/command":             around,
	"internal/lab/labapp":          around,
	"cmd":                          program,
	"e2e":                          program,
	"internal/proof/browser":       leaf,
	"internal/assert":              leaf,
	"internal/must":                leaf,
	"internal/proof/replica":       leaf,
}

// clients are rooms below the kit that use net/http, and serve no requests.
var clients = map[string]bool{
	"docs":                    true, // the guide's clients
	"internal/event/delivery": true, // jobs that send events
	"internal/file":           true, // detects the types of files
	"internal/lab":            true,
	"internal/proof/browser":  true,
	"internal/proof/replica":  true,
	"internal/tool":           true,
}

// pkg is a package without its tests, which may import more: a test may start the real app in any package.
type pkg struct {
	path    string
	imports []string
}

func TestImportsGoDownwardOnly(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		for _, broken := range violations(p) {
			t.Error(broken)
		}
	}
}

// TestTheServerHasNoProof checks that the released program links neither the lab, which removes protection from databases, nor tools of
// the proof, such as the proxy that cuts connections.
func TestTheServerHasNoProof(t *testing.T) {
	t.Parallel()
	output, err := exec.Command("go", "list", "-deps", module+"/cmd/server").Output()
	must.OK(t, err)
	linked := strings.Fields(string(output))
	assert.Thatf(t, slices.Contains(linked, module+"/internal/app"), "the server links no app, but %q", linked)
	for _, p := range linked {
		assert.Thatf(t, !strings.HasPrefix(p+"/", module+"/internal/lab/") && !strings.HasPrefix(p, module+"/internal/proof/"),
			"cmd/server links %s", p)
	}
}

// ofRooms matches words of domains. What the kit shows about them comes from their rooms.
var ofRooms = regexp.MustCompile(`(?i)\b(business|credit.note|customer|invoice|payment|refund|webhook)`)

// TestTheKitSpeaksOfNoDomain checks the texts in package web and its subpackages.
func TestTheKitSpeaksOfNoDomain(t *testing.T) {
	t.Parallel()
	looked := 0
	for _, p := range whole(t).packages {
		if room(p.PkgPath) != "internal/web" {
			continue
		}
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				if _, ok := n.(*ast.ImportSpec); ok { // a fork's module may have any name
					return false
				}
				text, ok := n.(*ast.BasicLit)
				if !ok || text.Kind != token.STRING {
					return true
				}
				looked++
				if word := ofRooms.FindString(text.Value); word != "" {
					t.Errorf("%s: the kit speaks of %q: let its room pass the text", p.Fset.Position(text.Pos()), word)
				}
				return true
			})
		}
	}
	assert.Thatf(t, looked >= 500, "looked at %d texts", looked)
}

func TestViolationsAreFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pkg, imports string
		want         string
	}{
		"downward":                 {"internal/app", "onlyonce/internal/web", ""},
		"two levels down":          {"internal/customer", "onlyonce/internal/value/money", ""},
		"pages within pages":       {"templates", "onlyonce/templates/parts", ""},
		"own room":                 {"internal/postgres/pgtest", "onlyonce/internal/postgres", ""},
		"neighbouring domain":      {"internal/customer", "onlyonce/internal/people/settings", ""},
		"upward":                   {"internal/web", "onlyonce/internal/app", "downward only"},
		"same level":               {"internal/postgres", "onlyonce/internal/idempotency", ""},
		"program from program":     {"cmd/server", "onlyonce/e2e", "downward only"},
		"app and site":             {"internal/app", "onlyonce/internal/site", "downward only"},
		"app and command line":     {"internal/app", "onlyonce/internal/command", "downward only"},
		"leaf with a dependency":   {"templates", "onlyonce/internal/value/money", "downward only"},
		"domain and HTTP":          {"internal/customer", "net/http", "nothing of HTTP"},
		"subpackage and HTTP":      {"internal/customer/card", "net/http/httptest", "nothing of HTTP"},
		"domain and pages":         {"internal/customer", "onlyonce/templates", "nothing of HTTP"},
		"unknown room is a domain": {"internal/unknown", "net/http", "nothing of HTTP"},
		"kit and HTTP":             {"internal/web", "net/http", ""},
		"kit and domain":           {"internal/web", "onlyonce/internal/customer", "knows no domain"},
		"kit and lab":              {"internal/web/apidoc", "onlyonce/internal/lab", "knows no domain"},
		"kit and its callers":      {"internal/web", "onlyonce/internal/people/account", "knows no domain"},
		"kit and a domain's views": {"internal/web", "onlyonce/templates/invoiceviews", "knows no domain"},
		"kit and pages":            {"internal/web", "onlyonce/internal/customer/customerpages", "downward only"},
		"pages and their domain":   {"internal/customer/customerpages", "onlyonce/internal/customer", ""},
		"pages and views":          {"internal/customer/customerpages", "onlyonce/templates/customerviews", ""},
		"pages of others":          {"internal/apages", "onlyonce/internal/b/bpages", "downward only"},
		"pages and their parts":    {"internal/invoice/invoicepages", "onlyonce/internal/invoice/invoiceform", ""},
		"parts and pages":          {"internal/invoice/excerpt", "onlyonce/internal/a/apages", "downward only"},
		"site and pages":           {"internal/site", "onlyonce/internal/customer/customerpages", ""},
		"declarations and kit":     {"internal/invoice/invoicecases", "onlyonce/internal/site/sitetest", ""},
		"pages and tests' kit":     {"internal/a/apages", "onlyonce/internal/site/sitetest", "downward only"},
		"app and declarations":     {"internal/app", "onlyonce/internal/invoice/invoicecases", "downward only"},
		"static files need HTTP":   {"static", "net/http", ""},
		"so does a client to read": {"docs/api-client", "net/http", ""},
		"net is not net/http":      {"internal/customer", "net/netip", ""},
		"only the module's own":    {"internal/customer", "onlyonceandagain/x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantFound(t, c.pkg+" imports "+c.imports, violations(pkg{module + "/" + c.pkg, []string{c.imports}}), c.want)
		})
	}
}

// violations returns a sentence for each import of p that its level forbids.
func violations(p pkg) []string {
	var found []string
	from := room(p.path)
	for _, imported := range p.imports {
		to := room(imported)
		switch {
		case to == from && levelOf(from) != kit:
		case ofHTTP(imported) && !mayUseHTTP(from):
			found = append(found, p.path+" imports "+imported+": below internal/web there is nothing of HTTP or pages")
		case levelOf(from) == kit && (to != "" && levelOf(to) == domain || isView(imported)):
			found = append(found, p.path+" imports "+imported+": internal/web knows no domain")
		case to != "" && to != from && !below(to, from):
			found = append(found, p.path+" imports "+imported+": imports go downward only")
		}
	}
	return found
}

func below(to, from string) bool {
	neighbours := levelOf(to) == levelOf(from) && slices.Contains([]level{domain, foundation, tests}, levelOf(from))
	return levelOf(to) < levelOf(from) || neighbours
}

func ofHTTP(importPath string) bool {
	return importPath == "net/http" || strings.HasPrefix(importPath, "net/http/") ||
		slices.Contains([]string{"internal/web", "templates"}, room(importPath))
}

func mayUseHTTP(room string) bool {
	return levelOf(room) > domain || clients[room] || room == "static"
}

// isView reports whether a package has the templates of a domain.
func isView(importPath string) bool { return strings.HasPrefix(importPath, module+"/templates/") }

// room returns the innermost room of an import path: one of rooms, or else a domain or its pages; "" for other modules.
func room(importPath string) string {
	path, ours := strings.CutPrefix(importPath, module+"/")
	if !ours {
		return ""
	}
	parts := strings.Split(path, "/")
	for n := len(parts); n > 0; n-- {
		inner := strings.Join(parts[:n], "/")
		if _, named := rooms[inner]; named || strings.HasSuffix(inner, "pages") || strings.HasSuffix(inner, "cases") {
			return inner
		}
	}
	return strings.Join(parts[:min(2, len(parts))], "/")
}

func levelOf(room string) level {
	if l, named := rooms[room]; named {
		return l
	}
	switch {
	case strings.HasSuffix(room, "pages"):
		return pages
	case strings.HasSuffix(room, "cases"):
		return tests
	}
	return domain
}

// list asks the go command for every package of the module. With -e it also lists packages that don't compile: their imports
// are known all the same.
func list(t *testing.T, flags ...string) (packages []pkg) {
	t.Helper()
	arguments := append([]string{"list", "-e", "-f", `{{.ImportPath}} {{join .Imports " "}}`}, flags...)
	output, err := exec.CommandContext(t.Context(), "go", append(arguments, module+"/...")...).Output()
	must.OK(t, err)
	for line := range strings.Lines(string(output)) {
		words := strings.Fields(line)
		packages = append(packages, pkg{path: words[0], imports: words[1:]})
	}
	must.Thatf(t, len(packages) != 0, "go list found no packages")
	return packages
}

func importsOf(packages []pkg) map[string][]string {
	imports := map[string][]string{}
	for _, p := range packages {
		imports[p.path] = p.imports
	}
	return imports
}

var (
	box   = regexp.MustCompile(`(?m)^ +(\w+)\["([\w/]+)`)
	arrow = regexp.MustCompile(`(?m)^ +(\w+) --> (\w+)$`)
)

// TestTheArchitectureIsAsItIsDrawn compares the diagram in docs/architecture.md with the packages: each box is a package, and
// each arrow is an import.
func TestTheArchitectureIsAsItIsDrawn(t *testing.T) {
	t.Parallel()
	page := read(t, "../../..", "docs/architecture.md")
	boxes, arrows := box.FindAllString(page, -1), arrow.FindAllString(page, -1)
	assert.Thatf(t, len(boxes) >= 12 && len(arrows) >= 12, "found %d boxes and %d arrows", len(boxes), len(arrows))
	for _, wrong := range misdrawn(page, list(t)) {
		t.Error("docs/architecture.md: " + wrong)
	}
	for name := range rooms {
		assert.Thatf(t, strings.Contains(page, "`"+name) || strings.Contains(page, `"`+name),
			"docs/architecture.md does not say what %s is", name)
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

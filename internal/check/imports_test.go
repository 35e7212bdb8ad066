package check

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "onlyonce"

// level says how high up a room is. Imports go downward only: a package may
// import rooms on lower levels, and its own room.
type level int

const (
	leaf       level = iota // depends on nothing of ours
	foundation              // knows the database, not the business
	domain                  // one business concept each; may use its neighbours
	web                     // HTTP over the domains
	app                     // wires everything
	program                 // starts an app
)

// rooms lists the level of every room but the domains. Whatever lives in
// internal/ and is not named here is taken for a domain: the strictest level,
// and the one where most new rooms belong.
var rooms = map[string]level{
	"migrations":           leaf,
	"static":               leaf,
	"templates":            leaf,
	"internal/invalid":     foundation,
	"internal/money":       leaf,
	"internal/text":        leaf,
	"internal/conflict":    leaf,
	"internal/date":        leaf,
	"internal/email":       leaf,
	"internal/check":       leaf,
	"internal/scaffold":    leaf,
	"internal/browser":     leaf,
	"internal/fork":        leaf,
	"internal/proxy":       leaf,
	"internal/scenario":    leaf,
	"internal/postgres":    foundation,
	"internal/idempotency": foundation,
	"internal/record":      foundation,
	"internal/web":         web,
	"internal/app":         app,
	"internal/alone":       program,
	"internal/dev":         program,
	// begin bench
	"internal/bench": program,
	// end bench
	// begin torture
	"internal/torture": program,
	// end torture
	// begin faults
	"internal/replica": leaf,
	"internal/layer":   foundation,
	// end faults
	// begin lab
	"internal/lab": domain,
	// end lab
	// begin invoices
	"docs":         leaf,
	"internal/pdf": leaf,
	"internal/ubl": leaf,
	// end invoices
	"cmd": program,
	"e2e": program,
}

// pkg is a package without its tests, which may import more: one that boots the
// real app is welcome anywhere.
type pkg struct {
	path    string
	imports []string
}

func TestImportsGoDownwardOnly(t *testing.T) {
	t.Parallel()
	packages, err := list()
	if err != nil || len(packages) == 0 {
		t.Fatalf("go list found %d packages: %v", len(packages), err)
	}
	for _, p := range packages {
		for _, broken := range violations(p) {
			t.Error(broken)
		}
	}
}

func TestViolationsAreFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pkg, imports string
		want         string
	}{
		"downward":                 {"internal/app", "onlyonce/internal/web", ""},
		"two levels down":          {"internal/customer", "onlyonce/internal/money", ""},
		"pages within pages":       {"templates", "onlyonce/templates/parts", ""},
		"own room":                 {"internal/postgres/pgtest", "onlyonce/internal/postgres", ""},
		"neighbouring domain":      {"internal/customer", "onlyonce/internal/settings", ""},
		"upward":                   {"internal/web", "onlyonce/internal/app", "downward only"},
		"same level":               {"internal/postgres", "onlyonce/internal/idempotency", ""},
		"program from program":     {"cmd/server", "onlyonce/e2e", "downward only"},
		"leaf with a dependency":   {"templates", "onlyonce/internal/money", "downward only"},
		"domain and HTTP":          {"internal/customer", "net/http", "nothing of HTTP"},
		"subpackage and HTTP":      {"internal/customer/card", "net/http/httptest", "nothing of HTTP"},
		"domain and pages":         {"internal/customer", "onlyonce/templates", "nothing of HTTP"},
		"unknown room is a domain": {"internal/unknown", "net/http", "nothing of HTTP"},
		"web may use HTTP":         {"internal/web", "net/http", ""},
		"static files need HTTP":   {"static", "net/http", ""},
		// begin invoices
		"so does a client to read": {"docs/api-client", "net/http", ""},
		// end invoices
		"net is not net/http":   {"internal/customer", "net/netip", ""},
		"only the module's own": {"internal/customer", "onlyonceandagain/x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(violations(pkg{module + "/" + c.pkg, []string{c.imports}}), "; ")
			if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("%s imports %s: got %q, want %q", c.pkg, c.imports, got, c.want)
			}
		})
	}
}

// violations says in one sentence each what p imports and should not.
func violations(p pkg) []string {
	var found []string
	from := room(p.path)
	for _, imported := range p.imports {
		to := room(imported)
		switch {
		case to == from:
		case ofHTTP(imported) && !mayUseHTTP(from):
			found = append(found, p.path+" imports "+imported+": below internal/web there is nothing of HTTP or pages")
		case to != "" && !below(to, from):
			found = append(found, p.path+" imports "+imported+": imports go downward only")
		}
	}
	return found
}

func below(to, from string) bool {
	neighbours := floorOf(to) == floorOf(from) && (floorOf(from) == domain || floorOf(from) == foundation)
	return floorOf(to) < floorOf(from) || neighbours
}

func ofHTTP(importPath string) bool {
	return importPath == "net/http" || strings.HasPrefix(importPath, "net/http/") ||
		slices.Contains([]string{"internal/web", "templates"}, room(importPath))
}

func mayUseHTTP(room string) bool {
	return floorOf(room) > domain || clients[room] || room == "static"
}

// clients are rooms that ask servers, and answer nobody.
var clients = map[string]bool{
	"docs": true, // those of the guide
	// begin faults
	"internal/replica": true,
	// end faults
	// begin lab
	"internal/lab": true,
	// end lab
}

// room gives the room that an import path is in, or "" if it is not ours.
func room(importPath string) string {
	path, ours := strings.CutPrefix(importPath, module+"/")
	if !ours {
		return ""
	}
	parts := strings.Split(path, "/")
	if parts[0] == "internal" && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

func floorOf(room string) level {
	if f, named := rooms[room]; named {
		return f
	}
	return domain
}

// list asks the go command for every package of the module. -e lists those
// that do not compile as well: their imports are known all the same.
func list() ([]pkg, error) {
	output, err := exec.Command("go", "list", "-e", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var packages []pkg
	for line := range strings.Lines(string(output)) {
		words := strings.Fields(line)
		packages = append(packages, pkg{path: words[0], imports: words[1:]})
	}
	return packages, nil
}

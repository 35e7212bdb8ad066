package check

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// TestTheCoreCanBeCopied runs the commands of docs/use-the-core.md in another module, and builds the program of the page there.
func TestTheCoreCanBeCopied(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../../..")
	must.OK(t, err)
	page := read(t, root, "docs/use-the-core.md")
	commands := regexp.MustCompile("(?s)```sh\n(.*?)```").FindStringSubmatch(page)
	must.Thatf(t, commands != nil, "docs/use-the-core.md has no commands")
	dir := t.TempDir()
	const other = "example.com/notes"
	rename := strings.NewReplacer("module "+module+"\n", "module "+other+"\n", `"`+module+"/", `"`+other+"/").Replace
	write := func(name, text string) {
		t.Helper()
		must.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "ONLYONCE="+root, "GOFLAGS=-mod=mod -buildvcs=false -trimpath", "GOPROXY=off")
		out, err := cmd.CombinedOutput()
		must.Thatf(t, err == nil, "%s %q: %v\n%s", name, args, err, out)
	}
	write("go.mod", rename(read(t, root, "go.mod")))
	write("go.sum", read(t, root, "go.sum"))
	run("sh", "-euc", commands[1])
	write("main.go", rename(read(t, root, "internal/proof/alone/main.go")))
	write("migrations/migrations.go", read(t, root, "migrations/migrations.go"))
	run("go", "build", "-o", filepath.Join(dir, "alone"), ".")
}

// TestTheCoreIsSmall: the core needs exactly the packages that docs/use-the-core.md copies.
func TestTheCoreIsSmall(t *testing.T) {
	t.Parallel()
	page := read(t, "../../..", "docs/use-the-core.md")
	imports := importsOf(list(t))
	modules := regexp.MustCompile("`(github\\.com/[^`]+)`").FindAllStringSubmatch(page, -1)
	var packages []string
	var walk func(path string)
	walk = func(path string) {
		name, ours := strings.CutPrefix(path, module+"/internal/")
		switch {
		case ours && !slices.Contains(packages, name):
			packages = append(packages, name)
			for _, next := range imports[path] {
				walk(next)
			}
		case !ours && strings.Contains(path, ".") && !slices.ContainsFunc(modules, func(named []string) bool {
			return strings.HasPrefix(path+"/", named[1]+"/")
		}):
			t.Errorf("the core imports %s: name its module in docs/use-the-core.md, or do without it", path)
		}
	}
	walk(module + "/internal/idempotency")
	slices.Sort(packages)
	if list := "for package in " + strings.Join(packages, " ") + ";"; !strings.Contains(page, list) {
		t.Errorf("docs/use-the-core.md has no %q: what package idempotency imports is copied with it", list)
	}
	errors := read(t, "../../..", "internal/idempotency/errors.go") + read(t, "../../..", "internal/idempotency/key.go")
	for _, named := range regexp.MustCompile("`(Err\\w+|\\w+Error)`").FindAllStringSubmatch(page, -1) {
		assert.Thatf(t, regexp.MustCompile(`(?m)^(\t|type )`+named[1]+` `).MatchString(errors),
			"docs/use-the-core.md names %s, which package idempotency does not declare", named[1])
	}
}

func read(t *testing.T, root, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	must.OK(t, err)
	return string(text)
}

// TestToolsRunNothingSideBySide: make test runs internal/tool without the race detector, because it would be several times
// slower.
func TestToolsRunNothingSideBySide(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"statement": "package x\nfunc f() { go f() }", "import": "package x\nimport _ \"sync\""} {
		assert.Thatf(t, sideBySide(t, name, text) != "", "the %s is not found", name)
	}
	files, err := filepath.Glob("../*/*.go")
	programs, errOfPrograms := filepath.Glob("../*/cmd/*/*.go")
	must.Thatf(t, errors.Join(err, errOfPrograms) == nil && len(files) >= 20 && len(programs) >= 3,
		"%d and %d files", len(files), len(programs))
	for _, name := range append(files, programs...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		found := sideBySide(t, name, read(t, ".", name))
		assert.Thatf(t, found == "", "%s has %s: let make test try internal/tool with the race detector", name, found)
	}
}

// sideBySide returns a use of concurrency in a file, or "".
func sideBySide(t *testing.T, name, text string) (found string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
	must.OK(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = "a go statement"
		case *ast.ImportSpec:
			if strings.Contains(n.Path.Value, "sync") {
				found = "the import " + n.Path.Value
			}
		}
		return true
	})
	return found
}

// mayReach are the modules that open connections and that domains may import all the same. In the transaction of an operation
// another module would hold the locks while a remote server answers, and would send its request again if the work is run again.
var mayReach = []string{
	"github.com/jackc/pgx/v5", "github.com/riverqueue/river", // the database
	"github.com/google/uuid", // reads the addresses of this host, in a version that we don't use
	// They verify signatures, and import net/http for the headers.
	"github.com/standard-webhooks/standard-webhooks/libraries/go",
	"github.com/stripe/stripe-go/v83/webhook",
}

// TestDomainsAskNoOtherServers checks the imports of client libraries. TestWorkIsPure follows the work of operations through
// this module only.
func TestDomainsAskNoOtherServers(t *testing.T) {
	t.Parallel()
	imports := importsOf(list(t, "-deps"))
	assert.Thatf(t, reaches("github.com/jackc/pgx/v5", imports), "pgx is said to open no connections")
	for path := range imports {
		for _, broken := range askingOthers(path, imports) {
			t.Error(broken)
		}
	}
}

// askingOthers returns a sentence for each import by which a package could reach another server, unless it may.
func askingOthers(path string, imports map[string][]string) (found []string) {
	_, ours := strings.CutPrefix(path, module+"/")
	if !ours || levelOf(room(path)) != domain || clients[room(path)] {
		return nil
	}
	for _, imported := range imports[path] {
		allowed := slices.ContainsFunc(mayReach, func(m string) bool { return strings.HasPrefix(imported+"/", m+"/") })
		if room(imported) == "" && !allowed && reaches(imported, imports) {
			found = append(found, fmt.Sprintf("%s imports %s, which opens connections: insert a job in the transaction, and ask other "+
				"servers in its worker, as internal/mailer does", path, imported))
		}
	}
	return found
}

// reaches reports whether a package, or one that it imports, opens connections.
func reaches(path string, imports map[string][]string) bool {
	seen := map[string]bool{}
	var walk func(path string) bool
	walk = func(path string) bool {
		if path == "net" {
			return true
		}
		if seen[path] {
			return false
		}
		seen[path] = true
		return slices.ContainsFunc(imports[path], walk)
	}
	return walk(path)
}

func TestAskingOthersIsFound(t *testing.T) {
	t.Parallel()
	for from, reached := range map[string]map[string]bool{
		"internal/customer": {
			"net": true, "net/smtp": true, "example.com/payments": true, "net/netip": false, "github.com/jackc/pgx/v5/pgconn": false,
			"github.com/jackc/pgx/v50": true, "onlyonce/internal/postgres": false,
		},
		"internal/mailer":                       {"net/smtp": false},
		"internal/customer/customerpages":       {"net/http": false},
		"internal/invoice/mail":                 {"net/smtp": true},
		"internal/idempotency":                  {"net/smtp": false}, // has its connection from the caller
		"internal/people/account/remote/client": {"example.com/payments": true},
	} {
		for imported, want := range reached {
			got := askingOthers(module+"/"+from, map[string][]string{
				module + "/" + from: {imported}, module + "/internal/postgres": {"net"}, "net/smtp": {"net"}, "net/http": {"net"},
				"example.com/payments": {"example.com/payments/wire"}, "example.com/payments/wire": {"example.com/payments", "net/http"},
				"github.com/jackc/pgx/v5/pgconn": {"net"}, "github.com/jackc/pgx/v50": {"net"},
			})
			assert.Thatf(t, want == (len(got) == 1), "%s imports %s: got %q", from, imported, got)
		}
	}
}

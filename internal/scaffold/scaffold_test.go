package scaffold_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"onlyonce/internal/scaffold"
)

// resources use every type and every mark, and refer to each other.
var resources = []struct{ one, fields string }{
	{"project", "name:text:unique,vat_rate:decimal,since:date:?,active:bool"},
	{"expense", "vendor:text,spent_on:date,amount:money,receipt:text:unique?,category:choice(travel|meals|office_supplies)," +
		"notes:longtext:?,project:ref(project),customer:ref(customer):?"},
	{"purchase_order", "title:text,number:integer:unique,terms:longtext,remark:text:?,net:money:?,gross:money,due_on:date:unique?," +
		"weight:decimal:unique?,rank:integer:?,state:choice(open|closed):?,expense:ref(expense):?"},
}

// TestResources: what is written compiles, is formatted, satisfies the rules of this repository, and passes every case. Its
// browser scenarios are compiled.
func TestResources(t *testing.T) {
	t.Parallel()
	c := copyOf(t)
	for _, r := range resources {
		spec, err := scaffold.Parse(r.one, "", r.fields)
		if err != nil {
			t.Fatal(err)
		}
		paths, err := scaffold.Write(c.root, spec)
		if err != nil {
			t.Fatal(err)
		}
		if unformatted := c.run("gofmt", append([]string{"-l"}, goFiles(paths)...)...); unformatted != "" {
			t.Errorf("not formatted: %s", unformatted)
		}
		if _, err := scaffold.Write(c.root, spec); err == nil || !strings.Contains(err.Error(), "is there already") {
			t.Errorf("written once more: %v", err)
		}
	}
	c.run("go", "tool", "templ", "generate", "-check", "-path", "templates")
	c.run("go", "vet", "./...")
	c.run("go", "test", "-count=1", "./internal/check", "./templates", "./internal/project/...", "./internal/expense/...",
		"./internal/purchaseorder/...")
	c.run("go", "test", "-count=1", "-timeout=20m", "-run", cases, "./internal/web")
	if linter := linter(); linter != "" {
		c.run(linter, "run", "./internal/project/...", "./internal/expense/...", "./internal/purchaseorder/...", "./internal/web/...",
			"./internal/bench/...", "./e2e/...", "./templates/...")
	}
}

const cases = `/(project|expense|purchase_order)`

// scratch is a copy of the repository as it is here.
type scratch struct {
	*testing.T

	root string
}

func copyOf(t *testing.T) scratch {
	t.Helper()
	c := scratch{t, t.TempDir()}
	const here = "../.."
	list := exec.CommandContext(t.Context(), "git", "ls-files", "--cached", "--others", "--exclude-standard", "-z")
	list.Dir = here
	files, err := list.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	for path := range strings.SplitSeq(strings.TrimSuffix(string(files), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(here, path))
		if os.IsNotExist(err) {
			continue // deleted, and not committed yet
		}
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(c.root, path)), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(c.root, path), text, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// run runs a program in the copy, which must succeed, and gives its output.
func (c scratch) run(program string, arguments ...string) string {
	c.Helper()
	command := exec.CommandContext(c.Context(), program, arguments...)
	command.Dir = c.root
	command.Env = append(os.Environ(), "GOFLAGS=-trimpath -buildvcs=false") // compiles what was compiled in another copy from the cache
	output, err := command.CombinedOutput()
	if err != nil {
		c.Errorf("%s %s: %v\n%s", program, strings.Join(arguments, " "), err, output)
	}
	return string(output)
}

func goFiles(paths []string) (files []string) {
	for _, path := range paths {
		if filepath.Ext(path) == ".go" {
			files = append(files, path)
		}
	}
	return files
}

// linter is the one that make check installs; "" before that.
func linter() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	found, err := filepath.Glob(filepath.Join(home, ".cache/onlyonce/golangci-lint-*/golangci-lint"))
	if err != nil || len(found) == 0 {
		return ""
	}
	return found[len(found)-1]
}

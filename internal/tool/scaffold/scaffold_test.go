package scaffold_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/tool/scaffold"
)

// resources use every type and every mark, and refer to each other. One is in the style Run.
var resources = []struct {
	one, fields string
	run         bool
}{
	{one: "project", fields: "name:text:unique,vat_rate:decimal,since:date:?,active:bool"},
	{one: "expense", fields: "vendor:text,spent_on:date,amount:money,receipt:text:unique?,category:choice(travel|meals|office_supplies)," +
		"notes:longtext:?,project:ref(project),customer:ref(customer):?"},
	{one: "purchase_order", run: true, fields: "title:text,number:integer:unique,terms:longtext,remark:text:?,net:money:?,gross:money," +
		"due_on:date:unique?,weight:decimal:unique?,rank:integer:?,state:choice(open|closed):?,expense:ref(expense):?,customer:ref(customer)"},
}

// TestResources: what is written is formatted, satisfies the rules and the linter of this repository, and passes its own tests,
// those of the catalog and of tenants, and a row of the table of cases of each kind. The other rows are tried by whoever keeps
// the resource. The browser scenarios are run.
func TestResources(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	c := copyOf(t)
	for _, r := range resources {
		paths, err := c.write(r.one, r.fields, r.run)
		if err != nil {
			t.Fatal(err)
		}
		if unformatted := c.run("gofmt", append([]string{"-l"}, goFiles(paths)...)...); unformatted != "" {
			t.Errorf("not formatted: %s", unformatted)
		}
		if _, err := c.write(r.one, r.fields, r.run); err == nil || !strings.Contains(err.Error(), "is there already") {
			t.Errorf("written once more: %v", err)
		}
	}
	ours := []string{"./internal/project/...", "./internal/expense/...", "./internal/purchaseorder/..."}
	c.run("go", "tool", "templ", "generate", "-check")
	written := []string{
		"./e2e",
		"./internal/proof/bench",
	}
	c.run("go", append([]string{"vet"}, written...)...)
	c.run("go", append([]string{"test", "-count=1", "./internal/tool/check", "./templates/..."}, ours...)...)
	c.run("go", "test", "-count=1", "-timeout=20m", "-run", tried, "./internal/site")
	c.linkDriver()
	c.run("go", "test", "-count=1", "-timeout=20m", "-run", "^Test(Expenses|Projects|PurchaseOrders)$", "./e2e")
	if linter := linter(); linter != "" {
		c.run(linter, slices.Concat([]string{"run", "./internal/site"}, written, ours)...)
	}
}

// tried are some tests of internal/site.
const tried = `^(TestEveryExampleRuns|TestEveryBrokenConstraintIsExplained|TestEveryUniquenessRuleIsEnforced|TestTenantComesFirst|` +
	`TestTenantTablesAreGuarded|TestEveryFieldIsDeclared|TestEveryRouteSaysWhatARepeatDoes|TestOtherTenantsSeeNothing|` +
	`TestOpenAPIHasEveryRoute|TestEveryCase)$` +
	`/(expenses|projects|purchase-orders)/.*/` +
	`(first_success|invalid_command|unique_value_taken|change_with_stale_version|transition_made_already)`

// TestRefusals: nothing is written.
func TestRefusals(t *testing.T) {
	t.Parallel()
	c := copyOf(t)
	for _, r := range []struct{ one, fields, want string }{
		{"customer", "title:text", "internal/customer/customer.go is there already"},
		{"row", "title:text", "rows, which is in database_test.go already"},
		{"expense", "vendor:text,client:ref(nobody)", "there is no resource nobody to refer to"},
		{"expense", "vendor:text,client:ref(../customer)", "is no name of a resource"},
		{"expense", "vendor:text,bill:ref(invoice)", "it needs the variable Names"},
	} {
		if _, err := c.write(r.one, r.fields, false); err == nil || !strings.Contains(err.Error(), r.want) {
			t.Errorf("%s %s: %v, want %q", r.one, r.fields, err, r.want)
		}
	}
	server := filepath.Join(c.root, "internal/site/site.go")
	text, err := os.ReadFile(server)
	if err != nil {
		t.Fatal(err)
	}
	without := strings.ReplaceAll(string(text), "// A new resource stands above this line.", "")
	if err := os.WriteFile(server, []byte(without), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.write("expense", "vendor:text", false); err == nil || !strings.Contains(err.Error(), "add this by hand") {
		t.Errorf("without the line before which it is added: %v", err)
	}
	if _, err := os.Stat(filepath.Join(c.root, "internal/expense")); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
}

// TestMigration: each gets the next number.
func TestMigration(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "migrations"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"migrations/00001_customers.sql", "migrations/00002_customers_have_colours.sql"} {
		path, err := scaffold.Migration(root, strings.TrimSuffix(want[len("migrations/00001_"):], ".sql"))
		if err != nil || path != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	if path, err := scaffold.Migration(root, "../customers"); err == nil {
		t.Errorf("written: %s", path)
	}
}

// scratch is a copy of the repository as it is here.
type scratch struct {
	*testing.T

	root string
}

// write writes a resource into the copy.
func (c scratch) write(one, fields string, run bool) ([]string, error) {
	c.Helper()
	spec, err := scaffold.Parse(one, "", fields)
	if err != nil {
		c.Fatal(err)
	}
	spec.Run = run
	return scaffold.Write(c.root, spec)
}

func copyOf(t *testing.T) scratch {
	t.Helper()
	c := scratch{t, t.TempDir()}
	const here = "../../.."
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

// linkDriver gives the copy what e2e/setup has installed here.
func (c scratch) linkDriver() {
	c.Helper()
	installed, err := filepath.Abs("../../../e2e/node_modules")
	if err == nil {
		err = os.Symlink(installed, filepath.Join(c.root, "e2e", "node_modules"))
	}
	if err != nil {
		c.Fatal(err)
	}
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

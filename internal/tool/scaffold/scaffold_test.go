package scaffold_test

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/tool/scaffold"
	"onlyonce/internal/tool/scratch"
)

// resources use every type and every mark, and reference each other. One is in the style Run. Forks hardly have any of these names.
var resources = []struct {
	one, fields string
	run         bool
	checks      []string // of the table
}{
	{one: "voyage", fields: "external,name:text:unique,vat_rate:percent=23,since:date:?,active:bool=true,contact:email:unique?," +
		"site:url:?,phase:text=first draft,opens_at:time=09:30,stage:state(open>closed>open),part_of:ref(voyage):?",
		checks: []string{"CHECK (part_of_id <> id)"}},
	{one: "ransom", fields: "vendor:text:alike,spent_on:date:alike,amount:money:alike,receipt:text:unique?," +
		"category:choice(travel|meals|office_supplies),notes:longtext:?,voyage:ref(voyage),customer:ref(customer):?,hotline:phone:?," +
		"leaves_at:time:?,guests:integer(1..)=2,code:text(2),scan:file,sort(spent_on,vendor)"},
	{one: "galley_order", run: true, fields: "title:text,external,shop:ref(customer),slot:choice(early|late),number:integer," +
		"unique(shop,slot,number),terms:longtext(300),remark:text(40):?,net:money:?," +
		"gross:money,due_on:date:unique?,weight:decimal(0.5..):unique?,rank:integer(1..5):?,debt:decimal(..0)," +
		"state:choice(open|closed):?,ransom:ref(ransom):?,customer:ref(customer),discount:percent:?,site:url,phone:phone," +
		"email:email:unique,called_at:timestamp:alike,arrives_at:timestamp:?,offer:file,photo:file:?," +
		"status:state(placed>confirmed>prepare:ready>sent,placed>cancelled,confirmed>cancelled)," +
		"items:lines(item:text,count:integer,delivered:bool,wanted_on:date:?),sort(title,number,email)",
		checks: []string{"length(remark) <= 40)", "length(terms) <= 300)", "(rank BETWEEN 1 AND 5)", "(weight >= 0.5)", "(debt <= 0)"}},
	{one: "sounding", fields: "line:ref(voyage),value:decimal:alike,day:date:alike,sort(day)"},
	{one: "deck_log", fields: "title:text,vehicle:ref(customer)," +
		"parts:lines(part:text,hours:decimal,rate:percent:?,done_on:date,price:money:?,cost:money)"},
}

// TestResources: the written code is formatted, satisfies the rules and the linter of this repository, and passes its own
// tests, those of the catalog and of tenants, and the table of cases. The browser scenarios are run.
func TestResources(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	c := scratch.Copy(t, "../../..")
	for _, r := range resources {
		paths, err := write(c, r.one, r.fields, r.run)
		must.OK(t, err)
		for _, check := range r.checks {
			assert.Thatf(t, strings.Contains(must.Read(t, filepath.Join(c.Dir, paths[0])), check), "%s has no check %s", paths[0], check)
		}
		unformatted := c.Run("gofmt", append([]string{"-l"}, goFiles(paths)...)...)
		assert.Thatf(t, unformatted == "", "not formatted: %s", unformatted)
		if _, err := write(c, r.one, r.fields, r.run); err == nil || !strings.Contains(err.Error(), "is there already") {
			t.Errorf("written once more: %v", err)
		}
	}
	ours := []string{
		"./internal/voyage/...", "./internal/ransom/...", "./internal/galleyorder/...", "./internal/decklog/...", "./internal/sounding/...",
	}
	c.Run("go", "tool", "templ", "generate", "-check")
	test := []string{"test", "-vet=off", "-count=1", "-timeout=20m"}
	c.Run("go", slices.Concat(test, []string{"-skip=^TestPlans$", "./internal/tool/check", "./templates/..."}, ours)...)
	c.Run("go", slices.Concat(test, []string{"./internal/galleyorder/galleyorderpages", "-run", "^TestPlans$"})...) // has most types
	c.Run("go", slices.Concat(test, []string{"./internal/site", "-run", tried})...)
	installed, err := filepath.Abs("../../../e2e/node_modules") // by e2e/setup
	if err == nil {
		err = os.Symlink(installed, filepath.Join(c.Dir, "e2e", "node_modules"))
	}
	must.OK(t, err)
	c.Run("go", slices.Concat(test, []string{"./e2e", "-run", "^Test(Ransoms|Voyages|GalleyOrders|DeckLogs|Soundings)$"})...)
	look := linter()
	c.Run(look[0], slices.Concat(look[1:], []string{"./internal/site/...", "./e2e"}, ours)...)
}

// tried are the tests of internal/site to run.
const tried = `^(TestEveryExampleRuns|TestEveryUniquenessRuleIsEnforced|TestTenantComesFirst|TestTenantTablesAreGuarded|` +
	`TestEveryOperationIsTried|TestEveryRouteSaysWhatARepeatDoes|TestOtherTenantsSeeNothing|TestOpenAPIHasEveryRoute)$`

// TestRefusals: a refusal writes nothing.
func TestRefusals(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	c := scratch.Copy(t, "../../..")
	nameless := filepath.Join(c.Dir, "internal", "nameless")
	must.OK(t, os.Mkdir(nameless, 0o700))
	must.OK(t, os.WriteFile(filepath.Join(nameless, "nameless.go"), []byte("package nameless\n"), 0o600))
	for _, r := range []struct{ one, fields, want string }{
		{"customer", "title:text", "internal/customer/customer.go is there already"},
		{"habit", "title:text", "TestHabits, which is in buttons_test.go already"},
		{"date", "title:text,day:date", "would use the name date for a package and for something else"},
		{"m", "title:text", "would use the name m for a package"},
		{"form", "title:text", "would use the name form for a package"},
		{"view", "title:text,client:ref(customer)", "would use the name view for a package"},
		{"attempt", "title:text", "the database has table attempts already"},
		{"merge", "title:text", "would have the address /merges, which merges.go has already"},
		{"tenants_plan", "title:text,words:choice(a|b)", "this resource would have tenants_plan_words already"},
		{strings.Repeat("long_", 7) + "name", "title:text,a_rather_long_name_of_a_date:date:unique?", "PostgreSQL cuts it at 63"},
		{"ransom", "vendor:text,client:ref(nobody)", "there is no resource nobody to refer to"},
		{"ransom", "vendor:text,client:ref(../customer)", "is no name of a resource"},
		{"ransom", "vendor:text,value:ref(nameless)", "it needs the variable Names"},
	} {
		_, err := write(c, r.one, r.fields, false)
		assert.Thatf(t, err != nil && strings.Contains(err.Error(), r.want), "%s %s: %v, want %q", r.one, r.fields, err, r.want)
	}
	server := filepath.Join(c.Dir, "internal/site/site.go")
	text := must.Read(t, server)
	without := strings.ReplaceAll(text, "// New resources are added above this line.", "")
	must.OK(t, os.WriteFile(server, []byte(without), 0o600))
	if _, err := write(c, "ransom", "vendor:text", false); err == nil || !strings.Contains(err.Error(), "add this by hand") {
		t.Errorf("without the line before which it is added: %v", err)
	}
	must.OK(t, os.WriteFile(server, []byte(text), 0o600))
	c.Commit()
	must.OK(t, os.WriteFile(filepath.Join(c.Dir, "e2e/broken.go"), []byte("package e2e\n\nvar broken = Ransom{}\n"), 0o600))
	cmd := exec.CommandContext(t.Context(), "go", "run", "./internal/tool/scaffold/cmd/scaffold", "resource", "ransom", "vendor:text")
	cmd.Dir, cmd.Env = c.Dir, append(os.Environ(), "GOFLAGS=-buildvcs=false -trimpath")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "undefined: Ransom") {
		t.Errorf("with code that doesn't compile: %v\n%s", err, out)
	}
	left := c.Run("git", "status", "--porcelain")
	assert.Thatf(t, left == "?? e2e/broken.go\n", "something was written:\n%s", left)
}

// TestMigration: each migration gets the next number.
func TestMigration(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	must.OK(t, os.MkdirAll(filepath.Join(root, "migrations"), 0o700))
	for _, want := range []string{"migrations/00001_customers.sql", "migrations/00002_customers_have_colours.sql"} {
		path, err := scaffold.Migration(root, strings.TrimSuffix(want[len("migrations/00001_"):], ".sql"))
		assert.Thatf(t, err == nil && path == want, "%s: %v", path, err)
	}
	if path, err := scaffold.Migration(root, "../customers"); err == nil {
		t.Errorf("written: %s", path)
	}
}

// write writes a resource into the copy.
func write(r *scratch.Repository, one, fields string, run bool) ([]string, error) {
	r.Helper()
	spec, err := scaffold.Parse(one, "", fields)
	must.OK(r, err)
	spec.Run = run
	paths, _, err := scaffold.Write(r.Dir, spec)
	return paths, err
}

func goFiles(paths []string) (files []string) {
	for _, path := range paths {
		if filepath.Ext(path) == ".go" {
			files = append(files, path)
		}
	}
	return files
}

// linter returns the linter that make check installs, or go vet if it isn't installed.
func linter() []string {
	home, err := os.UserHomeDir()
	if err != nil {
		return []string{"go", "vet"}
	}
	cache := cmp.Or(os.Getenv("XDG_CACHE_HOME"), filepath.Join(home, ".cache")) // as in the Makefile
	found, err := filepath.Glob(filepath.Join(cache, "go-programs/golangci-lint-*/golangci-lint"))
	if err != nil || len(found) == 0 {
		return []string{"go", "vet"}
	}
	return []string{found[len(found)-1], "run"}
}

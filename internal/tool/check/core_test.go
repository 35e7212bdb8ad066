package check

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/must"
)

// TestTheCoreCanBeCopied runs the commands of docs/use-the-core.md in another module, and builds the program of the page there.
func TestTheCoreCanBeCopied(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../../..")
	must.OK(t, err)
	page := read(t, root, "docs/use-the-core.md")
	commands := regexp.MustCompile("(?s)```sh\n(.*?)```").FindStringSubmatch(page)
	if commands == nil {
		t.Fatal("docs/use-the-core.md has no commands")
	}
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
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
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
		if !regexp.MustCompile(`(?m)^(\t|type )` + named[1] + ` `).MatchString(errors) {
			t.Errorf("docs/use-the-core.md names %s, which package idempotency does not declare", named[1])
		}
	}
}

func read(t *testing.T, root, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	must.OK(t, err)
	return string(text)
}

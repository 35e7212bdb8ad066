package fork_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/tool/fork"
	"onlyonce/internal/tool/scratch"
	"onlyonce/migrations"
)

// TestRemoveTakesWhatNeedsIt: invoices are removed with the lab and with the proof that creates invoices.
func TestRemoveTakesWhatNeedsIt(t *testing.T) {
	t.Parallel()
	s := scratch.Empty(t)
	s.Write("go.mod", "module x\n", 0o600)
	s.Write("migrations/00007_customers.sql", "", 0o600)
	s.Write("migrations/00008_invoices.sql", "", 0o600)
	for _, room := range []string{"lab", "proof/torture", "invoice", "customer"} {
		s.Write("internal/"+room+"/x.txt", "x", 0o600)
	}
	s.Commit()
	done, err := fork.Remove(t.Context(), s.Dir, "invoices")
	assert.Thatf(t, err == nil && done.Files == 4 && slices.Equal(done.Parts, []string{"lab", "proof", "invoices"}), "%+v, %v", done, err)
	if left, err := os.ReadDir(filepath.Join(s.Dir, "internal")); err != nil || len(left) != 1 {
		t.Errorf("left are the directories %v, %v", left, err)
	}
	files := s.Files()
	_, there := files["migrations/00008_invoices.sql"]
	assert.Thatf(t, len(files) == 3 && files["internal/customer/x.txt"] == "x" && !there, "left are %q", files)
}

// TestTheLastMigrationStays: the first migration of a fork has a higher number than any removed migration.
func TestTheLastMigrationStays(t *testing.T) {
	t.Parallel()
	s := scratch.Empty(t)
	s.Write("go.mod", "module x\n", 0o600)
	files, err := migrations.FS.ReadDir(".")
	must.OK(t, err)
	for _, file := range files {
		s.Write("migrations/"+file.Name(), "", 0o600)
	}
	s.Commit()
	if _, err := fork.Remove(t.Context(), s.Dir, "invoices"); err != nil && !errors.Is(err, fork.ErrNothingToDo) {
		t.Fatal(err)
	}
	before, err := migrations.Newest(migrations.FS)
	must.OK(t, err)
	if left, err := migrations.Newest(os.DirFS(filepath.Join(s.Dir, "migrations"))); err != nil || left != before {
		t.Errorf("the last migration is %d, and was %d: %v", left, before, err)
	}
}

// TestRemoveIsRefused: a refused removal changes nothing, also if it fails at the end.
func TestRemoveIsRefused(t *testing.T) {
	t.Parallel()
	const used = "package x\n\nimport \"example.com/x/internal/lab\"\n\nfunc use() int { return lab.Rooms() + 1 }\n"
	for name, c := range map[string]struct{ part, text, want string }{
		"unknown part":          {"everything", "", "the parts are lab, proof, invoices"},
		"no Go":                 {"lab", "func", "read x.go"},
		"used amid other words": {"lab", used, "example.com/x/internal/lab"},
		"changed files":         {"lab", "uncommitted", "commit or stash"},
		"no git":                {"lab", "no git", "run git init, git add --all and git commit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := scratch.Empty(t)
			s.Write("go.mod", "module example.com/x\n", 0o600)
			s.Write("internal/lab/lab.go", "package lab\n\nfunc Rooms() int { return 1 }\n", 0o600)
			s.Write("docs/page.md", "# A page\n\n[The lab](../internal/lab)\n", 0o600)
			s.Write("x.go", c.text, 0o600)
			dir := s.Dir
			if c.text == "no git" {
				dir = t.TempDir()
				must.OK(t, os.CopyFS(filepath.Join(dir, "internal"), os.DirFS(filepath.Join(s.Dir, "internal"))))
			} else if c.text != "uncommitted" {
				s.Commit()
			}
			before, changes := s.Files(), s.Run("git", "status", "--porcelain")
			_, err := fork.Remove(t.Context(), dir, c.part)
			assert.Thatf(t, err != nil && strings.Contains(err.Error(), c.want), "got %v", err)
			if after := s.Files(); !maps.Equal(before, after) || s.Run("git", "status", "--porcelain") != changes {
				t.Errorf("the files are %q, and were %q", after, before)
			}
			must.Read(t, filepath.Join(dir, "internal/lab/lab.go"))
		})
	}
}

// TestWhatNamesThePartGoes: items, fields, statements and declarations that refer to the part are removed, and in pages the
// text that links to it.
func TestWhatNamesThePartGoes(t *testing.T) {
	t.Parallel()
	s := scratch.Empty(t)
	s.Write("go.mod", "module example.com/acme-invoices/x\n", 0o600)
	s.Write("internal/lab/lab.go", "package lab\n\ntype Lab struct{}\n", 0o600)
	const removed = "package app\n\ntype config struct{}\n\nfunc start() error { return nil }\n\nfunc (a *app) open() {}\n"
	s.Write("internal/lab/lab_test.go", "package lab\n\nfunc TestLab(*testing.T) {}\n", 0o600)
	s.Write("internal/app/invoice_start.go", removed, 0o600)
	s.Write("internal/app/app.go", before, 0o600)
	s.Write("docs/page.md", pageBefore, 0o600)
	s.Write("internal/invoice/invoice.go", "package invoice\n", 0o600)
	s.Commit()
	_, err := fork.Remove(t.Context(), s.Dir, "invoices")
	must.OK(t, err)
	files := s.Files()
	if got := files["internal/app/app.go"]; got != after {
		t.Errorf("left is\n%s", got)
	}
	if got := files["docs/page.md"]; got != pageAfter {
		t.Errorf("left is\n%s", got)
	}
}

const before = `package app

import (
	"fmt"

	"example.com/acme-invoices/x/internal/lab"
)

type app struct {
	config
	name string
	lab  *lab.Lab // nil without
}

// rooms are the levels of packages.
var rooms = map[string]int{
	"internal/app": 1,
	"internal/lab": 2,
}

func all() []func() error {
	return []func() error{
		other,
		start,
	}
}

func other() error {
	if err := start(); err != nil {
		return err
	}
	for start := range 3 {
		fmt.Println(start)
	}
	a := &app{name: "open"}
	a.open()
	made := lab.Lab{}
	fmt.Println(
		a.name,
		made,
	)
	return nil
}

// opened returns a removed type.
func opened() *lab.Lab { return nil }

func wrong() error {
	return start()
}
`

const after = `package app

import (
	"fmt"
)

type app struct {
	name string
}

// rooms are the levels of packages.
var rooms = map[string]int{
	"internal/app": 1,
}

func all() []func() error {
	return []func() error{
		other,
	}
}

func other() error {
	for start := range 3 {
		fmt.Println(start)
	}
	a := &app{name: "open"}
	fmt.Println(
		a.name,
	)
	return nil
}

func wrong() error {
	return start()
}
`

const pageBefore = "# A page\n\nThis stays. It goes on\n(`TestLab`) here (`TestApp`,\n`TestLab`).\n\n" +
	"This goes on\nuntil [here](../internal/lab/lab.go#L1).\n\n" +
	"- one\n- two, with\n  [a link](../internal/lab)\n- three\n\n| a | b |\n|---|---|\n| `internal/lab` | c |\n| `internal/app` | d |\n\n" +
	"    app[\"internal/app\"]\n    lab[\"internal/lab\"]\n    other[\"other\"]\n    app --> lab\n    app --> other\n\n" +
	"`internal/lab` is\ngone.\n\n" +
	"## Invoices\n\nThey have\nlines.\n\n### Lines\n\nThey have numbers.\n\n" +
	"## The rest\n\nAfter `make remove what=invoices`, no invoicing.\n\n" +
	"- Credit notes\n- two\n\nCall it:\n\n    curl /invoices\n    exit\n\n```sh\n# An invoice\n```\n"

const pageAfter = "# A page\n\nThis stays. It goes on here (`TestApp`).\n\n" +
	"- one\n- three\n\n| a | b |\n|---|---|\n| `internal/app` | d |\n\n" +
	"    app[\"internal/app\"]\n    other[\"other\"]\n    app --> other\n\n" +
	"## The rest\n\nAfter `make remove what=invoices`, no invoicing.\n\n- two\n\nCall it:\n\n```sh\n# An invoice\n```\n"

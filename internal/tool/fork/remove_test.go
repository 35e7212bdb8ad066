package fork_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

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
	files, err := txtar.ParseFile("testdata/named.txtar")
	must.OK(t, err)
	want := map[string]string{}
	for _, file := range files.Files {
		if name, after := strings.CutPrefix(file.Name, "after/"); after {
			want[name] = string(file.Data)
		} else {
			s.Write(file.Name, string(file.Data), 0o600)
		}
	}
	s.Commit()
	_, err = fork.Remove(t.Context(), s.Dir, "invoices")
	must.OK(t, err)
	left := s.Files()
	for name, text := range want {
		assert.Equal(t, left[name], text, name)
	}
}

package fork_test

import (
	"errors"
	"path"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/fork"
	"onlyonce/internal/postgres/pgtest"
)

// TestRemove takes all parts away from a copy of the app. The invoices go first, because others know them.
func TestRemove(t *testing.T) {
	pgtest.Long(t)
	s := copied(t)
	alsoGone := []string{"torture", "invoices", "faults"}
	for _, part := range []string{"bench", "lab", "invoices"} {
		done, err := fork.Remove(t.Context(), s.dir, part)
		if err != nil || done.Files < 10 || part == "invoices" && !slices.Equal(done.Parts, alsoGone) {
			t.Fatalf("%s: %+v, %v", part, done, err)
		}
		s.run("git", "add", "--all")
		for _, gone := range done.Parts {
			s.speaksNotOf(gone)
		}
		s.commit()
		s.run("go", "build", "./...")
		if _, err := fork.Remove(t.Context(), s.dir, part); !errors.Is(err, fork.ErrNothingToDo) {
			t.Errorf("%s again: %v", part, err)
		}
	}
	if unformatted := s.run("gofmt", "-l", "."); unformatted != "" {
		t.Errorf("not formatted: %s", unformatted)
	}
	s.run("go", "tool", "templ", "generate", "-check", "-path", "templates")
	s.run("go", "vet", "./...")
	s.run("go", "test", "./internal/check", "./templates")
	s.run("go", "test", "./internal/web", "-run", "Customer|TenantTables|TenantComesFirst|EveryRoute|EveryFieldIsDeclared|EveryTable")
}

// speaksNotOf fails unless nothing is left that names the files of a part.
func (s *scratch) speaksNotOf(part string) {
	s.Helper()
	for name, text := range s.files() {
		if path.Dir(name) == "internal/fork" || strings.HasPrefix(name, "docs/decisions/") || name == "CHANGELOG.md" {
			continue
		}
		for number, line := range strings.Split(text, "\n") {
			for _, gone := range append(fork.Paths(part), "make "+part) {
				if strings.Contains(line, strings.TrimRight(gone, "*")) && !strings.Contains(gone, "*.") {
					s.Errorf("%s:%d speaks of %s, which is gone: put it between the lines begin %[4]s and end %[4]s in comments",
						name, number+1, gone, part)
				}
			}
		}
	}
}

func TestRemoveIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ part, text, want string }{
		"unknown part":  {"everything", "", "the parts are bench, invoices, lab, torture"},
		"no end":        {"torture", "a\n# begin torture\nb\n", "has no end"},
		"no beginning":  {"torture", "a\n# end torture\nb\n", "line 2"},
		"begun twice":   {"torture", "<!-- begin torture -->\n<!-- begin torture -->\n", "line 2"},
		"of another":    {"torture", "# begin bench\n", ""},
		"changed files": {"torture", "uncommitted", "commit or stash"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &scratch{t, t.TempDir()}
			s.run("git", "init", "--quiet")
			s.write("go.mod", "module x\n", 0o600)
			s.write("internal/torture/x.txt", "x", 0o600)
			s.write("text", c.text, 0o600)
			if c.text != "uncommitted" {
				s.commit()
			}
			_, err := fork.Remove(t.Context(), s.dir, c.part)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
			if c.want != "" && s.files()["internal/torture/x.txt"] == "" {
				t.Error("the part is gone")
			}
		})
	}
}

func TestOnlyWhatIsMarkedGoes(t *testing.T) {
	t.Parallel()
	s := &scratch{t, t.TempDir()}
	s.run("git", "init", "--quiet")
	s.write("go.mod", "module x\n", 0o600)
	s.write("internal/torture/x.txt", "x", 0o600)
	s.write("README.md", "a\n<!-- begin torture -->\nb\n<!-- end torture -->\nc\n"+
		"- [docs/torture.md](docs/torture.md): d\n    internal/torture/  e\n", 0o600)
	s.write("x.sql", "a\n-- begin bench\nb\n-- end bench\n", 0o600)
	s.commit()
	if _, err := fork.Remove(t.Context(), s.dir, "torture"); err != nil {
		t.Fatal(err)
	}
	files := s.files()
	if files["README.md"] != "a\nc\n" || files["x.sql"] != "a\n-- begin bench\nb\n-- end bench\n" || files["internal/torture/x.txt"] != "" {
		t.Errorf("left are %q", files)
	}
}

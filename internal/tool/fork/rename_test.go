package fork_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/must"
	"onlyonce/internal/tool/fork"
	"onlyonce/internal/tool/scratch"
)

// TestRename gives a copy of the app long names, so that lines get long as well.
func TestRename(t *testing.T) {
	pgtest.Long(t)
	old := fork.Now()
	if old.Renamed() {
		t.Skip("it was renamed") //nolint:forbidigo // nothing is missing
	}
	t.Parallel()
	s := scratch.Copy(t, "../../..")
	names := newNames(t, "example.com/acme/books/ledger", "Bookkeeper and Ledger")
	if changed, err := fork.Rename(t.Context(), s.Dir, old, names); err != nil || changed < 100 {
		t.Fatalf("%d files changed: %v", changed, err)
	}
	left := regexp.MustCompile(`(?i)` + old.Slug + `|\b` + old.Token + `|only-once-demo`)
	for name, text := range s.Files() {
		if found := left.FindString(name); found != "" {
			t.Errorf("the file %s has the name %q", name, found)
		}
		for number, line := range strings.Split(text, "\n") {
			mayStay := name == "LICENSE" || name == "CHANGELOG.md" || strings.Contains(text, "\x00")
			if found := left.FindString(line); found != "" && !mayStay {
				t.Errorf("%s:%d has the name %q", name, number+1, found)
			}
			if width := len([]rune(strings.ReplaceAll(line, "\t", "    "))); strings.HasSuffix(name, ".go") &&
				!strings.HasSuffix(name, "_templ.go") && width > 140 {
				t.Errorf("%s:%d is %d characters long: break it, so that a longer name has its place", name, number+1, width)
			}
		}
	}
	if unformatted := s.Run("gofmt", "-l", "."); unformatted != "" {
		t.Errorf("not formatted: %s", unformatted)
	}
	s.Run("go", "tool", "templ", "generate", "-check")
	s.CheckTypes()
	// Those rules that need nothing compiled.
	s.Run("go", "test", "-vet=off", "./internal/tool/check", "-run", "Imports|Others|Links|Core|Claims|Architecture|Guarded|Decision")
	s.Run("go", "test", "-vet=off", "./internal/invoice/pdf")
	s.Commit()
	again := s.Run("go", "run", "./internal/tool/fork/cmd/rename", "-module", names.Module, "-name", names.Product)
	if !strings.Contains(again, "nothing to do") {
		t.Errorf("the second time it says %s", again)
	}
}

// someApp has names of the test's own, which stay in an app that was renamed.
func someApp() fork.Names {
	return fork.Names{Module: "someapp", Product: "Someapp", Slug: "someapp", Token: "sa_"}
}

// TestRenameIsRefused: what cannot be done changes nothing.
func TestRenameIsRefused(t *testing.T) {
	t.Parallel()
	s := scratch.Empty(t)
	s.Write("name.txt", "Someapp", 0o600)
	names := newNames(t, "example.com/acme/ledger", "Ledger")
	rename := func(old, to fork.Names) error {
		_, err := fork.Rename(t.Context(), s.Dir, old, to)
		return err
	}
	if err := rename(someApp(), names); !isDirty(err) || !strings.Contains(err.Error(), "name.txt") {
		t.Errorf("with changes: %v", err)
	}
	s.Commit()
	if err := rename(someApp(), newNames(t, "example.com/someapp", "Ledger")); err == nil || !strings.Contains(err.Error(), "old name") {
		t.Errorf("with the old name in the module: %v", err)
	}
	if err := rename(names, newNames(t, "example.com/acme/ledger", "Books")); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("for the second time: %v", err)
	}
	if err := rename(names, names); !errors.Is(err, fork.ErrNothingToDo) {
		t.Errorf("with the same names: %v", err)
	}
	if text := s.Files()["name.txt"]; text != "Someapp" {
		t.Errorf("the file says %q", text)
	}
}

// TestOrdinaryWordsStay looks at what is renamed and what is not.
func TestOrdinaryWordsStay(t *testing.T) {
	t.Parallel()
	s := scratch.Empty(t)
	const text = `Some app. visa_bar, SA001, "someapp/internal/x", someapp/*, local-prefixes: [someapp], /var/lib/someapp/x, ` +
		`postgres://someapp@/someapp?x, SOMEAPP_URL, acme@someapp.test, sa_demo, Someapp's module someapp`
	const want = `Some app. visa_bar, SA001, "example.com/x/internal/x", example.com/x/*, local-prefixes: [example.com/x], ` +
		`/var/lib/acmeledger/x, postgres://acmeledger@/acmeledger?x, ACMELEDGER_URL, acme@acmeledger.test, ` +
		`al_demo, Acme Ledger's module example.com/x`
	s.Write("someapp.txt", text, 0o600)
	s.Write("CHANGELOG.md", text, 0o600)
	s.Write("binary", text+"\x00", 0o600)
	s.Write("go.mod", "module someapp\n\ngo 1.26.0\n", 0o600)
	s.Commit()
	_, err := fork.Rename(t.Context(), s.Dir, someApp(), newNames(t, "example.com/x", "Acme Ledger"))
	if err == nil || !strings.Contains(err.Error(), "templ") {
		t.Errorf("without templates: %v", err)
	}
	files := s.Files()
	if got := files["acmeledger.txt"]; got != want {
		t.Errorf("it says\n%s, want\n%s", got, want)
	}
	if files["CHANGELOG.md"] != text || files["binary"] != text+"\x00" || files["someapp.txt"] != "" {
		t.Errorf("the changelog, a binary file or the name of a file is wrong: %q", files)
	}
}

func newNames(t *testing.T, module, product string) fork.Names {
	t.Helper()
	names, err := fork.NewNames(module, product, "")
	must.OK(t, err)
	return names
}

func isDirty(err error) bool {
	_, ok := errors.AsType[*fork.DirtyError](err)
	return ok
}

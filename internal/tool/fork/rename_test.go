package fork_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/tool/fork"
	"onlyonce/internal/tool/scratch"
)

// someApp has names that occur in this test only, so they stay in a renamed app.
func someApp() fork.Names {
	return fork.Names{Module: "someapp", Product: "Someapp", Slug: "someapp", Token: "sa_"}
}

// TestRenameIsRefused: a refused renaming changes nothing.
func TestRenameIsRefused(t *testing.T) {
	t.Parallel()
	s := scratch.Empty(t)
	s.Write("name.txt", "Someapp", 0o600)
	names := newNames(t, "example.com/acme/ledger", "Ledger")
	rename := func(old, to fork.Names) error {
		_, err := fork.Rename(t.Context(), s.Dir, old, to)
		return err
	}
	err := rename(someApp(), names)
	_, dirty := errors.AsType[*fork.DirtyError](err)
	assert.Thatf(t, dirty && strings.Contains(err.Error(), "name.txt"), "with changes: %v", err)
	s.Commit()
	if err := rename(names, newNames(t, "example.com/acme/ledger", "Books")); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("for the second time: %v", err)
	}
	if err := rename(names, names); !errors.Is(err, fork.ErrNothingToDo) {
		t.Errorf("with the same names: %v", err)
	}
	s.Write("go.mod", "module someapp\n", 0o600)
	s.Write("x.go", "func Someapp", 0o600)
	s.Commit()
	before := s.Files()
	if err := rename(someApp(), names); err == nil || !strings.Contains(err.Error(), "format x.go") {
		t.Errorf("with a file that is no Go: %v", err)
	}
	after := s.Files()
	assert.Thatf(t, maps.Equal(before, after), "the files are %q, and were %q", after, before)
}

// TestOrdinaryWordsStay checks the replaced and the unchanged words, also if the new names contain the old ones.
func TestOrdinaryWordsStay(t *testing.T) {
	t.Parallel()
	const text = `Some app. visa_bar, SA001, "someapp/internal/x", someapp/*, local-prefixes: [someapp], /var/lib/someapp/x, ` +
		`postgres://someapp@/someapp?x, SOMEAPP_URL, acme@someapp.test, sa_demo, Someapp's module someapp`
	const want = `Some app. visa_bar, SA001, "MODULE/internal/x", MODULE/*, local-prefixes: [MODULE], ` +
		`/var/lib/SLUG/x, postgres://SLUG@/SLUG?x, UPPER_URL, acme@SLUG.test, ` +
		`TOKENdemo, PRODUCT's module MODULE`
	for _, c := range []struct{ module, product string }{
		{"example.com/x", "Acme Ledger"},
		{"example.com/sa_team/someapp-invoices/v2", "Someapp of Acme"},
	} {
		s := scratch.Empty(t)
		s.Write("someapp.txt", text, 0o600)
		s.Write("CHANGELOG.md", text, 0o600)
		s.Write("binary", text+"\x00", 0o600)
		s.Write("go.mod", "module someapp\n\ngo 1.26.0\n", 0o600)
		s.Commit()
		names := newNames(t, c.module, c.product)
		changed, err := fork.Rename(t.Context(), s.Dir, someApp(), names)
		assert.Thatf(t, err == nil && changed == 2, "%d files: %v", changed, err)
		files := s.Files()
		want := strings.NewReplacer("MODULE", names.Module, "SLUG", names.Slug, "UPPER", strings.ToUpper(names.Slug),
			"TOKEN", names.Token, "PRODUCT", names.Product).Replace(want)
		got := files[names.Slug+".txt"]
		assert.Thatf(t, got == want, "it says\n%s, want\n%s", got, want)
		assert.Thatf(t, files["CHANGELOG.md"] == text && files["binary"] == text+"\x00" && files["someapp.txt"] == "",
			"the changelog, a binary file or the name of a file is wrong: %q", files)
	}
}

func newNames(t *testing.T, module, product string) fork.Names {
	t.Helper()
	names, err := fork.NewNames(module, product, "")
	must.OK(t, err)
	return names
}

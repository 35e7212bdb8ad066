// Package scratch makes git repositories for the tests of tools that change the code: empty ones, and copies of this one.
package scratch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// Repository is a git repository that is deleted when the test ends.
type Repository struct {
	*testing.T

	Dir string
}

// Empty returns a repository without files, at a path with a space.
func Empty(t *testing.T) *Repository {
	t.Helper()
	r := &Repository{t, filepath.Join(t.TempDir(), "a copy")}
	if err := os.Mkdir(r.Dir, 0o755); err != nil { //nolint:gosec // the mode of a repository's other directories
		t.Fatal(err)
	}
	r.Run("git", "init", "--quiet")
	return r
}

// Copy returns a repository with one commit of the current files of the one at root.
func Copy(t *testing.T, root string) *Repository {
	t.Helper()
	r := Empty(t)
	for name, text := range filesOf(t, root) {
		info, err := os.Lstat(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		r.Write(name, text, info.Mode().Perm())
	}
	r.Commit()
	return r
}

// Write writes a file, and the directories that it needs.
func (r *Repository) Write(name, text string, mode os.FileMode) {
	r.Helper()
	path := filepath.Join(r.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // the mode of a repository's other directories
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		r.Fatal(err)
	}
}

// Commit commits all changes.
func (r *Repository) Commit() {
	r.Helper()
	r.Run("git", "add", "--all")
	r.Run("git", "-c", "user.name=Test", "-c", "user.email=test@example.com", "commit", "--quiet", "--message", "Copy")
}

// Run runs a program in the repository, which must succeed, and returns its output. The build cache is shared by all
// repositories, independent of their path.
func (r *Repository) Run(program string, args ...string) string {
	r.Helper()
	cmd := exec.CommandContext(r.Context(), program, args...)
	cmd.Dir = r.Dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false -trimpath")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Errorf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return string(out)
}

// CheckTypes checks all packages and their tests. It reads the imported packages as source, which takes a tenth of the time of
// a build: in a changed copy almost nothing is cached.
func (r *Repository) CheckTypes() {
	r.Helper()
	all, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax, Tests: true, Dir: r.Dir, Context: r.Context(), ParseFile: r.parse,
	}, "./...")
	if err != nil || len(all) == 0 {
		r.Fatalf("%d packages: %v", len(all), err)
	}
	for _, p := range all {
		for _, err := range p.Errors {
			r.Error(err)
		}
	}
}

// parse leaves out the bodies of functions and the elements of tables in Go files outside the repository. The files that go
// test generates have another extension.
func (r *Repository) parse(fset *token.FileSet, name string, text []byte) (*ast.File, error) {
	file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil || strings.HasPrefix(name, r.Dir) || filepath.Ext(name) != ".go" {
		return file, err //nolint:wrapcheck // the error names the position
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			n.Body = nil
		case *ast.CompositeLit:
			n.Elts = nil
		}
		return true
	})
	return file, nil
}

// Files returns the texts of the files, by their paths.
func (r *Repository) Files() map[string]string {
	r.Helper()
	return filesOf(r.T, r.Dir)
}

// filesOf returns the files that git tracks or would add, without deleted ones.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	list, err := exec.CommandContext(t.Context(), "git", "-C", dir, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			files[name] = string(text)
		}
	}
	return files
}

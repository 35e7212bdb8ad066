package fork

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/imports"
)

// DirtyError reports uncommitted changes in the working tree.
type DirtyError struct{ Changes string }

func (e *DirtyError) Error() string {
	return "commit or stash these changes first, so that git can show and take back what this command does:\n" + e.Changes
}

// tutorial is the page about the way from this app to another one. It stays as it is.
const tutorial = "docs/tutorial.md"

// tree is a working tree without uncommitted changes.
type tree struct {
	root   string
	module string   // the path of its Go module
	files  []string // tracked by git, relative to root
}

// openTree lists the files. It returns a [*DirtyError] if there are uncommitted changes.
func openTree(ctx context.Context, root string) (*tree, error) {
	t := &tree{root: root}
	if above, err := t.run(ctx, "git", "rev-parse", "--show-prefix"); err != nil || strings.TrimSpace(above) != "" {
		return nil, errors.New("this is not the top directory of a git repository: run git init, git add --all and git commit " +
			"here first, so that git can show and take back what this command does")
	}
	changes, err := t.run(ctx, "git", "status", "--porcelain")
	if err != nil {
		return nil, err
	}
	if changes != "" {
		return nil, &DirtyError{changes}
	}
	list, err := t.run(ctx, "git", "ls-files", "-z")
	if err != nil {
		return nil, err
	}
	t.files = strings.Split(strings.TrimSuffix(list, "\x00"), "\x00")
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, fmt.Errorf("look for the module: %w", err)
	}
	t.module = modfile.ModulePath(mod)
	return t, nil
}

// change changes the tree, and generates the code of its templates and the catalog of its schema. After an error it restores
// the tree from git, even if ctx is done.
func (t *tree) change(ctx context.Context, how func() error) error {
	err := how()
	if err == nil && slices.Contains(t.files, "templates/layout.templ") {
		_, err = t.run(ctx, "go", "tool", "templ", "generate")
	}
	if err == nil && slices.Contains(t.files, "internal/postgres/catalog.txt") {
		_, err = t.run(ctx, "go", "test", "./internal/postgres", "-count=1", "-run", "^TestCatalogIsFresh$", "-update")
	}
	if err == nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	_, reset := t.run(ctx, "git", "reset", "--quiet", "--hard")
	_, clean := t.run(ctx, "git", "clean", "--quiet", "-d", "--force")
	return errors.Join(err, reset, clean)
}

// text reads a file. ok is false for binary files and links.
func (t *tree) text(path string) (text string, ok bool, err error) {
	full := filepath.Join(t.root, path)
	info, err := os.Lstat(full)
	if err != nil || !info.Mode().IsRegular() {
		return "", false, err
	}
	content, err := os.ReadFile(full)
	return string(content), !bytes.Contains(content, []byte{0}), err
}

// write writes text to target in place of the file at path, formatted if it is Go.
func (t *tree) write(path, target, text string) error {
	content := []byte(text)
	if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_templ.go") {
		var err error
		content, err = imports.Process(path, content, &imports.Options{FormatOnly: true, Comments: true, TabIndent: true, TabWidth: 8})
		if err != nil {
			return fmt.Errorf("format %s: %w", path, err)
		}
	}
	from, to := filepath.Join(t.root, path), filepath.Join(t.root, target)
	if from != to {
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil { //nolint:gosec // the mode of a repository's other directories
			return err
		}
		if err := os.Rename(from, to); err != nil {
			return err
		}
	}
	return os.WriteFile(to, content, 0o600) // an existing file keeps its mode
}

// run runs a program in the tree and returns its output.
func (t *tree) run(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = t.root
	var wrong bytes.Buffer
	cmd.Stderr = &wrong
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", strings.Join(cmd.Args, " "), err, out, wrong.String())
	}
	return string(out), nil
}

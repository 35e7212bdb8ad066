package fork_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// scratch is a git repository with a copy of this tree.
type scratch struct {
	*testing.T

	dir string
}

// copied gives a repository with the files of this one as they are now, and one commit.
func copied(t *testing.T) *scratch {
	t.Helper()
	t.Parallel()
	s := &scratch{t, t.TempDir()}
	for _, name := range filesOf(t, "../../..") {
		from := filepath.Join("../../..", name)
		info, err := os.Lstat(from)
		if err != nil {
			continue // deleted, and not committed
		}
		content, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		s.write(name, string(content), info.Mode().Perm())
	}
	s.run("git", "init", "--quiet")
	s.commit()
	return s
}

func (s *scratch) write(name, content string, mode os.FileMode) {
	s.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		s.Fatal(err)
	}
}

func (s *scratch) commit() {
	s.Helper()
	s.run("git", "add", "--all")
	s.run("git", "-c", "user.name=Test", "-c", "user.email=test@example.com", "commit", "--quiet", "--message", "Copy")
}

// run runs a program in the copy. What is built there is kept for the next run, wherever the copy is then.
func (s *scratch) run(name string, args ...string) string {
	s.Helper()
	cmd := exec.CommandContext(s.Context(), name, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false -trimpath")
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return string(out)
}

// filesOf lists the files of a repository that git knows or would add.
func filesOf(t *testing.T, dir string) []string {
	t.Helper()
	list, err := exec.CommandContext(t.Context(), "git", "-C", dir, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00")
}

// files are those of the copy, with their contents.
func (s *scratch) files() map[string]string {
	s.Helper()
	files := map[string]string{}
	for _, name := range filesOf(s.T, s.dir) {
		if content, err := os.ReadFile(filepath.Join(s.dir, name)); err == nil {
			files[name] = string(content)
		}
	}
	return files
}

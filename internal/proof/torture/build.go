package torture

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"onlyonce/migrations"
)

// newest is a migration that can be reverted in spite of later data.
//
//go:embed newest.sql
var newest []byte

// newestFile sorts after all other migrations.
const newestFile = "99999_newest.sql"

// build compiles the real server into dir, with one more migration and with replacements in its source. All migrations are then in
// dir/migrations.
func build(ctx context.Context, dir string, replacements ...replacement) (program string, err error) {
	copied := filepath.Join(dir, "migrations")
	if err := os.CopyFS(copied, migrations.FS); err != nil {
		return "", err
	}
	added := filepath.Join(copied, newestFile)
	if err := os.WriteFile(added, newest, 0o600); err != nil {
		return "", err
	}
	module, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	root := filepath.Dir(strings.TrimSpace(string(module)))
	replaced, err := copies(replacements, root, dir)
	if err != nil {
		return "", err
	}
	replaced[filepath.Join(root, "migrations", newestFile)] = added
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", fmt.Errorf("describe the overlay: %w", err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		return "", err
	}
	program = filepath.Join(dir, "server")
	build := exec.CommandContext(ctx, "go", "build",
		"-ldflags=-s -w", "-overlay", file, "-o", program, "onlyonce/cmd/server")
	out, err := build.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the server: %w\n%s", err, out)
	}
	return program, nil
}

// copies applies replacements to copies of the files, and returns the paths of the copies.
func copies(replacements []replacement, root, dir string) (map[string]string, error) {
	replaced := map[string]string{}
	for i, r := range replacements {
		file := filepath.Join(root, r.file)
		from := cmp.Or(replaced[file], file)
		text, err := os.ReadFile(from)
		if err != nil {
			return nil, fmt.Errorf("remove a layer: %w", err)
		}
		if strings.Count(string(text), r.old) != 1 {
			return nil, fmt.Errorf("remove a layer: %s does not have %q once", r.file, r.old)
		}
		replaced[file] = filepath.Join(dir, fmt.Sprintf("edit-%d.go", i))
		edited := strings.Replace(string(text), r.old, r.new, 1)
		if err := os.WriteFile(replaced[file], []byte(edited), 0o600); err != nil { //nolint:gosec // in a directory of this run
			return nil, fmt.Errorf("remove a layer: %w", err)
		}
	}
	return replaced, nil
}

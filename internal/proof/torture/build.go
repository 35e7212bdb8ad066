package torture

import (
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

// newest is a migration that can be taken back without data.
//
//go:embed newest.sql
var newest []byte

// newestFile comes behind all migrations.
const newestFile = "99999_newest.sql"

// build compiles the real server into dir, with one more migration. All migrations are in dir/migrations then.
func build(ctx context.Context, dir string) (program string, err error) {
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
	overlay, err := json.Marshal(map[string]any{
		"Replace": map[string]string{filepath.Join(root, "migrations", newestFile): added},
	})
	if err != nil {
		return "", fmt.Errorf("describe the overlay: %w", err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		return "", err
	}
	program = filepath.Join(dir, "server")
	build := exec.CommandContext(ctx, "go", "build", "-overlay", file, "-o", program, "onlyonce/cmd/server")
	out, err := build.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the server: %w\n%s", err, out)
	}
	return program, nil
}

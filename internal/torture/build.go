package torture

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
)

// build compiles the real server into dir.
func build(ctx context.Context, dir string) (program string, err error) {
	program = filepath.Join(dir, "server")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", program, "onlyonce/cmd/server").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the server: %w\n%s", err, out)
	}
	return program, nil
}

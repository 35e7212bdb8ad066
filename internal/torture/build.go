package torture

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
)

// build compiles the real server into dir. overlay names a file of replaced sources, or is empty (see
// [mutation]).
func build(ctx context.Context, dir, overlay string) (program string, err error) {
	program = filepath.Join(dir, "server")
	args := []string{"build", "-o", program}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	out, err := exec.CommandContext(ctx, "go", append(args, "onlyonce/cmd/server")...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the server: %w\n%s", err, out)
	}
	return program, nil
}

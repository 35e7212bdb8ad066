package browser

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const toFix = "run e2e/setup (make test does)"

// findDriver makes the directory that playwright-go expects for its driver, from the npm package in e2e/ and the system's Node.js.
// It does not use playwright-go's installer, because its download is no longer available.
func findDriver(ctx context.Context) (string, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return "", fmt.Errorf("missing Node.js: %s: %w", toFix, err)
	}
	// Tests run in their package's directory, programs anywhere in the module.
	module, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	installed := filepath.Join(strings.TrimSpace(string(module)), "e2e", "node_modules")
	if _, err := os.Stat(filepath.Join(installed, "playwright-core")); err != nil {
		return "", fmt.Errorf("missing Playwright's driver: %s: %w", toFix, err)
	}
	driver := filepath.Join(installed, ".driver")
	if err := os.MkdirAll(driver, 0o755); err != nil { //nolint:gosec // the same mode as npm's directory beside it
		return "", fmt.Errorf("make a driver directory: %w", err)
	}
	// Relative, so that it still works after the clone has moved.
	core := filepath.Join("..", "playwright-core")
	if err := os.Symlink(core, filepath.Join(driver, "package")); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("link the driver: %w", err)
	}
	// playwright-go and its driver read both settings from the environment only.
	return driver, errors.Join(
		os.Setenv("PLAYWRIGHT_NODEJS_PATH", node),
		// Otherwise the driver does not inspect a page that waits for an answer, and most browser tests are about that state.
		os.Setenv("PLAYWRIGHT_SKIP_NAVIGATION_CHECK", "1"),
	)
}

// findProgram returns the value of a variable, or else the first candidate that is installed.
func findProgram(variable string, candidates ...string) (string, error) {
	if chosen := os.Getenv(variable); chosen != "" {
		return chosen, nil
	}
	for _, candidate := range candidates {
		if found, err := exec.LookPath(candidate); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("none of %q is installed: set %s to a browser, or %s", candidates, variable, toFix)
}

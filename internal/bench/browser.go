package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/playwright-community/playwright-go"
)

// openBrowser starts Chromium through the driver that e2e/setup installs. close ends both.
func openBrowser(ctx context.Context, dir string) (_ playwright.Browser, closeAll func() error, err error) {
	driver, err := findDriver(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	pw, err := playwright.Run(&playwright.RunOptions{DriverDirectory: driver})
	if err != nil {
		return nil, nil, fmt.Errorf("start Playwright's driver: %w", err)
	}
	program, err := findBrowser(pw.Chromium.ExecutablePath())
	if err != nil {
		return nil, nil, errors.Join(err, pw.Stop())
	}
	browser, err := pw.Chromium.Launch(playwright.BrowserTypeLaunchOptions{
		ExecutablePath:  &program,
		ChromiumSandbox: new(os.Geteuid() != 0),
		Args: []string{
			"--disable-quic", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync",
		},
	})
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("launch %s: %w", program, err), pw.Stop())
	}
	return browser, func() error { return errors.Join(browser.Close(), pw.Stop()) }, nil
}

// findDriver makes the directory that playwright-go expects of its driver, out of the npm package in e2e/
// and the system's Node.js.
func findDriver(ctx context.Context, dir string) (string, error) {
	const toFix = "run e2e/setup (make test does)"
	node, err := exec.LookPath("node")
	if err != nil {
		return "", fmt.Errorf("missing Node.js: %s: %w", toFix, err)
	}
	module, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	core := filepath.Join(strings.TrimSpace(string(module)), "e2e", "node_modules", "playwright-core")
	if _, err := os.Stat(core); err != nil {
		return "", fmt.Errorf("missing Playwright's driver: %s: %w", toFix, err)
	}
	driver := filepath.Join(dir, "driver")
	if err := os.Mkdir(driver, 0o700); err != nil {
		return "", err
	}
	return driver, errors.Join(
		os.Symlink(core, filepath.Join(driver, "package")),
		os.Setenv("PLAYWRIGHT_NODEJS_PATH", node))
}

// findBrowser prefers the person's choice (BROWSER_PATH), then the one that Playwright installed, then the
// system's.
func findBrowser(bundled string) (string, error) {
	if chosen := os.Getenv("BROWSER_PATH"); chosen != "" {
		return chosen, nil
	}
	for _, candidate := range []string{
		bundled, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	} {
		if found, err := exec.LookPath(candidate); err == nil {
			return found, nil
		}
	}
	return "", errors.New("no browser: install Chromium or Chrome, set BROWSER_PATH to one, or run e2e/setup")
}

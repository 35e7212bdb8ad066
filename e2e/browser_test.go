package e2e

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/playwright-community/playwright-go"
)

// browser is the one browser of this process. Tests are kept apart by contexts,
// which share no cookies, storage or cache. Nobody closes it: it ends with its
// driver, and the driver with the pipe to this process, however that ends.
var browser = sync.OnceValues(launch)

func launch() (playwright.Browser, error) {
	driver, err := findDriver()
	if err != nil {
		return nil, err
	}
	pw, err := playwright.Run(&playwright.RunOptions{DriverDirectory: driver})
	if err != nil {
		return nil, fmt.Errorf("start Playwright's driver: %w", err)
	}
	program, err := findBrowser(pw.Chromium.ExecutablePath())
	if err != nil {
		return nil, err
	}
	launched, err := pw.Chromium.Launch(playwright.BrowserTypeLaunchOptions{
		ExecutablePath: &program,
		// Root has no user namespaces to build the sandbox from.
		ChromiumSandbox: new(os.Geteuid() != 0),
		// Playwright turns the back/forward cache off; people have it on.
		IgnoreDefaultArgs: []string{"--disable-back-forward-cache"},
		// Loopback only: no calls home of any kind.
		Args: []string{
			"--disable-quic", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync",
		},
	})
	if err != nil {
		return nil, fmt.Errorf("launch %s: %w", program, err)
	}
	return launched, nil
}

// findDriver makes the directory that playwright-go expects of its driver, out
// of the npm package and the system's Node.js. playwright-go's own installer is
// never called: what it downloads is gone.
func findDriver() (string, error) {
	const toFix = "run e2e/setup (make test does)"
	node, err := exec.LookPath("node")
	if err != nil {
		return "", fmt.Errorf("Node.js is missing: %s: %w", toFix, err)
	}
	core, err := filepath.Abs("node_modules/playwright-core")
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(core); err != nil {
		return "", fmt.Errorf("Playwright's driver is missing: %s: %w", toFix, err)
	}
	driver := filepath.Join(filepath.Dir(core), ".driver")
	if err := os.MkdirAll(driver, 0o755); err != nil {
		return "", fmt.Errorf("make a driver directory: %w", err)
	}
	if err := os.Symlink(core, filepath.Join(driver, "package")); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("link the driver: %w", err)
	}
	return driver, errors.Join(
		os.Setenv("PLAYWRIGHT_NODEJS_PATH", node),
		// Else the driver looks at no page that waits for an answer, and that is
		// the very moment that most scenarios are about.
		os.Setenv("PLAYWRIGHT_SKIP_NAVIGATION_CHECK", "1"),
	)
}

// findBrowser prefers the person's choice (BROWSER_PATH), then the Chromium that
// Playwright installed, then the system's. Keep the order of have_browser in
// setup.
func findBrowser(bundled string) (string, error) {
	if chosen := os.Getenv("BROWSER_PATH"); chosen != "" {
		return chosen, nil
	}
	for _, candidate := range []string{
		bundled,
		"chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	} {
		if found, err := exec.LookPath(candidate); err == nil {
			return found, nil
		}
	}
	return "", errors.New("no browser: install Chromium or Chrome, set BROWSER_PATH to one, or run e2e/setup (make test does)")
}

// Package browser drives Chromium, or another browser, for the browser tests and the benchmark. e2e/setup installs Playwright's
// driver, and a browser if there is none.
package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/playwright-community/playwright-go"
)

// Launch starts a headless browser: Chromium, or with BROWSER=firefox or webkit that of this machine. stop ends it and its driver.
// Without a call of stop they still end with this process, even if it is killed: the browser ends with its driver, and the driver
// when its pipe closes.
func Launch(ctx context.Context) (_ playwright.Browser, stop func() error, err error) {
	return launch(ctx, true)
}

// LaunchWithoutPageCache is [Launch] for a browser that keeps no pages in memory for Back and Forward, as when short of memory or
// with some extensions. It starts Chromium's headless shell if there is one, which takes a third less CPU time.
func LaunchWithoutPageCache(ctx context.Context) (_ playwright.Browser, stop func() error, err error) {
	return launch(ctx, false)
}

// launch looks for the same programs as e2e/setup, in the same order.
func launch(ctx context.Context, pageCache bool) (_ playwright.Browser, stop func() error, err error) {
	if os.Getenv("BROWSER") == "webkit" {
		launched, err := launchWebKit(ctx)
		if err != nil {
			return nil, nil, err
		}
		return launched, func() error { return nil }, nil
	}
	directory, err := findDriver(ctx)
	if err != nil {
		return nil, nil, err
	}
	driver, err := playwright.Run(&playwright.RunOptions{DriverDirectory: directory})
	if err != nil {
		return nil, nil, fmt.Errorf("start Playwright's driver: %s: %w", toFix, err)
	}
	var launched playwright.Browser
	switch engine := cmp.Or(os.Getenv("BROWSER"), "chromium"); engine {
	case "chromium":
		launched, err = chromium(driver, pageCache)
	case "firefox":
		launched, err = firefox(driver, pageCache)
	default:
		err = fmt.Errorf("BROWSER is %q: want chromium, firefox or webkit", engine)
	}
	if err != nil {
		return nil, nil, errors.Join(err, driver.Stop())
	}
	return launched, func() error { return errors.Join(launched.Close(), driver.Stop()) }, nil
}

// firefox starts an unmodified Firefox, which Playwright drives over WebDriver BiDi.
func firefox(driver *playwright.Playwright, pageCache bool) (playwright.Browser, error) {
	program, err := findProgram("FIREFOX_PATH", "firefox-esr", "firefox", "/Applications/Firefox.app/Contents/MacOS/firefox")
	if err != nil {
		return nil, err
	}
	settings := map[string]any{
		"dom.confirm_repost.testing.always_accept": true, // a refresh sends a form again, as in Chromium
		"network.proxy.allow_hijacking_localhost":  true, // the proxy of a window is also for apps on this machine
		"ui.prefersReducedMotion":                  1,    // WebDriver BiDi can't set it for a window
	}
	if !pageCache {
		settings["browser.sessionhistory.max_total_viewers"] = 0
	}
	launched, err := driver.Firefox.Launch(playwright.BrowserTypeLaunchOptions{
		Channel: new("moz-firefox"), ExecutablePath: &program, FirefoxUserPrefs: settings,
	})
	if err != nil {
		return nil, fmt.Errorf("launch %s (FIREFOX_PATH names another one): %w", program, err)
	}
	return launched, nil
}

// chromium starts the full browser, or the headless shell if it need not keep pages.
func chromium(driver *playwright.Playwright, pageCache bool) (playwright.Browser, error) {
	programs := []string{
		driver.Chromium.ExecutablePath(), "chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	}
	without, unset := []string(nil), []string{"--disable-back-forward-cache"} // Playwright sets it, unlike real users
	if !pageCache {
		programs = slices.Insert(programs, 0, "chromium-headless-shell")
		without, unset = []string{"BackForwardCache"}, nil
	}
	program, err := findProgram("BROWSER_PATH", programs...)
	if err != nil {
		return nil, err
	}
	launched, err := driver.Chromium.Launch(options(program, without, unset))
	if err != nil {
		return nil, fmt.Errorf("launch %s (BROWSER_PATH names another one): %w", program, err)
	}
	return launched, nil
}

func options(program string, without, unset []string) playwright.BrowserTypeLaunchOptions {
	return playwright.BrowserTypeLaunchOptions{
		ExecutablePath: &program,
		// Root has no user namespaces for the sandbox.
		ChromiumSandbox:   new(os.Geteuid() != 0),
		IgnoreDefaultArgs: unset,
		// Prevent requests to other hosts.
		Args: []string{
			"--disable-quic", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync",
			"--disable-features=" + strings.Join(append(needless(), without...), ","),
		},
	}
}

// needless are features of Chromium that no test needs. The first two load pages for the address bar in each new window: two
// processes that start more slowly than the window. The others are Playwright's own list, repeated because Chromium obeys only the
// last such switch.
func needless() []string {
	return []string{
		"WebUIOmniboxPopup", "WebUIOmniboxAimPopup",
		"AvoidUnnecessaryBeforeUnloadCheckSync", "BoundaryEventDispatchTracksNodeRemoval", "DestroyProfileOnBrowserClose",
		"DialMediaRouteProvider", "GlobalMediaControls", "HttpsUpgrades", "LensOverlay", "MediaRouter", "OptimizationHints",
		"PaintHolding", "RenderDocument", "ThirdPartyStoragePartitioning", "Translate",
	}
}

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

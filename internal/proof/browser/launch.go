package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/playwright-community/playwright-go"
)

// Launch starts a headless browser: Chromium, or Playwright's browser with BROWSER=firefox or BROWSER=webkit. stop ends it and its
// driver. Without a call of stop they still end with this process, even if it is killed: the browser ends with its driver, and the
// driver when its pipe closes.
func Launch(ctx context.Context) (_ playwright.Browser, stop func() error, err error) {
	return launch(ctx, func(driver *playwright.Playwright) (playwright.Browser, error) {
		// Playwright disables the back/forward cache, which real users have.
		return chromium(driver, nil, []string{"--disable-back-forward-cache"})
	})
}

// LaunchWithoutPageCache is [Launch] for a Chromium that keeps no pages in memory for Back and Forward, as when short of memory or
// with some extensions. It starts Chromium's headless shell if there is one, which takes a third less CPU time.
func LaunchWithoutPageCache(ctx context.Context) (_ playwright.Browser, stop func() error, err error) {
	return launch(ctx, func(driver *playwright.Playwright) (playwright.Browser, error) {
		if shell := findShell(); shell != "" {
			return driver.Chromium.Launch(options(shell, nil, nil))
		}
		return chromium(driver, []string{"BackForwardCache"}, nil)
	})
}

func launch(ctx context.Context, start func(*playwright.Playwright) (playwright.Browser, error)) (
	_ playwright.Browser, stop func() error, err error,
) {
	directory, err := findDriver(ctx)
	if err != nil {
		return nil, nil, err
	}
	driver, err := playwright.Run(&playwright.RunOptions{DriverDirectory: directory})
	if err != nil {
		return nil, nil, fmt.Errorf("start Playwright's driver: %s: %w", toFix, err)
	}
	if kind := map[string]playwright.BrowserType{"firefox": driver.Firefox, "webkit": driver.WebKit}[os.Getenv("BROWSER")]; kind != nil {
		start = func(*playwright.Playwright) (playwright.Browser, error) {
			launched, err := kind.Launch()
			if err != nil {
				return nil, fmt.Errorf("launch %s: %s: %w", kind.Name(), toFix, err)
			}
			return launched, nil
		}
	}
	launched, err := start(driver)
	if err != nil {
		return nil, nil, errors.Join(err, driver.Stop())
	}
	return launched, func() error { return errors.Join(launched.Close(), driver.Stop()) }, nil
}

// chromium starts the full browser, without some features and without some of Playwright's switches.
func chromium(driver *playwright.Playwright, without, unset []string) (playwright.Browser, error) {
	program, err := findProgram(driver.Chromium.ExecutablePath())
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

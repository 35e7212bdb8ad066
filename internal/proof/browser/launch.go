package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/playwright-community/playwright-go"
)

// Launch starts a browser without windows: Chromium, or with BROWSER=firefox or BROWSER=webkit that of Playwright.
// stop ends it and its driver. Who never calls stop leaves nothing
// behind, either: the browser ends with its driver, and the driver with the pipe to this process, however
// that ends.
func Launch(ctx context.Context) (_ playwright.Browser, stop func() error, err error) {
	return launch(ctx, func(driver *playwright.Playwright) (playwright.Browser, error) {
		// Playwright turns the back/forward cache off; people have it on.
		return chromium(driver, nil, []string{"--disable-back-forward-cache"})
	})
}

// LaunchWithoutPageCache is [Launch] for a Chromium that keeps no pages in memory for Back and Forward: short of memory, or with
// extensions that forbid it. It is Chromium's headless shell, where there is one, which takes a third less of the processor's time.
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

// chromium starts the whole browser, without some of its features and of Playwright's switches.
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
		// Root has no user namespaces to build the sandbox from.
		ChromiumSandbox:   new(os.Geteuid() != 0),
		IgnoreDefaultArgs: unset,
		// Loopback only: no calls home of any kind.
		Args: []string{
			"--disable-quic", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync",
			"--disable-features=" + strings.Join(append(needless(), without...), ","),
		},
	}
}

// needless are features of Chromium that no test is about. The first two are pages behind the address bar, which each new
// window loads: two processes that take longer than the window. The others are those that Playwright switches off, and
// stand here again because Chromium obeys the last such switch only.
func needless() []string {
	return []string{
		"WebUIOmniboxPopup", "WebUIOmniboxAimPopup",
		"AvoidUnnecessaryBeforeUnloadCheckSync", "BoundaryEventDispatchTracksNodeRemoval", "DestroyProfileOnBrowserClose",
		"DialMediaRouteProvider", "GlobalMediaControls", "HttpsUpgrades", "LensOverlay", "MediaRouter", "OptimizationHints",
		"PaintHolding", "RenderDocument", "ThirdPartyStoragePartitioning", "Translate",
	}
}

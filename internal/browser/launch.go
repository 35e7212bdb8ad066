package browser

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/playwright-community/playwright-go"
)

// Launch starts a browser without windows: Chromium, or with BROWSER=firefox or BROWSER=webkit that of Playwright.
// stop ends it and its driver. Who never calls stop leaves nothing
// behind, either: the browser ends with its driver, and the driver with the pipe to this process, however
// that ends. The arguments are further ones of its command line.
func Launch(ctx context.Context, arguments ...string) (_ playwright.Browser, stop func() error, err error) {
	directory, err := findDriver(ctx)
	if err != nil {
		return nil, nil, err
	}
	driver, err := playwright.Run(&playwright.RunOptions{DriverDirectory: directory})
	if err != nil {
		return nil, nil, fmt.Errorf("start Playwright's driver: %s: %w", toFix, err)
	}
	if kind := map[string]playwright.BrowserType{"firefox": driver.Firefox, "webkit": driver.WebKit}[os.Getenv("BROWSER")]; kind != nil {
		launched, err := kind.Launch()
		if err != nil {
			return nil, nil, errors.Join(fmt.Errorf("launch %s: %s: %w", kind.Name(), toFix, err), driver.Stop())
		}
		return launched, func() error { return errors.Join(launched.Close(), driver.Stop()) }, nil
	}
	program, err := findProgram(driver.Chromium.ExecutablePath())
	if err != nil {
		return nil, nil, errors.Join(err, driver.Stop())
	}
	launched, err := driver.Chromium.Launch(playwright.BrowserTypeLaunchOptions{
		ExecutablePath: &program,
		// Root has no user namespaces to build the sandbox from.
		ChromiumSandbox: new(os.Geteuid() != 0),
		// Playwright turns the back/forward cache off; people have it on.
		IgnoreDefaultArgs: []string{"--disable-back-forward-cache"},
		// Loopback only: no calls home of any kind.
		Args: append([]string{
			"--disable-quic", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync",
		}, arguments...),
	})
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("launch %s (BROWSER_PATH names another one): %w", program, err), driver.Stop())
	}
	return launched, func() error { return errors.Join(launched.Close(), driver.Stop()) }, nil
}

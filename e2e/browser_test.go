package e2e

import (
	"context"
	"sync"

	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/browser"
)

// chromium is the browser of nearly all tests. Tests are kept apart by contexts,
// which share no cookies, storage or cache. Nobody stops it: it ends with the
// process.
var chromium = sync.OnceValues(func() (playwright.Browser, error) {
	launched, _, err := browser.Launch(context.Background())
	return launched, err
})

// withoutPageCache is a browser that keeps no pages in memory for Back and
// Forward: short of memory, or with extensions that forbid it.
var withoutPageCache = sync.OnceValues(func() (playwright.Browser, error) {
	launched, _, err := browser.Launch(context.Background(), "--disable-features=BackForwardCache")
	return launched, err
})

package e2e

import (
	"context"
	"sync"

	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/proof/browser"
)

// withoutPageCache is the browser of nearly all tests: one that keeps no pages in memory for Back and Forward, as one that is short
// of memory, or with extensions that forbid it. Tests are kept apart by contexts, which share no cookies, storage or cache. Nobody
// stops it: it ends with the process.
var withoutPageCache = sync.OnceValues(func() (playwright.Browser, error) {
	launched, _, err := browser.LaunchWithoutPageCache(context.Background())
	return launched, err
})

// withPageCache is for tests that go back. It takes a process for each page.
var withPageCache = sync.OnceValues(func() (playwright.Browser, error) {
	launched, _, err := browser.Launch(context.Background())
	return launched, err
})

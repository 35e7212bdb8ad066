package e2e

import (
	"context"
	"sync"

	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/proof/browser"
)

// withoutPageCache is the browser of nearly all tests. It keeps no pages in memory for Back and Forward, like a browser that is
// short of memory, or with extensions that forbid it. Tests are isolated by contexts, which share no cookies, storage or cache. The
// browser ends with the process.
var withoutPageCache = sync.OnceValues(func() (playwright.Browser, error) {
	launched, _, err := browser.LaunchWithoutPageCache(context.Background())
	return launched, err
})

// withPageCache is for tests that go back. It takes a process for each page.
var withPageCache = sync.OnceValues(func() (playwright.Browser, error) {
	launched, _, err := browser.Launch(context.Background())
	return launched, err
})

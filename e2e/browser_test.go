package e2e

import (
	"context"
	"sync"

	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/browser"
)

// chromium is the one browser of this process, but for what is said below. Tests are kept apart by contexts,
// which share no cookies, storage or cache. Nobody stops it: it ends with the
// process.
var chromium = sync.OnceValues(func() (playwright.Browser, error) {
	launched, _, err := browser.Launch(context.Background())
	return launched, err
})

// forgetful is a browser without the back/forward cache, as where there is little memory.
var forgetful = sync.OnceValues(func() (playwright.Browser, error) {
	launched, _, err := browser.Launch(context.Background(), "--disable-features=BackForwardCache")
	return launched, err
})

package e2e

import (
	"context"
	"sync"

	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/browser"
)

// chromium is the one browser of this process. Tests are kept apart by contexts,
// which share no cookies, storage or cache. Nobody stops it: it ends with the
// process.
var chromium = sync.OnceValues(func() (playwright.Browser, error) {
	launched, _, err := browser.Launch(context.Background())
	return launched, err
})

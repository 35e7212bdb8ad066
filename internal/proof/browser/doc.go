// Package browser drives Chromium, or another browser, for the browser tests and the benchmark. e2e/setup installs Playwright's
// driver, and a browser if there is none.
package browser

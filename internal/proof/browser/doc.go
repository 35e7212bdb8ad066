// Package browser drives Chromium, or another browser, for the browser tests and the benchmark. e2e/setup installs what it
// needs: Playwright's driver, and a browser where there is none.
package browser

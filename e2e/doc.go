// Package e2e drives the whole app as a person does: with a real browser on the real server. Each test has a separate database, or
// runs against a deployment. There is one file per family of scenarios, each scenario from a real incident. Every scenario counts
// records and reads the page. See docs/e2e.md.
//
// Incidents (incidents_test.go) do not depend on this app: they run on any app with a form, see docs/e2e-other-apps.md.
//
// The script setup installs the requirements. A failing test leaves a screenshot in failures/ and names it; with E2E_TRACE=1 also a
// trace, to be viewed with
//
//	npx playwright-core show-trace failures/TestName.zip
//
// With SCREENSHOTS set to a directory, the accessibility tests keep a picture of
// every page in it. For a short look, TestStory alone keeps one of each step of a
// business, numbered in order, at 390 and 1280 px, light and dark:
//
//	SCREENSHOTS=/tmp/pictures go test ./e2e -run TestStory
package e2e

// Package e2e drives the whole app as a person does: a real browser on the real
// server, each test with a database of its own, or against a deployment. There is
// one file per family of scenarios, each scenario from a real incident; every one
// of them counts records and reads what the person sees. docs/e2e.md says more.
//
// Incidents (incidents_test.go) know nothing of this app: they run on any that
// has a form, see docs/e2e-other-apps.md.
//
// setup installs what is needed. A failing test leaves a screenshot
// in failures/ and names it; with E2E_TRACE=1 also a trace, to be looked at with
//
//	npx playwright-core show-trace failures/TestName.zip
//
// With SCREENSHOTS set to a directory, the accessibility tests keep a picture of
// every page in it. For a short look, TestStory alone keeps one of each step of a
// business, numbered in order, at 390 and 1280 px, light and dark:
//
//	SCREENSHOTS=/tmp/pictures go test ./e2e -run TestStory
package e2e

// Package scenario makes a page of the browser scenarios in e2e, and decides whether a run has passed. It reads the
// output of go test -json, the comments above the tests, and the stories that the tests keep (see e2e/timeline_test.go).
package scenario

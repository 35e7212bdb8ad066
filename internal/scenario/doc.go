// Package scenario makes reports of the browser scenarios in e2e: a table, a page to look at, and JUnit's XML. It reads what
// go test -json prints, the comments above the tests, and the stories that the tests keep (see e2e/timeline_test.go).
package scenario

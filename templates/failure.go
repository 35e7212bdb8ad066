package templates

import "strconv"

// Failure is an error page with links to other pages.
type Failure struct {
	Status int
	// Title is short: "Not found". Message is one or two sentences.
	Title   string
	Message string
	// Links lead to other pages. The first is the most useful one.
	Links []Link
	// RequestID helps support to find the log line; empty hides it.
	RequestID string
}

func statusCode(status int) string {
	if status == 0 {
		return ""
	}
	return strconv.Itoa(status)
}

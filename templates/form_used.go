package templates

import "net/url"

// FormUsed answers the opening of a form whose key has created a record.
type FormUsed struct {
	// Kind is "invoice" or "customer".
	Kind string
	// Existing is the record that was created.
	Existing Record
	// NewHref opens a form with a new key.
	NewHref string
}

// formURL is where a form is opened under its key. Asked again, it tells
// whether the form is used.
func formURL(path, key string) string { return path + "?" + url.Values{"key": {key}}.Encode() }

package templates

// FormUsed answers the opening of a form whose key has created a record.
type FormUsed struct {
	// Kind is "invoice" or "customer".
	Kind string
	// Existing is the record that was created.
	Existing Record
	// NewHref opens a form with a new key.
	NewHref string
}

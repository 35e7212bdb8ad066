// Package invalid says what is wrong with a command, field by field, so that a person and a program
// can both find the place.
package invalid

import "strings"

// Field is one thing that is wrong.
type Field struct {
	// Pointer is the place: an RFC 6901 JSON Pointer into the command, such as /lines/0/quantity.
	Pointer string `json:"pointer"`
	// Message says what to do about it, in a sentence.
	Message string `json:"detail"`
}

// Error lists everything that is wrong with a command. Nothing was done.
type Error struct{ Fields []Field }

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("invalid command")
	for i, f := range e.Fields {
		b.WriteString([]string{": ", "; "}[min(i, 1)])
		b.WriteString(f.Pointer + ": " + f.Message)
	}
	return b.String()
}

// Add notes that something is wrong.
func (e *Error) Add(pointer, message string) {
	e.Fields = append(e.Fields, Field{pointer, message})
}

// Err gives the error, or nil if nothing was added.
func (e *Error) Err() error {
	if len(e.Fields) == 0 {
		return nil
	}
	return e
}

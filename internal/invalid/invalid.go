// Package invalid lists the mistakes in a command by field, so that users and programs can find the place.
package invalid

import (
	"errors"
	"fmt"
	"strings"

	"onlyonce/internal/invalid/text"
)

// Field is a mistake in a field.
type Field struct {
	// Pointer is an RFC 6901 JSON Pointer into the command, such as /lines/0/quantity.
	Pointer string `json:"pointer"`
	// Message is a sentence with the correction.
	Message string `json:"detail"`
	// Readings are the two values that the text can mean, for a form to choose from; blank for others.
	Readings [2]string `json:"-"`
}

// Error lists all mistakes in a command. Nothing was done.
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

// Add adds a mistake at a place.
func (e *Error) Add(pointer, message string) {
	e.Fields = append(e.Fields, Field{Pointer: pointer, Message: message})
}

// Line returns a text of one line, as [text.Line] does, and adds an error if it has more than limit characters or an invisible one. The
// parameter what names the text in a sentence, such as "the name".
func (e *Error) Line(pointer, what, typed string, limit int) string {
	line, err := text.Line(typed, limit)
	e.addText(pointer, what, limit, err)
	return line
}

// Lines is Line for a text of any number of lines, with [text.Lines].
func (e *Error) Lines(pointer, what, typed string, limit int) string {
	lines, err := text.Lines(typed, limit)
	e.addText(pointer, what, limit, err)
	return lines
}

func (e *Error) addText(pointer, what string, limit int, err error) {
	if errors.Is(err, text.ErrLong) {
		e.Add(pointer, fmt.Sprintf("Shorten %s to at most %d characters.", what, limit))
	}
	found, ok := errors.AsType[*text.CharacterError](err)
	if !ok {
		return
	}
	place := "at the beginning of " + what
	if found.After != "" {
		place = "after “" + found.After + "” in " + what
	}
	if found.Symbol {
		e.Add(pointer, "Replace the symbol "+place+". Only the font it comes from can show it.")
	} else {
		e.Add(pointer, "Remove the invisible character "+place+".")
	}
}

// Err returns the error, or nil if nothing was added.
func (e *Error) Err() error {
	if len(e.Fields) == 0 {
		return nil
	}
	return e
}

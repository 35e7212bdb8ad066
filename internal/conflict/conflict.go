// Package conflict has the errors of valid commands that a rule of the domain refuses.
// Nothing was done, and the key stays free. One value says it to people, to programs and in the
// documentation.
package conflict

import "github.com/google/uuid"

// Kind is a kind of conflict. It is explained at /problems/<Slug>, which is the "type" of RFC 9457, and
// answered with 409.
type Kind struct {
	Slug  string
	Title string
	// Meaning is what happened, and ToDo what a program or its author can do, in sentences.
	Meaning string
	ToDo    string
}

// Error is one conflict.
type Error struct {
	Kind *Kind
	// Title is a sentence about the conflict, and Text is about what became of the command, or what is asked.
	Title string
	Text  string
	// Existing is the conflicting record, and Name what people call it. Others are further ones.
	Existing uuid.UUID
	Name     string
	Others   []Other
	// Many is what the resource of these records is called, such as "customers", if the command is about another one.
	Many string
	// Differing are the fields, by their JSON names, in which Existing is not what the command has.
	Differing []string
	// Field is the JSON Pointer of the field that has to change, if there is one, and Blame what is said beside it.
	Field string
	Blame string
	// Ways are what a person can do besides opening the existing record.
	Ways []Way
	// Members are told to programs, by their JSON names.
	Members map[string]string
}

// Other is a further conflicting record, and what people call it.
type Other struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// Way is a button below the conflict: it sends the form again, with one more field.
type Way struct {
	Text  string
	Field string
	Value string
}

func (e *Error) Error() string { return e.Title }

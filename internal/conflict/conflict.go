// Package conflict has the errors for valid commands that a rule of the domain refuses. Nothing was done, and the key stays free. The
// same value is shown to users, to programs and in the documentation.
package conflict

import "github.com/google/uuid"

// Kind is a kind of conflict. The HTTP status is 409, and the "type" of RFC 9457 is the URL /problems/<Slug>, where it is explained.
type Kind struct {
	Slug  string
	Title string
	// Meaning is the cause, and ToDo the action for a program or its author, in sentences.
	Meaning string
	ToDo    string
}

// Error is a conflict.
type Error struct {
	Kind *Kind
	// Title is a sentence about the conflict. Text explains what happened to the command, or asks a question.
	Title string
	Text  string
	// Existing is the id of the conflicting record, and Name its display name. Others are further conflicting records.
	Existing uuid.UUID
	Name     string
	Others   []Other
	// Many is the plural name of these records' resource, such as "customers", if it isn't the resource of the command.
	Many string
	// Differing lists the JSON names of the fields in which Existing differs from the command.
	Differing []string
	// Field is the JSON Pointer of the field to change, if there is one, and Blame the message next to it.
	Field string
	Blame string
	// Buttons are the user's choices besides opening the existing record.
	Buttons []Button
	// Members are further members of the JSON for programs.
	Members map[string]string
}

// Other is a further conflicting record with its display name.
type Other struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
	// Many is the plural name of its resource, if it isn't the one of the [Error].
	Many string `json:"-"`
}

// Button sends the form again with an additional field. It is shown below the conflict.
type Button struct {
	Text  string
	Field string
	Value string
}

func (e *Error) Error() string { return e.Title }

// Rule is a uniqueness rule. Each unique constraint has one; a test compares the rules with the catalog of the database.
type Rule struct {
	// Constraint is the name of the unique constraint or index that enforces the rule.
	Constraint string
	// Sentence is the rule in plain language.
	Sentence string
	// Answer is a sentence about the result of the second attempt.
	Answer string
	// Conflict is the error of the second attempt, or nil if it reuses the existing record.
	Conflict *Kind
	// Optional means that records without a value are not compared: the column may be NULL, or the index is partial.
	Optional bool
}

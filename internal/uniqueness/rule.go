// Package uniqueness describes what "the same thing" means: one [Rule] for each unique constraint.
// The domains list theirs; the documentation shows the list, and a test holds it against the
// database's catalog.
package uniqueness

import "onlyonce/internal/conflict"

// Rule is one uniqueness rule, for people and for the program.
type Rule struct {
	// Constraint is the name of the unique constraint or index that enforces the rule.
	Constraint string
	// Sentence says the rule in plain language.
	Sentence string
	// Answer says what happens to the second attempt.
	Answer string
	// Conflict is what the second attempt is refused with; nil if the existing record is reused.
	Conflict *conflict.Kind
	// Optional says that records without a value are not compared: the column may be NULL, or the index is
	// partial.
	Optional bool
}

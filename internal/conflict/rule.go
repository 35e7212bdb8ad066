package conflict

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

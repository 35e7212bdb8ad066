package conflict

// Rule is one uniqueness rule: what "the same thing" means. There is one for each unique constraint, and a test holds
// the rules against the catalog of the database.
type Rule struct {
	// Constraint is the name of the unique constraint or index that enforces the rule.
	Constraint string
	// Sentence is the rule in plain language.
	Sentence string
	// Answer is a sentence about what happens to the second attempt.
	Answer string
	// Conflict is what the second attempt is refused with; nil if the existing record is reused.
	Conflict *Kind
	// Optional means that records without a value are not compared: the column may be NULL, or the index is
	// partial.
	Optional bool
}

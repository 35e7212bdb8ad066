package templates

// RuleSection has the rules about one kind of record.
type RuleSection struct {
	Title      string // "Credit notes"
	Anchor     string
	Operations []OperationRule
	Rules      []Rule
}

// OperationRule is the guarantee of an operation.
type OperationRule struct {
	Title   string // "Issue invoice"
	Promise string // the effect of the operation, and of a repeat
	Kept    string // the time for which its first answer is kept: "24 hours"
}

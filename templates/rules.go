package templates

// RuleSection is the part of the rules about one kind of record.
type RuleSection struct {
	Title      string // "Credit notes"
	Anchor     string
	Operations []OperationRule
	Rules      []Rule
}

// OperationRule is what is promised of one operation.
type OperationRule struct {
	Title   string // "Issue invoice"
	Promise string // what it does, and what a repeat does
	Kept    string // how long its first answer is kept: "24 hours"
}

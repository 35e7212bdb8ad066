// Package duplicate finds customers that are there twice, merges them into one, and takes that back.
package duplicate

import (
	"time"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/record"
)

// UndoWithin is how long after a merge it can be undone.
const UndoWithin = 30 * 24 * time.Hour

// Limits of a merge.
const (
	MaxCustomers = 20     // that one operation is about
	MaxRows      = 10_000 // that refer to the losers, and are moved in one transaction
)

// Merge is a merge as it is stored: since then the losers' addresses lead to the winner.
type Merge struct {
	record.Header

	Winner record.Reference   `json:"winner"`
	Losers []record.Reference `json:"losers"`
	// Moved is how many rows referred to the losers, and refer to the winner since.
	Moved    int       `json:"moved" doc:"How many records were moved from the others to the winner."`
	UndoneAt time.Time `json:"undone_at,omitzero"` // UTC; zero if it is in effect
}

// Table has the merges.
var Table = record.Table[Merge]{Name: "customer_merges", Fields: `
	'winner', ` + customer.Names.JSON("winner_id") + `, 'moved', r.moved, 'undone_at', r.undone_at,
	'losers', ` + References(customer.Names, "loser_ids")}

// Name is what people call a merge: "Ada King into Ada Lovelace".
func Name(m Merge) string { return Joined(m.Losers) + " into " + m.Winner.Name }

// ChangedMeanwhile is the conflict of merging customers of which one is not as it was seen any more.
var ChangedMeanwhile = conflict.Kind{
	Slug: "customer-changed", Title: "Customer changed meanwhile",
	Meaning: "One of the customers (customer_id) has changed since you saw it. Nothing was merged. " +
		"You can use the key again.",
	ToDo: "Read the customer. If it is still the right one, send the request with its current version.",
}

// TooManyRows is the conflict of a merge that would move more than [MaxRows].
var TooManyRows = conflict.Kind{
	Slug: "merge-too-large", Title: "Too much to move",
	Meaning: "The customers to merge have more than 10,000 records. Nothing was merged. " +
		"You can use the key again.",
	ToDo: "Keep the customer with the most records, or merge fewer customers at a time.",
}

// TooLate is the conflict of undoing a merge after [UndoWithin].
var TooLate = conflict.Kind{
	Slug: "merge-final", Title: "Merge can no longer be undone",
	Meaning: "A merge can be undone for 30 days. Nothing was changed.",
	ToDo:    "Create the other customer again, with another email address.",
}

// MergedFurther is the conflict of undoing a merge whose winner was merged into another customer since.
var MergedFurther = conflict.Kind{
	Slug: "merged-further", Title: "Merged further",
	Meaning: "The customer that stayed has since been merged into another one (customer_id). Nothing was changed.",
	ToDo:    "Undo the later merge first.",
}

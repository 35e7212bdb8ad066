// Package duplicate finds duplicate customers, merges them, and undoes merges.
package duplicate

import (
	"time"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/record"
)

// UndoWithin is the time after a merge in which it can be undone.
const UndoWithin = 30 * 24 * time.Hour

// Limits of a merge.
const (
	MaxCustomers = 20     // in one operation
	MaxRows      = 10_000 // with references to the losers, moved in one transaction
)

// Merge is a stored merge. While it is in effect, the losers' URLs lead to the winner.
type Merge struct {
	record.Header

	Winner record.Reference   `json:"winner"`
	Losers []record.Reference `json:"losers"`
	// Moved is the number of rows whose reference was moved from the losers to the winner.
	Moved    int       `json:"moved" doc:"How many records were moved from the others to the winner."`
	UndoneAt time.Time `json:"undone_at,omitzero"` // UTC; zero if it is in effect
}

// Table is the table of merges.
var Table = record.Table[Merge]{Name: "customer_merges", Fields: `
	'winner', ` + customer.Names.JSON("winner_id") + `, 'moved', r.moved, 'undone_at', r.undone_at,
	'losers', ` + References(customer.Names.Names, "loser_ids")}

// Name returns the display name of a merge: "Ada King into Ada Lovelace".
func Name(m Merge) string { return Joined(m.Losers) + " into " + m.Winner.Name }

// ChangedMeanwhile is the conflict of merging customers when one has changed since it was seen.
var ChangedMeanwhile = conflict.Kind{
	Slug: "customer-changed", Title: "Customer changed meanwhile",
	Meaning: "One of the customers (customer_id) has changed since you saw it. Nothing was merged. " +
		"You can use the key again.",
	ToDo: "Read the customer. If it is still the right one, send the request with its current version.",
}

// TooManyRows is the conflict of a merge that would move more than [MaxRows] rows.
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

// MergedFurther is the conflict of undoing a merge whose winner was merged into another customer later.
var MergedFurther = conflict.Kind{
	Slug: "merged-further", Title: "Merged further",
	Meaning: "The customer that stayed has since been merged into another one (customer_id). Nothing was changed.",
	ToDo:    "Undo the later merge first.",
}

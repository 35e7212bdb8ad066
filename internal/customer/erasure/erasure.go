// Package erasure erases the personal data of customers: see docs/gdpr.md.
package erasure

import (
	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
)

// Erasure is a stored erasure. It is kept, without the person, as the proof of when it was done.
type Erasure struct {
	record.Header

	Customer record.Reference `json:"customer"`
	Reason   string           `json:"reason"`
}

// Table is the table of erasures.
var Table = record.Table[Erasure]{
	Name: "customer_erasures", Fields: `'reason', r.reason, 'customer', ` + customer.Names.JSON("customer_id"),
}

// Name returns the display name of an erasure.
func Name(e Erasure) string { return e.Customer.Name }

// maxReason is the maximum length of a reason, in characters.
const maxReason = 200

// Input is the input as text.
type Input struct {
	Reason string `json:"reason,omitzero"`
}

// Draft is the command to erase a customer.
type Draft struct {
	Customer uuid.UUID `json:"customer"`
	Reason   string    `json:"reason"`
}

// Draft checks the input for a customer. It returns an [*invalid.Error] with all mistakes.
func (in Input) Draft(c customer.Customer) (Draft, error) {
	var problems invalid.Error
	return Draft{Customer: c.ID, Reason: problems.Line("/reason", "the reason", in.Reason, maxReason)}, problems.Err()
}

// Rules returns the uniqueness rules of erasures.
func Rules() []conflict.Rule {
	return []conflict.Rule{{
		Constraint: "erasures_customer_once",
		Sentence:   "A customer is erased once.",
		Answer:     "Erasing a customer again finds the first erasure, and changes nothing.",
	}}
}

// NotArchived is the conflict of erasing a customer that is not archived.
var NotArchived = conflict.Kind{
	Slug: "customer-not-archived", Title: "Customer not archived",
	Meaning: "Only an archived customer can be erased. Nothing was erased. You can use the key again.",
	ToDo:    "Archive the customer first.",
}

// InUse is the conflict of erasing a customer with records that are still open.
var InUse = conflict.Kind{
	Slug: "customer-in-use", Title: "Customer still in use",
	Meaning: "A record of this customer is still open. Nothing was erased. You can use the key again.",
	ToDo:    "Close that record, and erase the customer then.",
}

// Package invoice holds the invoice: its life, its numbers, its arithmetic, and the operation that
// creates it once.
package invoice

import (
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"onlyonce/internal/money"
	"onlyonce/internal/uniqueness"
)

// Invoice is an invoice as it is stored. All amounts are minor units of its currency.
type Invoice struct {
	ID        uuid.UUID      `json:"id"`
	Number    string         `json:"number"`
	Status    string         `json:"status"`
	Customer  Customer       `json:"customer"`
	Currency  money.Currency `json:"currency"`
	IssueDate Date           `json:"issue_date"`
	DueDate   Date           `json:"due_date"`
	Lines     []Line         `json:"lines"`
	Subtotal  int64          `json:"subtotal"`
	TaxTotal  int64          `json:"tax_total"`
	Total     int64          `json:"total"`
	Notes     string         `json:"notes"`
	Version   int            `json:"version"`
	CreatedAt time.Time      `json:"created_at"` // UTC

	// PossibleDuplicateOf is an invoice with the same customer, currency and lines that was created
	// shortly before, or [uuid.Nil].
	PossibleDuplicateOf uuid.UUID `json:"possible_duplicate_of"`
}

// Customer is what an invoice shows of its customer.
type Customer struct {
	ID    uuid.UUID `json:"id"`
	Email string    `json:"email"`
	Name  string    `json:"name"`
}

// Line is one position of an invoice.
type Line struct {
	Description string          `json:"description"`
	Quantity    decimal.Decimal `json:"quantity"`
	UnitPrice   int64           `json:"unit_price"` // minor units
	TaxRate     decimal.Decimal `json:"tax_rate"`   // percent
	Net         int64           `json:"net"`        // minor units, quantity times unit price, rounded
}

// Rules are the uniqueness rules of invoices.
func Rules() []uniqueness.Rule {
	return []uniqueness.Rule{
		{
			Constraint: "invoices_number_once_per_year",
			Sentence:   "One invoice per number in each tenant and year of issue, whatever its capitals, width and kind of hyphen.",
			Answer:     "The first invoice is kept. The second is refused, with a link to the first and the next free number.",
		},
	}
}

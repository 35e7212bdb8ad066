package pdf

import "time"

// Document is what the file shows: an invoice or a credit note. Texts may be of any length and hold any characters.
type Document struct {
	Title string // what it is and its number: "Invoice 2026-0042"
	// Mark is written across every page, such as "DRAFT"; empty for none.
	Mark string
	// At is the time that the file says it was made. The same record must always give the same.
	At     time.Time
	Seller Party
	Buyer  Party
	// Role is what the buyer is here: "Bill to".
	Role string
	// Facts stand below the parties, such as the dates.
	Facts    []Fact
	Currency string // ISO 4217 code
	Lines    []Line
	Totals   []Total
	// Payment is where to pay; empty if that is not known.
	Payment []Fact
	Notes   string // with line breaks
}

// Party is a business or a person. Only the name is always there.
type Party struct {
	Name    string
	Address []string // lines
	TaxID   string
	Email   string
}

// Fact is a label with a value.
type Fact struct{ Label, Value string }

// Line is one position. Amounts have no currency.
type Line struct {
	Description string
	Quantity    string
	UnitPrice   string
	TaxRate     string
	Amount      string
}

// Total is a row of the sums. The last one that is Grand is what the document is about.
type Total struct {
	Label, Amount string
	Grand         bool
}

package pdf

import "time"

// Document is the content of a file: an invoice, a credit note or a statement of account. Texts may have any length and any characters.
type Document struct {
	Title string // its type and number: "Invoice 2026-0042"
	// Mark is written across every page, such as "DRAFT"; empty for none.
	Mark string
	// At is the file's time of creation. It must be the same each time for the same record.
	At     time.Time
	Seller Party
	Logo   Image // of the seller; zero for none
	Buyer  Party
	// Facts are shown below the parties, such as the dates.
	Facts    []Fact
	Currency string // ISO 4217 code
	Head     Line   // of the table; its columns are those of all lines
	Lines    []Line
	Totals   []Total
	// Reasons are sentences about lines without tax.
	Reasons []string
	// Payment is the bank account to pay to; empty if it is unknown.
	Payment []Fact
	Notes   Fact   // with line breaks; none without a value
	Footer  string // at the bottom of each page, with line breaks
}

// Party is a business or a person. Only the name is required.
type Party struct {
	Name    string
	Address []string // lines
	TaxID   string
	Email   string
}

// Image is a PNG or JPEG file.
type Image struct {
	Type    string // "image/png" or "image/jpeg"
	Content []byte
}

// Fact is a label with a value.
type Fact struct{ Label, Value string }

// Line is a line of the table. Amounts have no currency.
type Line struct {
	Text  string
	Below string   // below the text; "" for none
	Cells []string // of the right-aligned columns after the text
}

// Total is a row of the sums. The last Grand one is the amount of the document.
type Total struct {
	Label, Amount string
	Grand         bool
}

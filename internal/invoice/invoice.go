// Package invoice has invoices: their states, numbers and amounts, and the operations that create and change them.
package invoice

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/file"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
	"onlyonce/internal/value/party"
)

// Invoice is a stored invoice. All amounts are minor units of its currency.
type Invoice struct {
	record.Header
	record.Alike

	Number  string `json:"number"`
	Status  string `json:"status"`
	Overdue bool   `json:"overdue"` // on the current day of the business
	Closed  bool   `json:"closed"`  // whether its issue date is closed; false unless read from [Shown]
	// HasCreditNotes is set even if they were reversed or are of nothing; false unless read from [Shown].
	HasCreditNotes bool `json:"has_credit_notes"`

	Seller    Seller         `json:"seller"`
	Customer  Buyer          `json:"customer"`
	Currency  money.Currency `json:"currency"`
	IssueDate date.Date      `json:"issue_date"`
	DueDate   date.Date      `json:"due_date"`
	// SuppliedFrom is the day of supply, or the first day of its period, and SuppliedTo the last one; zero for none.
	SuppliedFrom date.Date `json:"supplied_from,omitzero"`
	SuppliedTo   date.Date `json:"supplied_to,omitzero"`
	Lines        []Line    `json:"lines"`
	Subtotal     int64     `json:"subtotal"`
	TaxTotal     int64     `json:"tax_total"`
	Total        int64     `json:"total"`
	Paid         int64     `json:"paid"`     // what pays it: less refunds, and less BecameCredit
	Credited     int64     `json:"credited"` // by credit notes
	// BecameCredit is the part of the paid amount that credit notes turned into credit of the customer.
	BecameCredit int64 `json:"became_credit,omitzero"`
	// WrittenOff is the sum of the write-offs that weren't taken back.
	WrittenOff int64  `json:"written_off"`
	Open       int64  `json:"open"`
	Notes      string `json:"notes"`
	// Exemption is why lines are exempt from tax; "" if none is, or if it isn't known yet.
	Exemption string    `json:"exemption_reason,omitzero"`
	IssuedAt  time.Time `json:"issued_at,omitzero"` // UTC; zero for a draft
	VoidedAt  time.Time `json:"voided_at,omitzero"` // UTC; zero if it is not void
	// DuplicateOf is the invoice, with its number, that was kept when this one was voided as its duplicate, or zero.
	DuplicateOf record.Reference `json:"duplicate_of,omitzero"`
	idempotency.External
}

// Received returns what was paid for the invoice, less refunds, in minor units. Its pages and the API call it paid, and Paid is the rest
// that didn't become credit.
func (i Invoice) Received() int64 { return i.Paid + i.BecameCredit }

// Numbers reads the numbers of referenced invoices.
var Numbers = record.Names{Table: "invoices", Column: "number"}

// Table is the table of invoices.
var Table = record.Table[Invoice]{Name: "invoices", Fields: `
	'number', r.number, 'status', r.state, 'paid', r.paid, 'credited', r.credited,
	'became_credit', (
		SELECT became_credit FROM postings p WHERE p.tenant_id = r.tenant_id AND p.invoice_id = r.id ORDER BY position DESC LIMIT 1),
	'written_off', r.written_off, 'open', ` + openAmount + `, 'currency', r.currency,
	'overdue', ` + overdue + `,
	'seller', COALESCE(r.seller, (
		SELECT ` + sellerJSON + `
		FROM settings s WHERE s.tenant_id = r.tenant_id AND s.id = r.tenant_id)),
	'customer', COALESCE(r.bill_to, (
		SELECT ` + buyerJSON + ` FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id)),
	'issue_date', r.issue_date, 'due_date', r.due_date, 'notes', r.notes,
	'exemption_reason', r.exemption_reason, 'supplied_from', r.supplied_from, 'supplied_to', r.supplied_to,
	'lines', ` + linesJSON + `,
	'subtotal', r.subtotal, 'tax_total', r.tax_total, 'total', r.total, 'issued_at', r.issued_at, 'voided_at', r.voided_at,
	'duplicate_of', ` + Numbers.JSON("duplicate_of") + `,
	` + idempotency.ExternalJSON}

// Shown is [Table] with the fields that only pages need.
var Shown = record.Table[Invoice]{Name: Table.Name, Fields: Table.Fields + closed + `, 'has_credit_notes', EXISTS (
	SELECT FROM credit_notes n WHERE n.tenant_id = r.tenant_id AND n.invoice_id = r.id)`}

// closed is the field that reports whether the books are closed for the issue date of the invoice r.
const closed = `, 'closed', books_closed(r.tenant_id, r.issue_date) IS NOT NULL`

// overdue reports whether the invoice r was due before the current day of the business and is open. The day is selected once for all rows.
const overdue = `r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day())`

// linesJSON is the SQL expression for the lines of the invoice r.
const linesJSON = `(
		SELECT json_agg(` + lineJSON + ` ORDER BY l.position)
		FROM invoice_lines l WHERE l.tenant_id = r.tenant_id AND l.invoice_id = r.id)`

// priceOfLine is the unit price of the line l in minor units, a numeric.
const priceOfLine = `trim_scale(l.unit_price + l.price_fraction)`

// lineJSON is the JSON of a [Line] from the line l.
const lineJSON = `json_build_object(
			'description', l.description, 'quantity', l.quantity::text, 'unit', l.unit, 'unit_price', ` + priceOfLine + `,
			'discount_rate', l.discount_rate::text, 'discount', l.discount,
			'tax_rate', l.tax_rate::text, 'tax_treatment', l.tax_treatment, 'net', l.net)`

// openAmount is the open amount of the invoice r. It is 0 for a draft, which is not issued yet, and for a void invoice.
const openAmount = `CASE WHEN r.state IN ('draft', 'void') THEN 0 ELSE r.open_amount END`

// The states of an invoice.
const (
	StatusDraft      = "draft"
	StatusIssued     = "issued"
	StatusPartly     = "partially_paid" // an issued invoice with payments
	StatusPaid       = "paid"           // an issued invoice without an open amount, paid or with a total of 0
	StatusCredited   = "credited"       // an issued invoice that was credited in full
	StatusWrittenOff = "written_off"    // an issued invoice without an open amount: more was written off than paid
	StatusVoid       = "void"
)

// sellerJSON is the JSON of a [Seller] from the settings s.
var sellerJSON = `json_build_object(
		'name', s.name, 'email', s.email, 'address', s.address, 'country', s.country, 'tax_id', s.tax_id,
		'account_holder', s.account_holder, 'account_number', s.account_number, 'bic', s.bic, 'footer', s.footer,
		'logo', (SELECT ` + file.JSON("file") + ` FROM logos r WHERE r.tenant_id = s.tenant_id AND r.settings_id = s.id))`

// buyerJSON is the JSON of a [Buyer] from the customer c.
const (
	buyerJSON   = `json_build_object(` + buyerFields + `)`
	buyerFields = `'id', c.id, 'email', c.email, 'name', c.name, 'address', c.address, 'country', c.country, 'tax_id', c.tax_id,
		'contact', c.contact, 'reference', c.reference`
)

// Seller is the business that bills, on an invoice: its current data for a draft, or its data when the invoice was issued.
type Seller struct {
	Name  string `json:"name"`
	Email string `json:"email,omitzero" format:"email"`
	party.Details
	party.BankAccount

	Logo   file.Stored `json:"logo,omitzero" doc:"The logo that its documents show."`
	Footer string      `json:"footer,omitzero" doc:"At the bottom of each page of its documents."`
}

// Parties returns the current data of the business and of a customer, as a draft has them.
func Parties(ctx context.Context, pool *pgxpool.Pool, tenant, customer uuid.UUID) (s Seller, b Buyer, err error) {
	type parties struct {
		Seller Seller
		Buyer  Buyer
	}
	both, err := record.One(ctx, pool, tenant, pgx.RowToStructByPos[parties], `
		SELECT `+sellerJSON+`, `+buyerJSON+`
		FROM settings s JOIN customers c ON c.tenant_id = s.tenant_id AND c.id = @customer
		WHERE s.tenant_id = @tenant_id AND s.id = @tenant_id`, pgx.NamedArgs{"customer": customer})
	return both.Seller, both.Buyer, err
}

// Buyer is the customer on an invoice: its current data for a draft, or its data when the invoice was issued.
type Buyer struct {
	Customer
	record.Alike
	customer.Texts
}

// Customer is the customer in a list of invoices.
type Customer struct {
	ID    uuid.UUID `json:"id"`
	Email string    `json:"email,omitzero" format:"email"`
	Name  string    `json:"name"`
}

// Line is a line of an invoice.
type Line struct {
	Description string          `json:"description"`
	Quantity    decimal.Decimal `json:"quantity"`
	Unit        Unit            `json:"unit,omitzero"`
	UnitPrice   money.Price     `json:"unit_price"`
	// DiscountRate is in percent, or zero if the discount doesn't follow from a rate.
	DiscountRate decimal.Decimal `json:"discount_rate,omitzero"`
	Discount     int64           `json:"discount,omitzero"`      // minor units
	TaxRate      decimal.Decimal `json:"tax_rate"`               // percent
	NoTax        Treatment       `json:"tax_treatment,omitzero"` // "" if the rate decides
	Net          int64           `json:"net"`                    // minor units: quantity times unit price, rounded, less the discount
}

// QuantityText returns the quantity for users: "12 hours".
func (l Line) QuantityText() string { return l.Unit.Of(l.Quantity) }

// DiscountText returns the discount as it is typed, "10%" or "25.00", or "" for none. c is the currency of the line.
func (l Line) DiscountText(c money.Currency) string {
	switch {
	case !l.DiscountRate.IsZero():
		return l.DiscountRate.String() + "%"
	case l.Discount != 0:
		return c.Format(l.Discount)
	default:
		return ""
	}
}

// LessText returns the discount for users, "less 10% (61.63)" or "less 1,025.00", or "" for none. c is the currency of the line.
func (l Line) LessText(c money.Currency) string {
	switch {
	case !l.DiscountRate.IsZero():
		return "less " + l.DiscountText(c) + " (" + c.Display(l.Discount) + ")"
	case l.Discount != 0:
		return "less " + c.Display(l.Discount)
	default:
		return ""
	}
}

// Rules returns the uniqueness rules of invoices.
func Rules() []conflict.Rule {
	return []conflict.Rule{
		{
			Constraint: "invoices_number_once_per_year",
			Sentence: "One invoice per number in each tenant and year of issue, or in all years of a continuous series, ignoring case, " +
				"width and kind of hyphen.",
			Answer:   "The first invoice is kept. The second is refused, with a link to the first and the next free number.",
			Conflict: &NumberTaken,
		},
		idempotency.ExternalRule(Table.Name, "invoice"),
	}
}

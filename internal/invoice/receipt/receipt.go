// Package receipt has receipts: money that was received from a customer in one transfer, or became credit with a credit note.
// The parts that pay invoices are payments; the rest is the customer's credit, which is allocated to invoices later, or paid back.
package receipt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// Receipt is a stored receipt. Amount is the sum of Allocated, Repaid and Left, unless it was removed.
type Receipt struct {
	record.Header
	record.Alike

	Customer  record.Reference `json:"customer"`
	Currency  money.Currency   `json:"currency"`
	Amount    int64            `json:"amount"`    // minor units
	Allocated int64            `json:"allocated"` // minor units: the payments from it
	Repaid    int64            `json:"repaid"`    // minor units: the credit that was paid back
	Left      int64            `json:"left"`      // minor units: the customer's credit
	Date      date.Date        `json:"date"`
	Method    string           `json:"method"`
	Provider  string           `json:"provider,omitzero"`
	Reference string           `json:"reference,omitzero"`
	RemovedAt time.Time        `json:"removed_at,omitzero"` // UTC
	// CreditNote is the credit note that turned a paid amount into this credit; zero if the money was received in a transfer.
	CreditNote record.Reference `json:"credit_note,omitzero"`
}

// Table is the table of receipts.
var Table = record.Table[Receipt]{Name: "receipts", Fields: `
	'customer', ` + customer.Names.JSON("customer_id") + `, 'currency', r.currency, 'amount', r.amount, 'allocated', r.allocated,
	'repaid', r.repaid, 'left', r.left_amount, 'date', r.received_on, 'method', r.method, 'provider', COALESCE(r.provider, ''),
	'reference', COALESCE(r.reference, ''), 'removed_at', r.removed_at,
	'credit_note', (
		SELECT json_build_object('id', n.id, 'name', n.number) FROM credit_notes n
		WHERE n.tenant_id = r.tenant_id AND n.id = r.credit_note_id)`}

// MaxAllocations is the maximum number of allocations with which a receipt is recorded.
const MaxAllocations = 100

// Input is the input as text.
type Input struct {
	CustomerID  string            `json:"customer_id" format:"uuid"`
	Currency    string            `json:"currency"`
	Amount      string            `json:"amount" format:"decimal"`
	Date        string            `json:"date" format:"date"`
	Method      string            `json:"method" enum:"bank_transfer,card,cash,other"`
	Provider    string            `json:"provider,omitzero" doc:"Send it with reference, or leave both out."`
	Reference   string            `json:"reference,omitzero" doc:"The provider's ID of the transfer. Each can be used once."`
	Allocations []AllocationInput `json:"allocations,omitzero" doc:"What of it pays invoices. The rest is the customer's credit."`
}

// AllocationInput is an allocation as text.
type AllocationInput struct {
	InvoiceID string `json:"invoice_id" format:"uuid"`
	Amount    string `json:"amount" format:"decimal" doc:"0 allocates nothing."`
}

// Draft is the command that records a receipt.
type Draft struct {
	CustomerID  uuid.UUID      `json:"customer_id"`
	Currency    money.Currency `json:"currency"`
	Amount      int64          `json:"amount"` // minor units of Currency
	Date        date.Date      `json:"date"`
	Method      string         `json:"method"`
	Provider    string         `json:"provider"`
	Reference   string         `json:"reference"`
	Allocations []Allocation   `json:"allocations"`
}

// Allocation is the part of a receipt that pays an invoice.
type Allocation struct {
	InvoiceID uuid.UUID `json:"invoice_id"`
	Amount    int64     `json:"amount"` // minor units; 0 allocates nothing
}

// Draft checks the input. It returns an [*invalid.Error] with all mistakes.
func (in Input) Draft() (Draft, error) {
	var problems invalid.Error
	d := Draft{Method: in.Method}
	var err error
	if d.CustomerID, err = uuid.Parse(in.CustomerID); err != nil {
		problems.Add("/customer_id", "Choose the customer.")
	}
	currency, known := money.ParseCurrency(in.Currency)
	if d.Currency = currency; !known {
		problems.Add("/currency", "Choose one of the currencies.")
		d.Currency, _ = money.ParseCurrency("EUR") // for the checks of the amounts
	}
	d.Amount = invoice.CheckAmount(in.Amount, d.Currency, &problems)
	if d.Date, err = date.ParseEntry(in.Date); err != nil {
		problems.Add("/date", "Enter the day of the transfer as year-month-day from 2000 to 2099, like 2026-11-21.")
	}
	if !slices.Contains(payment.Methods(), in.Method) {
		problems.Add("/method", "Choose how it was paid: "+strings.Join(payment.Methods(), ", ")+".")
	}
	d.Provider, d.Reference = payment.CheckReference(in.Provider, in.Reference, &problems)
	if len(in.Allocations) > MaxAllocations {
		problems.Add("/allocations", fmt.Sprintf("Enter at most %d invoices. Allocate the rest afterwards.", MaxAllocations))
		return d, problems.Err()
	}
	for i, typed := range in.Allocations {
		d.Allocations = append(d.Allocations, typed.allocation("/allocations/"+strconv.Itoa(i), d, &problems))
	}
	if sum := d.allocated(); problems.Err() == nil && sum > d.Amount {
		problems.Add("/amount", "The invoices get "+d.Currency.Display(sum)+" "+d.Currency.String()+
			" together, which is more than this amount.")
	}
	return d, problems.Err()
}

// allocation checks an allocation at a JSON Pointer, which comes after those of d.
func (in AllocationInput) allocation(pointer string, d Draft, problems *invalid.Error) Allocation {
	id, err := uuid.Parse(in.InvoiceID)
	switch {
	case err != nil:
		problems.Add(pointer+"/invoice_id", "Send the ID of an invoice.")
	case slices.ContainsFunc(d.Allocations, func(a Allocation) bool { return a.InvoiceID == id }):
		problems.Add(pointer+"/invoice_id", "This invoice came twice.")
	}
	amount, err := d.Currency.Parse(strings.TrimSpace(in.Amount))
	if err != nil {
		problems.Add(pointer+"/amount", fmt.Sprintf("Enter an amount with at most %d decimals, like 50.00.", d.Currency.Decimals()))
	}
	return Allocation{InvoiceID: id, Amount: amount}
}

// allocated returns the sum of the allocations in minor units.
func (d Draft) allocated() (sum int64) {
	for _, a := range d.Allocations {
		sum += a.Amount
	}
	return sum
}

// Rules returns the uniqueness rules of receipts.
func Rules() []conflict.Rule {
	return []conflict.Rule{{
		Constraint: "payment_references_once",
		Sentence: "One payment or receipt per provider and reference in each tenant, if it has them, unless it was removed. " +
			"Case counts in references, not in providers.",
		Answer:   "The first one is kept. The second is refused, with a link to the first.",
		Conflict: &payment.Taken,
	}}
}

// Name returns the display name of a receipt: "50.00 EUR on 21 Nov 2026".
func Name(r Receipt) string {
	return r.Currency.Display(r.Amount) + " " + r.Currency.String() + " on " + r.Date.Display()
}

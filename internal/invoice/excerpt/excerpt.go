// Package excerpt has the parts of an invoice that other pages and other resources of the API show too: its parties, its status, its place
// in a list, and its lines.
package excerpt

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/file"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/document"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
	"onlyonce/internal/value/party"
	"onlyonce/internal/web"
	"onlyonce/templates/invoiceviews"
)

// Seller returns the view of the business that bills, for an invoice and its credit notes.
func Seller(inv invoice.Invoice) invoiceviews.Party {
	is := inv.Seller
	shown := invoiceviews.Party{
		Name: is.Name, Email: is.Email, Address: document.AddressLines(is.Details), TaxID: document.TaxText(is.Details),
	}
	if is.Logo != (file.Stored{}) {
		shown.LogoHref = "/invoices/" + inv.ID.String() + "/logo"
	}
	return shown
}

// Buyer returns the view of the customer.
func Buyer(inv invoice.Invoice) invoiceviews.Party {
	is := inv.Customer
	reference := ""
	if is.Reference != "" {
		reference = "Reference " + is.Reference
	}
	return invoiceviews.Party{
		Name: is.Name, Href: "/customers/" + is.ID.String(), Email: is.Email,
		Address: document.BuyerLines(is), TaxID: document.TaxText(is.Details), Reference: reference,
	}
}

// Step returns the view of the invoice on a confirmation page.
func Step(inv invoice.Invoice) invoiceviews.InvoiceStep {
	return invoiceviews.InvoiceStep{
		Number: inv.Number, Href: "/invoices/" + inv.ID.String(), Customer: inv.Customer.Name, Due: web.DateText(inv.DueDate),
		Total: web.AmountText(inv.Currency, inv.Total),
	}
}

// NamedIn returns the invoices that are chosen in an address.
func NamedIn(r *http.Request, pool *pgxpool.Pool) ([]invoice.Summary, error) {
	return invoice.Chosen(r.Context(), pool, web.Principal(r).Tenant, IDs(r.URL.Query()[invoiceviews.ChosenField]))
}

// IDs returns the typed values that are ids.
func IDs(typed []string) (ids []string) {
	for _, t := range typed {
		if id, err := uuid.Parse(t); err == nil {
			ids = append(ids, id.String())
		}
	}
	return ids
}

// Chosen returns the row of an invoice in a form for several invoices, with its open amount or its total, in minor units.
func Chosen(inv invoice.Summary, amount int64, gets string) invoiceviews.ChosenRow {
	return invoiceviews.ChosenRow{
		Number: inv.Number, Href: "/invoices/" + inv.ID.String(), Customer: inv.Customer.Name, Gets: gets,
		Amount: web.AmountText(inv.Currency, amount),
	}
}

// Copies returns the addresses that get copies of an email to the customer of an invoice from [invoice.Chosen], as the end of a
// sentence; "" for none.
func Copies(inv invoice.Summary) string {
	if inv.CopiesTo == "" {
		return ""
	}
	return ". Copies to: " + inv.CopiesTo
}

// Rows returns the rows of a list of invoices.
func Rows(found []invoice.Summary) []invoiceviews.InvoiceRow {
	rows := make([]invoiceviews.InvoiceRow, 0, len(found))
	for _, i := range found {
		row := invoiceviews.InvoiceRow{
			Href: "/invoices/" + i.ID.String(), Number: i.Number, Customer: i.Customer.Name,
			Status:    Status(i.Status, i.Late > 0, i.Credited > 0),
			IssueDate: web.DateText(i.IssueDate), DueDate: web.DateText(i.DueDate), Total: web.AmountText(i.Currency, i.Total),
			MailFailed: i.MailFailed,
		}
		if i.Late > 0 {
			row.Late = party.DaysText(strconv.Itoa(i.Late))
			if last := i.LastReminder; last.Level > 0 {
				row.Reminded = "Reminded " + strconv.Itoa(last.Level) + "×"
				if last.Unsent {
					row.Reminded = "Reminder " + strconv.Itoa(last.Level) + " not sent"
				}
				row.Reminded += " · " + last.SentOn.Time().Format("2 Jan")
			}
		}
		if slices.Contains(invoice.OpenStates(), i.Status) {
			row.Open = web.AmountText(i.Currency, i.Open)
		}
		rows = append(rows, row)
	}
	return rows
}

// Status returns the status for users. credited is set if there are credit notes.
func Status(status string, overdue, credited bool) string {
	switch {
	case overdue:
		return "overdue"
	case status == invoice.StatusIssued && credited:
		return "partially_credited"
	}
	return status
}

// MissingPage converts an error about the page of a list on a record's page to [web.ErrNotFound].
func MissingPage(err error) error {
	if _, wrong := errors.AsType[*invalid.Error](err); wrong {
		return web.ErrNotFound
	}
	return err
}

// Line is a line of an invoice or a credit note in the API.
type Line struct {
	Description string            `json:"description"`
	Quantity    string            `json:"quantity" format:"number"`
	Unit        string            `json:"unit,omitzero" enum:"H87,HUR,DAY,WEE,MON,ANN,KGM,KMT,MTR,MTK,MTQ,LTR,KWH,D68"`
	UnitPrice   string            `json:"unit_price" format:"decimal"`
	Discount    string            `json:"discount,omitzero" doc:"A share of the line's amount, such as 10%, or an amount, such as 25.00."`
	TaxRate     string            `json:"tax_rate" format:"decimal"`
	Treatment   invoice.Treatment `json:"tax_treatment" enum:"standard,zero,exempt,reverse_charge,intra_community,export,outside_scope"`
	Net         string            `json:"net" format:"number"`
}

// LineOf returns a line in a currency for the API.
func LineOf(l invoice.Line, c money.Currency) Line {
	return Line{
		Description: l.Description, Quantity: l.Quantity.String(), Unit: string(l.Unit), UnitPrice: c.FormatPrice(l.UnitPrice),
		Discount: l.DiscountText(c), TaxRate: l.TaxRate.String(), Treatment: l.NoTax.At(l.TaxRate), Net: c.Format(l.Net),
	}
}

// LineView returns the view of a line in a currency.
func LineView(l invoice.Line, c money.Currency) invoiceviews.InvoiceLine {
	return invoiceviews.InvoiceLine{
		Description: l.Description, Discount: l.LessText(c), Quantity: l.QuantityText(), UnitPrice: c.DisplayPrice(l.UnitPrice),
		TaxRate: l.NoTax.TaxText(l.TaxRate), Amount: c.Display(l.Net),
	}
}

// Lines returns the lines of an invoice with a currency.
func Lines(c money.Currency, lines []invoice.Line) []Line {
	shown := make([]Line, 0, len(lines))
	for _, l := range lines {
		shown = append(shown, LineOf(l, c))
	}
	return shown
}

// Summary is an invoice in a list of the API.
type Summary struct {
	ID        uuid.UUID        `json:"id"`
	Number    string           `json:"number"`
	Status    string           `json:"status" enum:"draft,issued,partially_paid,paid,credited,written_off,void"`
	Overdue   bool             `json:"overdue"`
	Customer  invoice.Customer `json:"customer"`
	Currency  money.Currency   `json:"currency"`
	IssueDate date.Date        `json:"issue_date"`
	DueDate   date.Date        `json:"due_date"`
	Total     string           `json:"total" format:"decimal"`
	Open      string           `json:"open" format:"decimal" doc:"What is still to be paid. It is 0 for a draft and for a void invoice."`
	Lines     []Line           `json:"lines,omitzero" doc:"With include=lines only."`
}

// Summarize returns an invoice as in lists of the API.
func Summarize(i invoice.Summary) Summary {
	shown := Summary{
		ID: i.ID, Number: i.Number, Status: i.Status, Overdue: i.Late > 0,
		Currency: i.Currency, IssueDate: i.IssueDate, DueDate: i.DueDate,
		Customer: i.Customer, Total: i.Currency.Format(i.Total), Open: i.Currency.Format(i.Open),
	}
	if i.Lines != nil {
		shown.Lines = Lines(i.Currency, i.Lines)
	}
	return shown
}

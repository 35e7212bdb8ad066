package invoiceform

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/customer"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/document"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
	"onlyonce/internal/value/party"
	"onlyonce/internal/value/typed"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// Read returns the input of a form.
func Read(form url.Values) invoice.Input {
	customerID, _, _ := strings.Cut(form.Get("customer_id"), " ") // see CustomerOption
	in := invoice.Input{
		Number: form.Get("number"), CustomerID: customerID,
		IssueDate: form.Get("issue_date"), DueDate: form.Get("due_date"),
		Currency: form.Get("currency"), Notes: form.Get("notes"), Series: form.Get(invoice.SeriesField),
		Exemption: form.Get("exemption_reason"), SuppliedFrom: form.Get("supplied_from"), SuppliedTo: form.Get("supplied_to"),
	}
	if next := form.Get(invoice.NextNumberField); next != "" {
		in.Number = "" // the next number at that time
		if form.Get(templates.VersionField) != "" {
			in.Number = next // blank would keep the number
		}
	}
	// "Create as a new invoice" must not reuse the number of the form.
	if used := form.Get(templates.UsedField); used != "" && form.Get(templates.FreshKeyField) != "" && invoice.SameNumber(in.Number, used) {
		in.Number = ""
	}
	if in.CustomerID == "" {
		in.Customer = &customer.Input{
			Email: form.Get("customer_email"), Name: form.Get("customer_name"), SameEmailAs: form.Get(customer.SameEmailField),
		}
	}
	for _, line := range LineTable().Lines(form) {
		in.Lines = append(in.Lines, invoice.LineInput{
			Description: line[0], Quantity: line[1], Unit: line[2], UnitPrice: line[3], Discount: line[4],
			TaxRate: typed.Percent(line[5]), Treatment: line[6],
		})
	}
	return in
}

// Control returns the form control for a place in the command other than in its lines.
func Control(pointer string) string {
	if pointer == "/customer" {
		return "customer_name"
	}
	return strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", "_")
}

// Joined joins the parts that are not blank.
func Joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

// OfferCustomers adds a choice of customers to a form: the newest, or the result of a search without JavaScript. It returns the chosen
// customer, if any.
func OfferCustomers(
	r *http.Request, pool *pgxpool.Pool, form *invoiceviews.InvoiceForm, option func(customer.Offered) templates.Option,
) (chosen customer.Offered, err error) {
	id, _, _ := strings.Cut(form.Typed.Get("customer_id"), " ") // see CustomerOption
	current, _ := uuid.Parse(id)                                // uuid.Nil if it is no id
	form.CustomerID, form.CustomerSearch = form.Typed.Get("customer_id"), web.FormSearch(form.Form, "customer_id")
	customers, err := customer.Offer(r.Context(), pool, web.Principal(r).Tenant, current, form.CustomerSearch)
	for _, c := range customers {
		form.Customers = append(form.Customers, option(c))
		if c.ID == current {
			chosen, form.CustomerID, form.CustomerAddress = c, option(c).Value, AddressLine(c.Address, c.Country)
		}
	}
	return chosen, err
}

// UsualText returns the defaults that come from the last invoice of a customer, with its number; "" if they are those of the business.
func UsualText(of invoice.Usual) string {
	var parts []string
	if of.Currency != of.Business {
		parts = append(parts, of.Currency.String())
	}
	if of.NoTax != "" {
		parts = append(parts, of.NoTax.Terms().Name)
	}
	if len(parts) == 0 {
		return ""
	}
	return "Usual: " + strings.Join(append(parts, "as on "+of.Number), ", ")
}

// AddressLine returns an address and its country in one line.
func AddressLine(address, country string) string {
	return strings.Join(document.AddressLines(party.Details{Address: address, Country: country}), ", ")
}

// CustomerOption puts the customer's name after the id, so that the choice can be shown again even if the database is unavailable.
func CustomerOption(c customer.Offered) templates.Option {
	label := Joined(c.Name, c.Email)
	return templates.Option{Value: c.ID.String() + " " + label, Text: label}
}

// Currencies returns the options of the select field for currencies: those in use on a day or later, and the chosen one even if it wasn't.
func Currencies(day date.Date, chosen string) (list []invoiceviews.Currency) {
	for _, code := range codesOf(day, chosen) {
		c, _ := money.ParseCurrency(code)
		list = append(list, invoiceviews.Currency{Code: code, Digits: int(c.Decimals())})
	}
	return list
}

func codesOf(day date.Date, chosen string) []string {
	codes := money.InUse(day)
	if chosen != "" && !slices.Contains(codes, chosen) {
		codes = append(codes, chosen)
	}
	return codes
}

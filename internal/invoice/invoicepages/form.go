package invoicepages

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/document"
	"onlyonce/internal/record"
	"onlyonce/internal/value/money"
	"onlyonce/internal/value/party"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// fillLines adds the lines of a form, with amounts where they are known.
func fillLines(form *invoiceviews.InvoiceForm, in invoice.Input) {
	amounts := preview(in).Lines
	for i, l := range in.Lines {
		form.Lines = append(form.Lines, invoiceviews.InvoiceFormLine{
			Description: l.Description, Quantity: l.Quantity, UnitPrice: l.UnitPrice, TaxRate: l.TaxRate, Treatment: l.Treatment,
			Amount: amounts[i],
		})
	}
	totals := preview(withoutBlankLines(in))
	form.Subtotal, form.Tax, form.Total = totals.Subtotal, totals.Tax, totals.Total
}

// preview computes the amounts that are known. A line with an ambiguous number has none.
func preview(in invoice.Input) invoice.Preview {
	in.Lines = slices.Clone(in.Lines)
	for i := range in.Lines {
		if questions := readNumbers(in.Lines[i:i+1], in.Currency); questions.Err() != nil {
			in.Lines[i].Quantity = ""
		}
	}
	return in.Preview()
}

// editLines adds or removes a line without JavaScript.
func editLines(f *templates.Form) error {
	in := readInvoice(f.Typed)
	readNumbers(in.Lines, in.Currency) // nothing is saved, and the form shows the parsed numbers
	setLines(f.Typed, in.Lines)
	return web.EditLines(lineTable())(f)
}

// offerCustomers adds a choice of customers to a form: the newest, or the result of a search without JavaScript. It returns the chosen
// customer, if any.
func (s *Pages) offerCustomers(
	r *http.Request, form *invoiceviews.InvoiceForm, option func(customer.Offered) templates.Option,
) (chosen customer.Offered, err error) {
	id, _, _ := strings.Cut(form.Typed.Get("customer_id"), " ") // see customerOption
	current, _ := uuid.Parse(id)                                // uuid.Nil if it is no id
	form.CustomerID, form.CustomerSearch = form.Typed.Get("customer_id"), web.FormSearch(form.Form, "customer_id")
	customers, err := customer.Offer(r.Context(), s.Pool, web.Principal(r).Tenant, current, form.CustomerSearch)
	for _, c := range customers {
		form.Customers = append(form.Customers, option(c))
		if c.ID == current {
			chosen, form.CustomerID, form.CustomerAddress = c, option(c).Value, addressLine(c.Address, c.Country)
		}
	}
	return chosen, err
}

// customerChoices sends the customers that match a search as the user types, or the one with an id, with the defaults of a new invoice for
// each. With the parameter ids, as for schedules, a value is an id alone.
func (s *Pages) customerChoices(w http.ResponseWriter, r *http.Request) error {
	tenant := web.Principal(r).Tenant
	found, err := s.foundCustomers(r)
	if err != nil {
		return err
	}
	var ids []uuid.UUID
	for _, c := range found.Rows {
		ids = append(ids, c.ID)
	}
	usual, err := invoice.UsualOf(r.Context(), s.Pool, tenant, ids)
	if err != nil {
		return err
	}
	view := templates.Found{More: found.After != record.Key{}}
	for _, c := range found.Rows {
		option := customerOption(customer.Offered{ID: c.ID, Email: c.Email, Name: c.Name})
		if r.URL.Query().Has("ids") {
			option.Value = c.ID.String()
		}
		data := templ.Attributes{"data-hint": addressLine(c.Address, c.Country)}
		if i := slices.IndexFunc(usual, func(u invoice.Usual) bool { return u.Customer == c.ID }); i >= 0 {
			data["data-currency"], data["data-days"] = usual[i].Currency.String(), strconv.Itoa(usual[i].PaymentDays)
			if usual[i].NoTax != "" {
				data["data-treatment"], data["data-exemption"] = string(usual[i].NoTax), usual[i].Exemption
			}
		}
		view.All = append(view.All, templates.FoundRecord{Option: option, Data: data})
	}
	return s.Render(w, r, http.StatusOK, templates.ChoicesPage(view))
}

// foundCustomers returns the customers of a request for choices.
func (s *Pages) foundCustomers(r *http.Request) (found record.List[customer.Customer], err error) {
	search, err := web.Searched(r)
	if err != nil {
		return found, err
	}
	tenant := web.Principal(r).Tenant
	if id, err := uuid.Parse(r.URL.Query().Get("id")); err == nil { // a kept form has the id of its choice only
		one, err := record.Find(r.Context(), s.Pool, customer.Table, tenant, id)
		return record.List[customer.Customer]{Rows: []customer.Customer{one}}, err
	}
	return customer.List(r.Context(), s.Pool, tenant, customer.Filter{Search: search}, record.Page{Limit: choices})
}

// choices is the maximum number of customers in that response.
const choices = 20

func addressLine(address, country string) string {
	return strings.Join(document.AddressLines(party.Details{Address: address, Country: country}), ", ")
}

// customerOption puts the customer's name after the id, so that the choice can be shown again even if the database is unavailable.
func customerOption(c customer.Offered) templates.Option {
	label := joined(c.Name, c.Email)
	return templates.Option{Value: c.ID.String() + " " + label, Text: label}
}

func currencies(codes []string) (list []invoiceviews.Currency) {
	for _, code := range codes {
		c, _ := money.ParseCurrency(code)
		list = append(list, invoiceviews.Currency{Code: code, Digits: int(c.Decimals())})
	}
	return list
}

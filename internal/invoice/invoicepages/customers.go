package invoicepages

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/excerpt"
	"onlyonce/internal/invoice/invoiceform"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// OfCustomer returns the section with the invoices on the page of a customer.
func (s *Pages) OfCustomer(r *http.Request, c customer.Customer, view *templates.RecordView) (templ.Component, error) {
	invoices, err := web.PageOf(r, func(r *http.Request, page record.Page) (record.List[invoice.Summary], error) {
		return invoice.List(r.Context(), s.site.Pool, web.Principal(r).Tenant, invoice.Filter{Customer: c.ID}, page)
	})
	if err != nil {
		return nil, excerpt.MissingPage(err)
	}
	balance, err := invoice.Standing(r.Context(), s.site.Pool, web.Principal(r).Tenant, c.ID, web.Principal(r).Today())
	if err != nil {
		return nil, err
	}
	view.New = templates.Link{Text: "New invoice", Href: web.FormHref(r, "/invoices/new?customer="+c.ID.String())}
	of := url.Values{"customer_id": {c.ID.String()}}
	return invoiceviews.CustomerInvoicesSection(invoiceviews.CustomerInvoices{
		Rows: excerpt.Rows(invoices.Rows), Pager: web.PagerOf(r, invoices), Href: "/invoices?" + of.Encode(),
		StatementHref: "/customers/" + c.ID.String() + "/statement", Balance: standing(balance, of, date.Date{}),
	}), nil
}

// sumsOfCustomers returns the open and overdue amounts of a page of customers, for the list of customers.
func (s *Pages) sumsOfCustomers(r *http.Request, customers []uuid.UUID) (map[uuid.UUID][]string, error) {
	all, err := invoice.Standings(r.Context(), s.site.Pool, web.Principal(r).Tenant, customers, web.Principal(r).Today())
	cells := map[uuid.UUID][]string{}
	for id, sums := range all {
		cells[id] = []string{amountsOf(sums, "open"), amountsOf(sums, "overdue")}
	}
	return cells, err
}

// amountsOf returns the sums of a kind, with a line for each currency.
func amountsOf(sums []invoice.Sum, kind string) string {
	var lines []string
	for _, sum := range sums {
		if sum.Kind == kind {
			lines = append(lines, web.SumText(sum.Currency, sum.Amount))
		}
	}
	return strings.Join(lines, "\n")
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
	usual, err := invoice.UsualOf(r.Context(), s.site.Pool, tenant, ids)
	if err != nil {
		return err
	}
	view := templates.Found{More: found.After != record.Key{}}
	for _, c := range found.Rows {
		option := invoiceform.CustomerOption(customer.Offered{ID: c.ID, Email: c.Email, Name: c.Name})
		if r.URL.Query().Has("ids") {
			option.Value = c.ID.String()
		}
		data := templ.Attributes{}
		hint := invoiceform.AddressLine(c.Address, c.Country)
		if i := slices.IndexFunc(usual, func(u invoice.Usual) bool { return u.Customer == c.ID }); i >= 0 {
			hint = invoiceform.Joined(hint, invoiceform.UsualText(usual[i]))
			data["data-currency"], data["data-days"] = usual[i].Currency.String(), strconv.Itoa(usual[i].PaymentDays)
			if usual[i].NoTax != "" {
				data["data-treatment"], data["data-exemption"] = string(usual[i].NoTax), usual[i].Exemption
			}
		}
		data["data-hint"] = hint
		view.All = append(view.All, templates.FoundRecord{Option: option, Data: data})
	}
	return s.site.Render(w, r, http.StatusOK, templates.ChoicesPage(view))
}

// foundCustomers returns the customers of a request for choices.
func (s *Pages) foundCustomers(r *http.Request) (found record.List[customer.Customer], err error) {
	search, err := web.Searched(r)
	if err != nil {
		return found, err
	}
	tenant := web.Principal(r).Tenant
	if id, err := uuid.Parse(r.URL.Query().Get("id")); err == nil { // a kept form has the id of its choice only
		one, err := record.Find(r.Context(), s.site.Pool, customer.Table, tenant, id)
		return record.List[customer.Customer]{Rows: []customer.Customer{one}}, err
	}
	return customer.List(r.Context(), s.site.Pool, tenant, customer.Filter{Search: search}, record.Page{Limit: choices})
}

// choices is the maximum number of customers in that response.
const choices = 20

package invoicepages

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// OfCustomer returns the section with the invoices on the page of a customer.
func (s *Pages) OfCustomer(r *http.Request, c customer.Customer, view *templates.RecordView) (templ.Component, error) {
	invoices, err := web.PageOf(r, func(r *http.Request, page record.Page) (record.List[invoice.Summary], error) {
		return invoice.List(r.Context(), s.Pool, web.Principal(r).Tenant, invoice.Filter{Customer: c.ID}, page)
	})
	if err != nil {
		return nil, missingPage(err)
	}
	balance, err := invoice.Standing(r.Context(), s.Pool, web.Principal(r).Tenant, c.ID, date.Today())
	if err != nil {
		return nil, err
	}
	view.New = templates.Link{Text: "New invoice", Href: web.FormHref(r, "/invoices/new?customer="+c.ID.String())}
	of := url.Values{"customer_id": {c.ID.String()}}
	return invoiceviews.CustomerInvoicesSection(invoiceviews.CustomerInvoices{
		Rows: invoiceRows(invoices.Rows), Pager: web.PagerOf(r, invoices), Href: "/invoices?" + of.Encode(),
		Balance: standing(balance, of, false),
	}), nil
}

// sumsOfCustomers returns the open and overdue amounts of a page of customers, for the list of customers.
func (s *Pages) sumsOfCustomers(r *http.Request, customers []uuid.UUID) (map[uuid.UUID][]string, error) {
	all, err := invoice.Standings(r.Context(), s.Pool, web.Principal(r).Tenant, customers, date.Today())
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

// missingPage converts an error about the page of a list on a record's page to [web.ErrNotFound].
func missingPage(err error) error {
	if _, wrong := errors.AsType[*invalid.Error](err); wrong {
		return web.ErrNotFound
	}
	return err
}

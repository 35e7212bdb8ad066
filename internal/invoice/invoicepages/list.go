package invoicepages

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/excerpt"
	"onlyonce/internal/invoice/invoiceform"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// statuses returns the options of the status filter: the states, and frequent combinations.
func statuses() []templates.Option {
	return []templates.Option{
		{Value: "", Text: "All"}, {Value: invoice.StatusDraft, Text: "Draft"}, {Value: "open", Text: "Open"},
		{Value: "overdue", Text: "Overdue"}, {Value: invoice.StatusIssued, Text: "Issued"},
		{Value: invoice.StatusPartly, Text: "Partially paid"}, {Value: invoice.StatusPaid, Text: "Paid"},
		{Value: invoice.StatusCredited, Text: "Credited"}, {Value: invoice.StatusWrittenOff, Text: "Written off"},
		{Value: invoice.StatusVoid, Text: "Void"},
	}
}

// sorts returns the orders of a list of invoices with their labels, in the order of [invoice.Sorts].
func sorts() []templates.Option {
	texts := []string{"Newest first", "Oldest first", "Due first", "By number", "Currency and total"}
	var all []templates.Option
	for i, sort := range invoice.Sorts() {
		all = append(all, templates.Option{Value: sort, Text: texts[i]})
	}
	return all
}

// invoiceFilters returns the API's filters and sort orders for invoices.
func invoiceFilters() []web.Parameter {
	var states []string
	for _, status := range statuses()[1:] {
		states = append(states, status.Value)
	}
	return []web.Parameter{
		{Name: "q", Meaning: "Only invoices whose number, lines, or customer's name, email, tax ID, contact or reference have words that " +
			"begin with these, or whose total is an amount with decimals, such as 1,234.50. Every word must match."},
		{Name: "status", Meaning: "Only those in this state. Open ones are issued and not paid in full.", Values: states},
		{Name: "customer_id", Meaning: "Only those of this customer.", Format: "uuid"},
		{Name: "from", Meaning: "Only those issued on this day or later.", Format: "date"},
		{Name: "to", Meaning: "Only those issued on this day or before.", Format: "date"},
		{Name: "paid_from", Meaning: "Only those with a payment on this day or later. With paid_to, one payment is both.", Format: "date"},
		{Name: "paid_to", Meaning: "Only those with a payment on this day or before.", Format: "date"},
		{Name: "sort", Meaning: "The order: newest and oldest by issue date, total by currency first.", Values: invoice.Sorts()},
		{
			Name: "include", Values: []string{"lines"},
			Meaning: fmt.Sprintf("What else each invoice has. With its lines, a page has at most %d. A CSV file has no lines.",
				invoice.MaxWithLines),
		},
	}
}

// invoiceFilter parses the filter of a request. It may return an [*invalid.Error].
func invoiceFilter(r *http.Request) (f invoice.Filter, err error) {
	query := r.URL.Query()
	var problems invalid.Error
	for _, name := range []string{"status", "customer_id", "from", "to", "paid_from", "paid_to", "sort", "include"} {
		if len(query[name]) > 1 {
			problems.Add("/"+name, "Give "+name+" once.")
		}
	}
	f.Search = web.SearchOf(query, &problems)
	switch status := query.Get("status"); {
	case status == "open":
		f.States = invoice.OpenStates()
	case status == "overdue":
		f.Overdue = web.Principal(r).Today()
	case !slices.ContainsFunc(statuses(), func(o templates.Option) bool { return o.Value == status }):
		problems.Add("/status", "Choose one of the statuses.")
	case status != "":
		f.States = []string{status}
	}
	if id := query.Get("customer_id"); id != "" {
		if f.Customer, err = uuid.Parse(id); err != nil {
			problems.Add("/customer_id", "Enter the ID of a customer.")
		}
	}
	f.From, f.To = invoiceform.DaysOf(query, "from", "to", &problems)
	f.PaidFrom, f.PaidTo = invoiceform.DaysOf(query, "paid_from", "paid_to", &problems)
	if f.Sort = query.Get("sort"); f.Sort != "" && !slices.Contains(invoice.Sorts(), f.Sort) {
		problems.Add("/sort", "Sort by one of "+strings.Join(invoice.Sorts(), ", ")+".")
	}
	include := query.Get("include")
	if f.Lines = include == "lines"; include != "" && !f.Lines {
		problems.Add("/include", "Include lines, or leave it out.")
	}
	return f, problems.Err()
}

// invoiceFinder returns the search and the filters of the list of invoices.
func (s *Pages) invoiceFinder(r *http.Request) (templates.Finder, error) {
	query := r.URL.Query()
	finder := templates.Finder{
		Href: "/invoices", Many: "invoices", Search: query.Get("q"), Placeholder: "Number, customer, text or total", Dated: "Issued",
		From: query.Get("from"), To: query.Get("to"),
		Choices: []templates.FinderChoice{{Name: "sort", Label: "Sort by", Value: query.Get("sort"), Options: sorts()}},
	}
	var said []string
	if finder.Search != "" {
		said = append(said, "“"+web.Beginning(finder.Search)+"”")
	}
	for _, status := range statuses() {
		current := query.Get("status") == status.Value
		finder.Chips = append(finder.Chips, templates.NavItem{
			Text: status.Text, Current: current, Href: web.ListURL("/invoices", query, "status", status.Value),
		})
		if current && status.Value != "" {
			said = append(said, strings.ToLower(status.Text))
			finder.Hidden = append(finder.Hidden, templates.Field{Name: "status", Value: status.Value})
		}
	}
	if id, err := uuid.Parse(query.Get("customer_id")); err == nil {
		of, err := record.Find(r.Context(), s.site.Pool, customer.Table, web.Principal(r).Tenant, id)
		if err != nil && !errors.Is(err, record.ErrNotFound) {
			return finder, err
		}
		if err != nil {
			of.Name = "an unknown customer"
		}
		said = append(said, "of "+of.Name)
		finder.Hidden = append(finder.Hidden, templates.Field{Name: "customer_id", Value: id.String()})
		finder.Only = append(finder.Only, templates.Narrowing{
			Text: "of " + of.Name, All: "Show all customers", Href: web.ListURL("/invoices", query, "customer_id", ""),
		})
	}
	for _, bound := range []struct{ name, text string }{{"from", "issued from "}, {"to", "issued until "}} {
		if day, err := date.Parse(query.Get(bound.name)); err == nil {
			said = append(said, bound.text+day.Time().Format("2 Jan 2006"))
		}
	}
	if paid := paidWithin(&finder, query); paid != "" {
		said = append(said, paid)
	}
	if finder.Said = strings.Join(said, ", "); finder.Said != "" {
		finder.ClearHref = "/invoices"
	}
	return finder, nil
}

// paidWithin limits a finder to days of payment, if the query has any, and returns them in words.
func paidWithin(finder *templates.Finder, query url.Values) string {
	said := []string{"paid"}
	rest := maps.Clone(query)
	for _, bound := range []struct{ name, text string }{{"paid_from", "from "}, {"paid_to", "until "}} {
		if day, err := date.Parse(query.Get(bound.name)); err == nil {
			said = append(said, bound.text+day.Time().Format("2 Jan 2006"))
			finder.Hidden = append(finder.Hidden, templates.Field{Name: bound.name, Value: day.String()})
		}
		rest.Del(bound.name)
	}
	if len(said) == 1 {
		return ""
	}
	text := strings.Join(said, " ")
	finder.Only = append(finder.Only, templates.Narrowing{Text: text, All: "Show all days", Href: web.ListURL("/invoices", rest, "", "")})
	return text
}

// readInvoices reads a page of the invoices that a request asks for.
func (s *Pages) readInvoices(r *http.Request, page record.Page) (record.List[invoice.Summary], error) {
	filter, err := invoiceFilter(r)
	if err != nil {
		return record.List[invoice.Summary]{}, err
	}
	return invoice.List(r.Context(), s.site.Pool, web.Principal(r).Tenant, filter, page)
}

// invoiceHeadings returns the columns of the CSV file of invoices.
func invoiceHeadings() []string {
	return []string{
		"number", "status", "overdue", "customer", "email", "tax_id", "issue_date", "due_date", "currency", "net", "tax", "total", "open",
	}
}

// invoiceCells returns the row of an invoice, with plain decimals.
func invoiceCells(i invoice.Summary) []string {
	c := i.Currency
	return []string{
		i.Number, i.Status, strconv.FormatBool(i.Late > 0), i.Customer.Name, i.Customer.Email, i.TaxID,
		i.IssueDate.String(), i.DueDate.String(), c.String(),
		c.Format(i.Subtotal), c.Format(i.TaxTotal), c.Format(i.Total), c.Format(i.Open),
	}
}

func (s *Pages) invoiceList(
	r *http.Request, p templates.Page, found []invoice.Summary, finder templates.Finder,
) (templ.Component, error) {
	view := invoiceviews.InvoiceList{NewHref: web.FormHref(r, "/invoices/new"), Finder: finder, Rows: excerpt.Rows(found)}
	if err := s.sumUp(r, &view); err != nil {
		return nil, err
	}
	query := r.URL.Query()
	view.BatchHref = web.FormHref(r, "/invoice-batches/new")
	if query.Get("status") == "overdue" {
		view.RemindHref = web.FormHref(r, "/reminder-batches/new")
	}
	all := query.Get("chosen") == "all"
	if query.Set("chosen", "all"); all {
		query.Del("chosen")
	}
	view.Chooses = templates.Link{Text: map[bool]string{false: "Choose all", true: "Choose none"}[all], Href: "?" + query.Encode()}
	for i := range view.Rows {
		if view.BatchHref != "" {
			view.Rows[i].ID, view.Rows[i].Chosen = found[i].ID.String(), all
		}
	}
	return invoiceviews.InvoiceListPage(p, view), nil
}

// sumUp fills in the sums above the list: those of the filter, or the standing without one.
func (s *Pages) sumUp(r *http.Request, view *invoiceviews.InvoiceList) error {
	tenant := web.Principal(r).Tenant
	if view.Said == "" {
		sums, err := invoice.Standing(r.Context(), s.site.Pool, tenant, tenant, web.Principal(r).Today())
		view.Standing = standing(sums, nil, web.Principal(r).Today())
		return err
	}
	filter, err := invoiceFilter(r)
	if err != nil {
		return nil //nolint:nilerr // the page has the problems
	}
	sums, known, err := invoice.FilterSums(r.Context(), s.site.Pool, tenant, filter)
	if view.Unsummed = !known; known {
		view.Standing = filterSums(sums, r.URL.Query())
	}
	return err
}

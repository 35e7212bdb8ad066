package web

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/date"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/templates"
)

// statuses are what invoices are filtered by: their states, and what people ask for most.
func statuses() []templates.Option {
	return []templates.Option{
		{Value: "", Text: "All"}, {Value: invoice.StatusDraft, Text: "Draft"}, {Value: "open", Text: "Open"},
		{Value: "overdue", Text: "Overdue"}, {Value: invoice.StatusIssued, Text: "Issued"},
		{Value: invoice.StatusPartly, Text: "Partially paid"}, {Value: invoice.StatusPaid, Text: "Paid"},
		{Value: invoice.StatusCredited, Text: "Credited"}, {Value: invoice.StatusVoid, Text: "Void"},
	}
}

// sorts are the orders of a list of invoices as people read them, in the order of [invoice.Sorts].
func sorts() []templates.Option {
	texts := []string{"Newest first", "Oldest first", "Due first", "By number", "Largest total"}
	var all []templates.Option
	for i, sort := range invoice.Sorts() {
		all = append(all, templates.Option{Value: sort, Text: texts[i]})
	}
	return all
}

// invoiceFilters are what the API filters and sorts invoices by.
func invoiceFilters() []parameter {
	var states []string
	for _, status := range statuses()[1:] {
		states = append(states, status.Value)
	}
	return []parameter{
		{name: "q", meaning: "Only those of which the number, a line, or the customer's name or email has words that begin like these. " +
			"All must be found."},
		{name: "status", meaning: "Only those in this state. Open ones are issued and not paid in full.", values: states},
		{name: "customer_id", meaning: "Only those of this customer.", format: "uuid"},
		{name: "from", meaning: "Only those issued on this day or later.", format: "date"},
		{name: "to", meaning: "Only those issued on this day or before.", format: "date"},
		{name: "sort", meaning: "The order. newest and oldest go by the issue date.", values: invoice.Sorts()},
	}
}

// invoiceFilter reads which invoices are wanted. Its error is an [*invalid.Error].
func invoiceFilter(r *http.Request) (f invoice.Filter, err error) {
	query := r.URL.Query()
	var problems invalid.Error
	for _, name := range []string{"status", "customer_id", "from", "to", "sort"} {
		if len(query[name]) > 1 {
			problems.Add("/"+name, "Give "+name+" once.")
		}
	}
	f.Search = searchOf(query, &problems)
	switch status := query.Get("status"); {
	case status == "open":
		f.States = invoice.OpenStates()
	case status == "overdue":
		f.Overdue = today()
	case !slices.ContainsFunc(statuses(), func(o templates.Option) bool { return o.Value == status }):
		problems.Add("/status", "Choose one of the statuses.")
	case status != "":
		f.States = []string{status}
	}
	if id := query.Get("customer_id"); id != "" {
		if f.Customer, err = uuid.Parse(id); err != nil {
			problems.Add("/customer_id", "Give the id of a customer.")
		}
	}
	f.From, f.To = dayOf(query, "from", &problems), dayOf(query, "to", &problems)
	if (f.From != date.Date{}) && (f.To != date.Date{}) && f.To.Before(f.From) {
		problems.Add("/to", "The last day must not be before the first one.")
	}
	if f.Sort = query.Get("sort"); f.Sort != "" && !slices.Contains(invoice.Sorts(), f.Sort) {
		problems.Add("/sort", "Sort by one of "+strings.Join(invoice.Sorts(), ", ")+".")
	}
	return f, problems.Err()
}

func dayOf(query url.Values, name string, problems *invalid.Error) (day date.Date) {
	if text := query.Get(name); text != "" {
		var err error
		if day, err = date.Parse(text); err != nil {
			problems.Add("/"+name, "Enter a day as year-month-day, like 2026-11-21.")
		}
	}
	return day
}

// searchOf reads what is searched for.
func searchOf(query url.Values, problems *invalid.Error) string {
	if len(query["q"]) > 1 {
		problems.Add("/q", "Give q once.")
	}
	return problems.Line("/q", "the search", query.Get("q"), record.MaxSearch)
}

// searched is what a request searches for. Its error is an [*invalid.Error].
func searched(r *http.Request) (string, error) {
	var problems invalid.Error
	search := searchOf(r.URL.Query(), &problems)
	return search, problems.Err()
}

// invoiceFinder is what invoices are searched and filtered by.
func (s *Server) invoiceFinder(r *http.Request) (templates.Finder, error) {
	query := r.URL.Query()
	finder := templates.Finder{
		Href: "/invoices", Many: "invoices", Search: query.Get("q"), Placeholder: "Number, customer or text", Dated: true,
		From: query.Get("from"), To: query.Get("to"), Sort: query.Get("sort"), Sorts: sorts(),
	}
	var said []string
	if finder.Search != "" {
		said = append(said, "“"+beginning(finder.Search)+"”")
	}
	for _, status := range statuses() {
		current := query.Get("status") == status.Value
		finder.Chips = append(finder.Chips, templates.NavItem{
			Text: status.Text, Current: current, Href: listHref("/invoices", query, "status", status.Value),
		})
		if current && status.Value != "" {
			said = append(said, strings.ToLower(status.Text))
			finder.Hidden = append(finder.Hidden, templates.Field{Name: "status", Value: status.Value})
		}
	}
	if id, err := uuid.Parse(query.Get("customer_id")); err == nil {
		of, err := customer.Table.Find(r.Context(), s.pool, principal(r).Tenant, id)
		if err != nil && !errors.Is(err, record.ErrNotFound) {
			return finder, err
		}
		if err != nil {
			of.Name = "an unknown customer"
		}
		said = append(said, "of "+of.Name)
		finder.Hidden = append(finder.Hidden, templates.Field{Name: "customer_id", Value: id.String()})
		finder.Only = templates.Link{Text: of.Name, Href: listHref("/invoices", query, "customer_id", "")}
	}
	for _, bound := range []struct{ name, text string }{{"from", "issued from "}, {"to", "issued until "}} {
		if day, err := date.Parse(query.Get(bound.name)); err == nil {
			said = append(said, bound.text+day.Time().Format("2 Jan 2006"))
		}
	}
	if finder.Said = strings.Join(said, ", "); finder.Said != "" {
		finder.ClearHref = "/invoices"
	}
	return finder, nil
}

// listHref is the address of a list with one parameter changed, from its first page.
func listHref(path string, query url.Values, name, value string) string {
	changed := url.Values{}
	for other, values := range query {
		if other != "cursor" && other != name && values[0] != "" {
			changed[other] = values
		}
	}
	if value != "" {
		changed.Set(name, value)
	}
	return (&url.URL{Path: path, RawQuery: changed.Encode()}).String()
}

// standing shows sums of money, each as the way to what it sums up. of are parameters that all ways have; withPaid says
// that payments are summed up too.
func standing(sums []invoice.Sum, of url.Values, withPaid bool) []templates.Standing {
	all := []templates.Standing{
		{Kind: "open", Label: "Open", Href: listHref("/invoices", with(of, "sort", "due"), "status", "open")},
		{Kind: "overdue", Label: "Overdue", Href: listHref("/invoices", with(of, "sort", "due"), "status", "overdue")},
	}
	if withPaid {
		all = append(all, templates.Standing{Kind: "paid", Label: "Paid this month", Href: listHref("/invoices", of, "status", "paid")})
	}
	for i := range all {
		count := 0
		for _, sum := range sums {
			if sum.Kind != all[i].Kind {
				continue
			}
			amount := sum.Currency.Display(sum.Amount) + " " + sum.Currency.String()
			if sum.More {
				amount = "more than " + amount
			}
			all[i].Amounts = append(all[i].Amounts, amount)
			all[i].More = all[i].More || sum.More
			count += sum.Count
		}
		all[i].Count = grouped(count, all[i].More)
	}
	return all
}

// grouped is a number as people read it: "12", or "1,000+" for what was not counted to the end.
func grouped(n int, more bool) string {
	if more {
		return "1,000+"
	}
	text := strconv.Itoa(n)
	if len(text) > 3 {
		text = text[:len(text)-3] + "," + text[len(text)-3:]
	}
	return text
}

// with is a copy of parameters with one more.
func with(query url.Values, name, value string) url.Values {
	more := url.Values{name: {value}}
	maps.Copy(more, query)
	return more
}

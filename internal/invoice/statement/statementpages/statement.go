// Package statementpages has the page and the API of the statement of account of a customer.
package statementpages

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"onlyonce/internal/customer"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/document"
	"onlyonce/internal/invoice/invoiceform"
	"onlyonce/internal/invoice/pdf"
	"onlyonce/internal/invoice/statement"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// account is a page of the statement of a customer.
type account struct {
	customer   customer.Customer
	of         statement.Account
	currencies []money.Currency // of all entries of the customer, most used first
	found      statement.Statement
	cursors    web.Cursors
}

// pages has the dependencies of the page.
type pages struct {
	*web.Site

	render func(ctx context.Context, name string, shown pdf.Document) (web.File, error)
}

// Mount mounts the statements of customers. render renders their PDF files.
func Mount(on *web.Site, render func(context.Context, string, pdf.Document) (web.File, error)) {
	s := &pages{on, render}
	web.Report[account]{
		One: "statement", Path: "/customers/{id}/statement", Paged: true,
		Summary: "The balance of a customer, the open amount less the credit, and the entries of a period, by default three months.",
		Query: []web.Parameter{
			{Name: "from", Meaning: "The first day.", Format: "date"},
			{Name: "to", Meaning: "The last day, at most a year later.", Format: "date"},
			{Name: invoiceviews.CurrencyField, Meaning: "By default the one with the most entries."},
		},
		Read: s.read, View: show, Page: s.page, Rows: s.rows,
		Name: name, PDF: s.pdf,
	}.Mount(on)
}

// read reads the statement that a request asks for: for a merged customer, of the one that stayed. It may return an [*invalid.Error] with
// the customer.
func (s *pages) read(r *http.Request) (a account, err error) {
	tenant := web.Principal(r).Tenant
	id, err := web.PathID(r)
	if err != nil {
		return a, err
	}
	a.customer, err = record.Find(r.Context(), s.Pool, customer.Table, tenant, id)
	if merged := a.customer.MergedInto.ID; err == nil && merged != uuid.Nil {
		a.customer, err = record.Find(r.Context(), s.Pool, customer.Table, tenant, merged)
	}
	if err != nil {
		return a, err
	}
	a.of.Customer = a.customer.ID
	if a.currencies, err = statement.Currencies(r.Context(), s.Pool, tenant, a.customer.ID); err != nil {
		return a, err
	}
	if len(a.currencies) > 0 {
		a.of.Currency = a.currencies[0]
	}
	var problems invalid.Error
	first, last := threeMonths(s.Today(r))
	a.of.First, a.of.Last = invoiceform.PeriodOf(r.URL.Query(), first, last, &problems)
	if code := r.URL.Query().Get(invoiceviews.CurrencyField); code != "" {
		var known bool
		if a.of.Currency, known = money.ParseCurrency(code); !known {
			problems.Add("/currency", "Choose one of the currencies.")
		}
	}
	if err := problems.Err(); err != nil {
		return a, err
	}
	entries, err := web.PageOf(r, func(r *http.Request, page record.Page) (record.List[statement.Entry], error) {
		a.found, err = statement.Of(r.Context(), s.Pool, tenant, a.of, page)
		return a.found.Entries, err
	})
	a.cursors = web.CursorsOf(r, entries)
	return a, err
}

// threeMonths returns the month of a day with the two before.
func threeMonths(day date.Date) (first, last date.Date) {
	first, last = day.Month()
	return first.AddMonths(-2), last
}

// name returns the name of the files, without an extension.
func name(a account) string {
	return "Statement " + a.customer.Name + " " + a.of.First.String() + " to " + a.of.Last.String()
}

// statementJSON is a page of a statement in the API.
type statementJSON struct {
	CustomerID uuid.UUID      `json:"customer_id"`
	Currency   money.Currency `json:"currency,omitzero" doc:"Missing without any entry."`
	From       date.Date      `json:"from"`
	To         date.Date      `json:"to"`
	Opening    string         `json:"opening" format:"number" doc:"The balance before the period."`
	Closing    string         `json:"closing" format:"number"`
	Entries    []entryJSON    `json:"entries" doc:"The earliest first."`
	web.Cursors
}

type entryJSON struct {
	Date      date.Date `json:"date"`
	Kind      string    `json:"kind"`
	ID        uuid.UUID `json:"id" doc:"The invoice, payment or other record."`
	Number    string    `json:"number" doc:"The number of the invoice or credit note."`
	DueDate   date.Date `json:"due_date,omitzero" doc:"Of an invoice."`
	Reference string    `json:"reference"`
	Amount    string    `json:"amount" format:"number" doc:"Negative if the customer owes less."`
	Balance   string    `json:"balance" format:"number"`
}

func show(a account) any {
	shown := statementJSON{
		CustomerID: a.customer.ID, Currency: a.of.Currency, From: a.of.First, To: a.of.Last,
		Opening: a.plain(a.found.Opening), Closing: a.plain(a.found.Closing), Entries: []entryJSON{}, Cursors: a.cursors,
	}
	for _, e := range a.found.Entries.Rows {
		shown.Entries = append(shown.Entries, entryJSON{
			e.Day, e.What(), e.ID, e.Number, e.DueDate, e.Reference, a.plain(decimal.NewFromInt(e.Amount)), a.plain(e.Balance),
		})
	}
	return shown
}

// plain returns minor units as a plain decimal: "-1234.50".
func (a account) plain(sum decimal.Decimal) string {
	return sum.Shift(-a.of.Currency.Decimals()).StringFixed(a.of.Currency.Decimals())
}

// exported is the number of entries that the CSV file reads at once.
const exported = 200

// rows returns the rows of the CSV file: the balances before and after the entries of all pages.
func (s *pages) rows(r *http.Request, a account) ([][]string, error) {
	row := func(day date.Date, kind, number, due, reference, amount string, balance decimal.Decimal) []string {
		return []string{day.String(), kind, number, due, reference, a.of.Currency.String(), amount, a.plain(balance)}
	}
	rows := [][]string{
		{"date", "entry", "number", "due_date", "reference", "currency", "amount", "balance"},
		row(a.of.First, "opening_balance", "", "", "", "", a.found.Opening),
	}
	all, err := s.all(r, a, math.MaxInt)
	if err != nil {
		return nil, err
	}
	for _, e := range all.Entries.Rows {
		due := ""
		if e.DueDate != (date.Date{}) {
			due = e.DueDate.String()
		}
		rows = append(rows, row(e.Day, e.What(), e.Number, due, e.Reference, a.plain(decimal.NewFromInt(e.Amount)), e.Balance))
	}
	return append(rows, row(a.of.Last, "closing_balance", "", "", "", "", all.Closing)), nil
}

// maxEntries is the maximum number of entries in a PDF file.
const maxEntries = 2000

// pdf returns the PDF file. It returns an [*invalid.Error] for a period with too many entries.
func (s *pages) pdf(r *http.Request, a account) (web.File, error) {
	ctx, tenant := r.Context(), web.Principal(r).Tenant
	all, err := s.all(r, a, maxEntries+1)
	if err != nil {
		return web.File{}, err
	}
	if len(all.Entries.Rows) > maxEntries {
		var problems invalid.Error
		problems.Add("/to", "A PDF file has at most 2,000 entries. Choose a shorter period.")
		return web.File{}, problems.Err()
	}
	business, buyer, err := invoice.Parties(ctx, s.Pool, tenant, a.customer.ID)
	if err != nil {
		return web.File{}, err
	}
	logo, err := document.Logo(ctx, s.Pool, tenant, business)
	if err != nil {
		return web.File{}, err
	}
	return s.render(ctx, name(a)+".pdf", document.OfStatement(business, buyer, a.of, all, logo, time.Now()))
}

// all returns the statement with the entries of all pages, at least most if there are as many.
func (s *pages) all(r *http.Request, a account, most int) (all statement.Statement, err error) {
	page := record.Page{Limit: exported}
	for first := true; first || page.From != (record.Key{}) && len(all.Entries.Rows) < most; first = false {
		found, err := statement.Of(r.Context(), s.Pool, web.Principal(r).Tenant, a.of, page)
		if err != nil {
			return all, err
		}
		page.From = found.Entries.After
		found.Entries.Rows = append(all.Entries.Rows, found.Entries.Rows...)
		all = found
	}
	return all, nil
}

func (s *pages) page(r *http.Request, p templates.Page, a account, problems []string) (templ.Component, error) {
	query, path := r.URL.Query(), "/customers/"+a.customer.ID.String()
	view := invoiceviews.Statement{
		Customer: templates.Link{Text: a.customer.Name, Href: path}, Href: path + "/statement", Problems: problems,
		From: query.Get("from"), To: query.Get("to"), Currency: query.Get(invoiceviews.CurrencyField),
	}
	if len(problems) == 0 {
		view.From, view.To, view.Currency = a.of.First.String(), a.of.Last.String(), a.of.Currency.String()
		query := "?" + a.query(a.of.First, a.of.Last, a.of.Currency)
		view.CSVHref, view.PDFHref = view.Href+"/csv"+query, view.Href+"/pdf"+query
		closing := "Balance after " + a.of.Last.Display()
		if !a.of.Last.Before(s.Today(r)) {
			closing = "Balance so far"
		}
		view.Balances = []templates.Fact{
			{Label: "Balance before " + a.of.First.Display(), Value: web.SumText(a.of.Currency, a.found.Opening)},
			{Label: closing, Value: web.SumText(a.of.Currency, a.found.Closing)},
		}
		view.Pager = web.PagerOf(r, a.found.Entries)
	}
	month, monthEnd := s.Today(r).Month()
	three, _ := threeMonths(month)
	year := month.AddMonths(1 - int(month.Time().Month()))
	for _, period := range []struct {
		text        string
		first, last date.Date
	}{
		{"This month and the two before", three, monthEnd},
		{"This month", month, monthEnd},
		{"Last month", month.AddMonths(-1), month.AddDays(-1)},
		{"This year", year, year.AddMonths(12).AddDays(-1)},
		{"Last year", year.AddMonths(-12), year.AddDays(-1)},
	} {
		view.Periods = append(view.Periods, templates.NavItem{
			Text: period.text, Href: view.Href + "?" + a.query(period.first, period.last, a.of.Currency),
			Current: period.first == a.of.First && period.last == a.of.Last,
		})
	}
	if len(a.currencies) > 1 || len(a.currencies) == 1 && !slices.Contains(a.currencies, a.of.Currency) {
		for _, c := range a.currencies {
			view.Currencies = append(view.Currencies, templates.NavItem{
				Text: c.String(), Href: view.Href + "?" + a.query(a.of.First, a.of.Last, c), Current: c == a.of.Currency,
			})
		}
	}
	for _, e := range a.found.Entries.Rows {
		view.Rows = append(view.Rows, invoiceviews.StatementRow{
			Date: e.Day.Display(), Kind: e.Text(), Href: href(e), Number: e.Number, Due: web.DateText(e.DueDate),
			Reference: e.Reference, Amount: a.of.Currency.Display(e.Amount), Balance: a.of.Currency.DisplaySum(e.Balance),
		})
	}
	return invoiceviews.StatementPage(p, view), nil
}

// href returns the page of the record of an entry.
func href(e statement.Entry) string {
	switch {
	case e.Kind == "credit_note":
		return "/credit-notes/" + e.ID.String()
	case e.OfReceipt():
		return "/receipts/" + e.Of.String()
	default:
		return "/invoices/" + e.Of.String()
	}
}

// query returns the parameters of a period in a currency.
func (a account) query(first, last date.Date, currency money.Currency) string {
	query := url.Values{}
	for name, day := range map[string]date.Date{"from": first, "to": last} {
		if day != (date.Date{}) {
			query.Set(name, day.String())
		}
	}
	if currency != (money.Currency{}) {
		query.Set(invoiceviews.CurrencyField, currency.String())
	}
	return query.Encode()
}

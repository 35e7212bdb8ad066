// Package taxsummarypages has the page and the API of the tax summary.
package taxsummarypages

import (
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"
	"github.com/shopspring/decimal"

	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/closing"
	"onlyonce/internal/invoice/invoiceform"
	"onlyonce/internal/invoice/taxsummary"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// taxSummary has the sums of a period.
type taxSummary struct {
	first, last date.Date
	sums        []taxsummary.Sum
	euSales     []taxsummary.EUSale
	mistaken    []taxsummary.EUSale // with the treatment of EU sales, but not in the list
	part        string              // of the CSV file: euSalesPart, or "" for the tax
	closed      date.Date           // the last closed day; zero if the books are open
}

const (
	taxSummaryPath = "/tax-summary"
	euSalesPart    = "eu_sales"
	// maxEUSales is the number of rows of the EU sales list on the page. The CSV file has all.
	maxEUSales = 200
)

// pages has the dependencies of the page.
type pages struct{ *web.Site }

// Mount mounts the tax summary in a tab of the invoices.
func Mount(on *web.Site) {
	s := &pages{on}
	web.Report[taxSummary]{
		One: "tax summary", Path: taxSummaryPath,
		Summary: "The tax of the invoices and credit notes of a period, by currency, rate and treatment, by default of this month. " +
			"Drafts are left out, and so are invoices that were voided in the period of their issue date.",
		Query: []web.Parameter{
			{Name: "from", Meaning: "The first day.", Format: "date"},
			{Name: "to", Meaning: "The last day, at most a year later.", Format: "date"},
			{Name: "part", Meaning: "For the CSV file of the EU sales list.", Values: []string{euSalesPart}},
		},
		Read: s.readTaxSummary, View: showTaxSummary, Page: s.taxSummaryPage, Rows: rowsOf,
		Name: func(t taxSummary) string {
			if t.part == euSalesPart {
				return "EU sales " + t.first.String() + " to " + t.last.String()
			}
			return "Tax " + t.first.String() + " to " + t.last.String()
		},
	}.Mount(s.Within("invoices"))
}

// readTaxSummary reads the sums of the period of a request. It may return an [*invalid.Error].
func (s *pages) readTaxSummary(r *http.Request) (t taxSummary, err error) {
	var problems invalid.Error
	first, last := s.Today(r).Month()
	t.first, t.last = invoiceform.PeriodOf(r.URL.Query(), first, last, &problems)
	if t.part = r.URL.Query().Get("part"); t.part != "" && t.part != euSalesPart {
		problems.Add("/part", "Use "+euSalesPart+", or leave the part out.")
	}
	if err := problems.Err(); err != nil {
		return taxSummary{}, err
	}
	tenant := web.Principal(r).Tenant
	if t.closed, err = closing.Last(r.Context(), s.Pool, tenant); err != nil {
		return taxSummary{}, err
	}
	if t.sums, err = taxsummary.Of(r.Context(), s.Pool, tenant, t.first, t.last); err != nil {
		return taxSummary{}, err
	}
	t.euSales, t.mistaken, err = taxsummary.EUSales(r.Context(), s.Pool, tenant, t.first, t.last)
	return t, err
}

// taxSummaryJSON is a tax summary in the API.
type taxSummaryJSON struct {
	From   date.Date      `json:"from"`
	To     date.Date      `json:"to"`
	Closed date.Date      `json:"closed_through,omitzero" doc:"The last closed day, if the books are closed."`
	Rates  []taxRateJSON  `json:"rates" doc:"By currency, lowest rate first."`
	Totals []taxTotalJSON `json:"totals" doc:"The sums of all rates of each currency."`
	// EUSales is the EU sales list.
	EUSales []euSaleJSON `json:"eu_sales" doc:"Supplies without VAT to other countries of the EU, less credit notes and voids."`
}

type euSaleJSON struct {
	Country   string         `json:"country,omitzero" doc:"The prefix of the VAT number, or the customer's country."`
	VATNumber string         `json:"vat_number,omitzero"`
	Customer  string         `json:"customer"`
	Kind      string         `json:"kind" enum:"goods,services"`
	Net       string         `json:"net" format:"number"`
	Currency  money.Currency `json:"currency"`
}

func showEUSale(s taxsummary.EUSale) euSaleJSON {
	shown := euSaleJSON{s.Country, s.VATNumber, s.Customer, "services", plainSum(s.Currency, s.Net), s.Currency}
	if s.Goods() {
		shown.Kind = "goods"
	}
	return shown
}

type taxRateJSON struct {
	TaxRate   string            `json:"tax_rate" format:"decimal"`
	Treatment invoice.Treatment `json:"tax_treatment" doc:"As of lines: standard for a rate above 0."`

	taxTotalJSON
}

type taxTotalJSON struct {
	Currency    money.Currency `json:"currency"`
	Invoices    taxAmountsJSON `json:"invoices" doc:"Issued in the period, and not voided in it."`
	CreditNotes taxAmountsJSON `json:"credit_notes" doc:"Of the period."`
	Voided      taxAmountsJSON `json:"voided" doc:"Invoices issued before the period and voided in it."`
	Result      taxAmountsJSON `json:"result" doc:"The invoices less the credit notes and the voided invoices."`
}

type taxAmountsJSON struct {
	Net   string `json:"net" format:"number"`
	Tax   string `json:"tax" format:"number"`
	Gross string `json:"gross" format:"number"`
}

func showTaxSummary(t taxSummary) any {
	shown := taxSummaryJSON{
		From: t.first, To: t.last, Closed: t.closed, Rates: []taxRateJSON{}, Totals: []taxTotalJSON{}, EUSales: []euSaleJSON{},
	}
	for _, s := range t.sums {
		shown.Rates = append(shown.Rates, taxRateJSON{s.Rate.String(), s.Treatment, showTaxTotal(s)})
	}
	for _, s := range taxsummary.Totals(t.sums) {
		shown.Totals = append(shown.Totals, showTaxTotal(s))
	}
	for _, s := range t.euSales {
		shown.EUSales = append(shown.EUSales, showEUSale(s))
	}
	return shown
}

func showTaxTotal(s taxsummary.Sum) taxTotalJSON {
	amounts := func(a taxsummary.Amounts) taxAmountsJSON {
		return taxAmountsJSON{plainSum(s.Currency, a.Net), plainSum(s.Currency, a.Tax), plainSum(s.Currency, a.Gross())}
	}
	return taxTotalJSON{s.Currency, amounts(s.Invoices), amounts(s.Credited), amounts(s.Voided), amounts(s.Result())}
}

// plainSum returns minor units as a plain decimal: "-1234.50".
func plainSum(c money.Currency, sum decimal.Decimal) string {
	return sum.Shift(-c.Decimals()).StringFixed(c.Decimals())
}

// rowsOf returns the rows of the CSV file.
func rowsOf(_ *http.Request, t taxSummary) ([][]string, error) {
	if t.part == euSalesPart {
		rows := [][]string{{"country", "vat_number", "customer", "kind", "net", "currency"}}
		for _, s := range t.euSales {
			of := showEUSale(s)
			rows = append(rows, []string{of.Country, of.VATNumber, of.Customer, of.Kind, of.Net, of.Currency.String()})
		}
		return rows, nil
	}
	rows := [][]string{{"from", "to", "currency", "tax_rate", "tax_treatment"}}
	for _, part := range []string{"invoices", "credit_notes", "voided", "result"} {
		rows[0] = append(rows[0], part+"_net", part+"_tax", part+"_gross")
	}
	for _, s := range t.sums {
		row := []string{t.first.String(), t.last.String(), s.Currency.String(), s.Rate.String(), string(s.Treatment)}
		for _, a := range []taxsummary.Amounts{s.Invoices, s.Credited, s.Voided, s.Result()} {
			row = append(row, plainSum(s.Currency, a.Net), plainSum(s.Currency, a.Tax), plainSum(s.Currency, a.Gross()))
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (s *pages) taxSummaryPage(r *http.Request, p templates.Page, t taxSummary, problems []string) (templ.Component, error) {
	query := r.URL.Query()
	view := invoiceviews.TaxSummary{Problems: problems, From: query.Get("from"), To: query.Get("to")}
	if len(problems) == 0 {
		view.From, view.To = t.first.String(), t.last.String()
		view.Title = web.DateText(t.first) + " – " + web.DateText(t.last)
		view.CSVHref = taxSummaryPath + "/csv?" + daysQuery(t.first, t.last)
		if t.closed != (date.Date{}) {
			view.Closed = "The books are closed through " + t.closed.Display() + "."
		}
		if t.closed.Before(t.last) && t.last.Before(date.Today()) {
			view.CloseHref = web.FormHref(r, "/closings/new?"+url.Values{"through": {t.last.String()}}.Encode())
		}
	}
	month, monthEnd := s.Today(r).Month()
	quarter := month.AddMonths(-int(month.Time().Month()-time.January) % 3)
	for _, period := range []struct {
		text        string
		first, last date.Date
	}{
		{"This month", month, monthEnd},
		{"Last month", month.AddMonths(-1), month.AddDays(-1)},
		{"This quarter", quarter, quarter.AddMonths(3).AddDays(-1)},
		{"Last quarter", quarter.AddMonths(-3), quarter.AddDays(-1)},
	} {
		href := taxSummaryPath + "?" + daysQuery(period.first, period.last)
		view.Periods = append(view.Periods, templates.NavItem{
			Text: period.text, Href: href, Current: href == taxSummaryPath+"?"+daysQuery(t.first, t.last),
		})
	}
	for _, total := range taxsummary.Totals(t.sums) {
		of, rates := invoiceviews.TaxCurrency{Code: total.Currency.String()}, 0
		for _, sum := range t.sums {
			if sum.Currency == total.Currency {
				of.Rows = append(of.Rows, taxRowsOf(rateText(sum), sum)...)
				rates++
			}
		}
		if rates > 1 {
			of.Totals = taxRowsOf("All rates", total)
		}
		view.Currencies = append(view.Currencies, of)
	}
	view.EUSales, view.EUSalesHref = euSalesOf(t.euSales), view.CSVHref+"&part="+euSalesPart
	view.Mistaken = euSalesOf(t.mistaken)
	view.EUSalesLeftOut = len(t.euSales) > maxEUSales
	return invoiceviews.TaxSummaryPage(p, view), nil
}

// rateText returns the rate of a sum, or the name of its treatment if that has no rate.
func rateText(s taxsummary.Sum) string {
	if s.Treatment == invoice.Standard || s.Treatment == invoice.Zero {
		return web.PercentText(s.Rate.String())
	}
	return s.Treatment.Terms().Name
}

func daysQuery(first, last date.Date) string {
	return url.Values{"from": {first.String()}, "to": {last.String()}}.Encode()
}

// euSalesOf returns the first rows of an EU sales list.
func euSalesOf(all []taxsummary.EUSale) (rows []invoiceviews.EUSale) {
	for _, s := range all[:min(len(all), maxEUSales)] {
		row := invoiceviews.EUSale{
			Country: s.Country, VATNumber: s.VATNumber, Customer: s.Customer, Kind: "Services", Net: web.SumText(s.Currency, s.Net),
			Href: "/invoices?" + url.Values{"q": {s.Customer}}.Encode(),
		}
		if s.Goods() {
			row.Kind = "Goods"
		}
		rows = append(rows, row)
	}
	return rows
}

// taxRowsOf returns a row for each kind of documents with an amount, and one for the result.
func taxRowsOf(rate string, s taxsummary.Sum) (rows []invoiceviews.TaxRow) {
	add := func(kind string, a taxsummary.Amounts, sign int64) {
		text := func(sum decimal.Decimal) string { return s.Currency.DisplaySum(sum.Mul(decimal.NewFromInt(sign))) }
		rows = append(rows, invoiceviews.TaxRow{Rate: rate, Kind: kind, Net: text(a.Net), Tax: text(a.Tax), Gross: text(a.Gross())})
	}
	if !s.Invoices.Net.IsZero() {
		add("Invoices", s.Invoices, 1)
	}
	if !s.Credited.Net.IsZero() {
		add("Credit notes", s.Credited, -1)
	}
	if !s.Voided.Net.IsZero() {
		add("Voided invoices of earlier periods", s.Voided, -1)
	}
	add("Result", s.Result(), 1)
	rows[len(rows)-1].Result = true
	return rows
}

package invoicepages

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
	"onlyonce/internal/web"
	"onlyonce/templates/invoiceviews"
)

// homePath is where people begin.
const homePath = "/home"

// shownAtHome is how many invoices the page shows of each kind.
const shownAtHome = 5

// home shows what is open, what was billed and paid, what needs doing, and what is new. Nothing is added across currencies.
func (s *Pages) home(w http.ResponseWriter, r *http.Request) error {
	tenant, today := web.Principal(r).Tenant, date.Today()
	sums, err := invoice.Standing(r.Context(), s.Pool, tenant, tenant, today)
	if err != nil {
		return err
	}
	periods, err := invoice.Periods(r.Context(), s.Pool, tenant, today)
	if err != nil {
		return err
	}
	view := invoiceviews.Home{
		NewHref: web.FormHref(r, "/invoices/new"), Standing: standing(sums, nil, true), Currencies: charts(periods, today),
	}
	for _, list := range []struct {
		rows   *[]invoiceviews.InvoiceRow
		filter invoice.Filter
	}{
		{&view.Overdue, invoice.Filter{Overdue: today, Sort: "due"}},
		{&view.Drafts, invoice.Filter{States: []string{invoice.StatusDraft}}},
		{&view.Recent, invoice.Filter{}},
	} {
		found, err := invoice.List(r.Context(), s.Pool, tenant, list.filter, record.Page{Limit: shownAtHome})
		if err != nil {
			return err
		}
		*list.rows = invoiceRows(found.Rows)
	}
	return s.Render(w, r, http.StatusOK, invoiceviews.HomePage(s.Page(w, r), view))
}

// charts are those of each currency: what is open by its age, and what was billed and paid by month.
func charts(periods []invoice.Period, today date.Date) (all []invoiceviews.CurrencyCharts) {
	var currencies []money.Currency
	for _, p := range periods {
		if !slices.Contains(currencies, p.Currency) {
			currencies = append(currencies, p.Currency)
		}
	}
	slices.SortFunc(currencies, func(a, b money.Currency) int { return strings.Compare(a.String(), b.String()) })
	for _, c := range currencies {
		of := func(kind string, from date.Date) int64 {
			i := slices.IndexFunc(periods, func(p invoice.Period) bool {
				return p.Kind == kind && p.Currency == c && p.From.String() == from.String()
			})
			if i < 0 {
				return 0
			}
			return periods[i].Amount
		}
		ages := invoiceviews.Chart{Title: "Open by age, " + c.String(), Series: []string{"Open"}}
		for i, age := range invoice.Ages() {
			label := "Not due"
			if i > 0 {
				label = strconv.Itoa(invoice.Ages()[i-1]+1) + "–" + strconv.Itoa(age) + " days"
			}
			addBar(&ages, c, label, label, of("due", today.AddDays(-age)))
		}
		over := "Over " + strconv.Itoa(slices.Max(invoice.Ages())) + " days"
		addBar(&ages, c, over, over, of("due", date.Date{}))
		months := invoiceviews.Chart{
			Title: "Billed and paid by month, " + c.String(), Series: []string{"Billed, less credit notes", "Paid, less refunds"},
		}
		first, _ := today.Month()
		for back := invoice.Months - 1; back >= 0; back-- {
			month := first.AddMonths(-back)
			addBar(&months, c, month.Time().Format("Jan"), month.Time().Format("January 2006"), of("billed", month), of("paid", month))
		}
		all = append(all, invoiceviews.CurrencyCharts{Currency: c.String(), Ages: ages, Months: months})
	}
	return all
}

// addBar adds a bar of each series, with its name below it and in the table. Amounts are in minor units.
func addBar(chart *invoiceviews.Chart, c money.Currency, short, long string, amounts ...int64) {
	bars := invoiceviews.Bars{Short: short, Long: long}
	for _, amount := range amounts {
		bars.All = append(bars.All, invoiceviews.Bar{Text: web.AmountText(c, amount), Amount: amount})
	}
	chart.Places = append(chart.Places, bars)
}

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

// mountHome mounts the page with which people begin.
func (s *Pages) mountHome() { s.Home(homePath, "Home", s.home) }

// home shows what is open, what was paid, what needs doing, and what is new. Nothing is added across currencies.
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

// charts are the bars of each currency: what is open by its age, and what was paid by month.
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
		var ages, paid []bar
		for i, age := range invoice.Ages() {
			label := "Not due"
			if i > 0 {
				label = strconv.Itoa(invoice.Ages()[i-1]+1) + "–" + strconv.Itoa(age) + " days"
			}
			ages = append(ages, bar{label, label, of("due", today.AddDays(-age))})
		}
		over := "Over " + strconv.Itoa(slices.Max(invoice.Ages())) + " days"
		ages = append(ages, bar{over, over, of("due", date.Date{})})
		first, _ := today.Month()
		for back := invoice.PaidMonths - 1; back >= 0; back-- {
			month := first.AddMonths(-back)
			paid = append(paid, bar{month.Time().Format("Jan"), month.Time().Format("January 2006"), of("paid", month)})
		}
		all = append(all, invoiceviews.CurrencyCharts{
			Currency: c.String(), Ages: chart("Open by age, ", c, ages), Paid: chart("Paid by month, ", c, paid),
		})
	}
	return all
}

// bar is an amount of a chart, in minor units, with its name below the bar and in the table.
type bar struct {
	short, long string
	amount      int64
}

func chart(title string, c money.Currency, bars []bar) invoiceviews.Chart {
	chart := invoiceviews.Chart{Title: title + c.String()}
	largest := int64(1)
	for _, b := range bars {
		largest = max(largest, b.amount)
	}
	for _, b := range bars {
		chart.Bars = append(chart.Bars, invoiceviews.Bar{
			Short: b.short, Long: b.long, Amount: web.AmountText(c, b.amount),
			Percent: int(100 * float64(max(b.amount, 0)) / float64(largest)),
		})
	}
	return chart
}

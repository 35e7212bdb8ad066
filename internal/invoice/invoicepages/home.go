package invoicepages

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/excerpt"
	"onlyonce/internal/invoice/mail"
	"onlyonce/internal/people/settings"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
	"onlyonce/internal/web"
	"onlyonce/templates/invoiceviews"
)

// homePath is the path of the start page.
const homePath = "/home"

// shownAtHome is the number of invoices of each kind on the page.
const shownAtHome = 5

// home shows the open, billed and paid amounts, the invoices that need an action, and the newest ones. It never adds amounts in different
// currencies, and begins with the currency of the business.
func (s *Pages) home(w http.ResponseWriter, r *http.Request) error {
	tenant, today := web.Principal(r).Tenant, web.Principal(r).Today()
	sums, err := invoice.Standing(r.Context(), s.site.Pool, tenant, tenant, today)
	if err != nil {
		return err
	}
	periods, err := invoice.Periods(r.Context(), s.site.Pool, tenant, today)
	if err != nil {
		return err
	}
	is, err := settings.Of(r.Context(), s.site.Pool, tenant)
	if err != nil {
		return err
	}
	slices.SortStableFunc(sums, func(a, b invoice.Sum) int { return byCurrency(a.Currency, b.Currency, is.Currency) })
	view := invoiceviews.Home{
		NewHref: web.FormHref(r, "/invoices/new"), Standing: standing(sums, nil, today), Currencies: charts(periods, is.Currency, today),
	}
	for _, list := range []struct {
		rows   *[]invoiceviews.InvoiceRow
		filter invoice.Filter
	}{
		{&view.Overdue, invoice.Filter{Overdue: today, Sort: "due"}},
		{&view.Drafts, invoice.Filter{States: []string{invoice.StatusDraft}}},
		{&view.Recent, invoice.Filter{}},
	} {
		found, err := invoice.List(r.Context(), s.site.Pool, tenant, list.filter, record.Page{Limit: shownAtHome})
		if err != nil {
			return err
		}
		*list.rows = excerpt.Rows(found.Rows)
	}
	failures, err := mail.Failures(r.Context(), s.site.Pool, tenant, shownAtHome)
	if err != nil {
		return err
	}
	for _, f := range failures {
		view.FailedMails = append(view.FailedMails, invoiceviews.FailedMail{
			Href: s.Invoices.URL(f.Invoice), Number: f.Number, To: f.Recipient, Reason: f.Reason,
		})
	}
	return s.site.Render(w, r, http.StatusOK, invoiceviews.HomePage(s.site.Page(w, r), view))
}

// byCurrency compares currencies by their codes. The currency first is less than any other.
func byCurrency(a, b, first money.Currency) int {
	switch {
	case a == b:
		return 0
	case a == first:
		return -1
	case b == first:
		return 1
	default:
		return strings.Compare(a.String(), b.String())
	}
}

// charts returns the charts for each currency: open amounts by age, and billed and paid amounts by month.
func charts(periods []invoice.Period, main money.Currency, today date.Date) (all []invoiceviews.CurrencyCharts) {
	var currencies []money.Currency
	for _, p := range periods {
		if !slices.Contains(currencies, p.Currency) {
			currencies = append(currencies, p.Currency)
		}
	}
	slices.SortFunc(currencies, func(a, b money.Currency) int { return byCurrency(a, b, main) })
	for _, c := range currencies {
		of := func(kind string, from date.Date) (none decimal.Decimal) {
			i := slices.IndexFunc(periods, func(p invoice.Period) bool {
				return p.Kind == kind && p.Currency == c && p.From.String() == from.String()
			})
			if i < 0 {
				return none
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
		addBar(&ages, c, strings.TrimSuffix(over, " days"), over, of("due", date.Date{}))
		months := invoiceviews.Chart{
			Title:  "Billed and paid by month, " + c.String(),
			Series: []string{"Billed, less credited or voided in the month", "Paid, less refunds"},
		}
		first, _ := today.Month()
		for back := invoice.Months - 1; back >= 0; back-- {
			month := first.AddMonths(-back)
			addBar(&months, c, month.Time().Format("Jan"), month.Time().Format("January 2006"), of("billed", month), of("paid", month))
		}
		ages.Ticks, months.Ticks = ticks(c, ages), ticks(c, months)
		all = append(all, invoiceviews.CurrencyCharts{Currency: c.String(), Ages: ages, Months: months})
	}
	return all
}

// addBar adds a bar for each series, with its name below it and in the table. Amounts are in minor units. A bar is at most [money.Max]
// high, which a sum may exceed.
func addBar(chart *invoiceviews.Chart, c money.Currency, short, long string, amounts ...decimal.Decimal) {
	bars := invoiceviews.Bars{Short: short, Long: long}
	for _, amount := range amounts {
		drawn := max(min(amount.InexactFloat64(), money.Max), -money.Max)
		bars.All = append(bars.All, invoiceviews.Bar{
			Text: web.SumText(c, amount), Short: shortAmount(c, amount), Amount: int64(drawn),
		})
	}
	chart.Places = append(chart.Places, bars)
}

// ticks returns a few round amounts, including 0, between which all bars of a chart are.
func ticks(c money.Currency, chart invoiceviews.Chart) (all []invoiceviews.Tick) {
	least, largest, step := int64(0), int64(1), int64(1)
	for _, at := range chart.Places {
		for _, b := range at.All {
			least, largest = min(least, b.Amount), max(largest, b.Amount)
		}
	}
	for i := 0; largest/step-least/step > 3; i++ { // 1, 2, 5, 10, 20, 50 and so on
		if i%3 == 1 {
			step = step / 2 * 5
		} else {
			step *= 2
		}
	}
	at := least / step * step
	if at > least {
		at -= step
	}
	for ; at < largest; at += step {
		all = append(all, invoiceviews.Tick{Amount: at, Text: shortAmount(c, decimal.NewFromInt(at))})
	}
	return append(all, invoiceviews.Tick{Amount: at, Text: shortAmount(c, decimal.NewFromInt(at))})
}

// shortAmount returns minor units in few characters, such as "1.2k" or "737.80".
func shortAmount(c money.Currency, minor decimal.Decimal) string {
	amount := minor.Shift(-c.Decimals())
	for _, unit := range []struct {
		name   string
		digits int32
	}{{"T", 12}, {"B", 9}, {"M", 6}, {"k", 3}} {
		if amount.Abs().GreaterThanOrEqual(decimal.New(1, unit.digits)) {
			return amount.Shift(-unit.digits).Round(1).String() + unit.name
		}
	}
	if amount.IsInteger() {
		return amount.String()
	}
	return amount.StringFixed(c.Decimals())
}

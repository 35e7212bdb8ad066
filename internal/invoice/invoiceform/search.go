package invoiceform

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// Below is the search of a list of records that belong to invoices or customers.
type Below[L web.Entity] struct {
	Pool  *pgxpool.Pool
	Many  string // "credit notes"
	Dated string // the participle for their day, such as "paid"
	// Placeholder names the searched fields on the page, and Searched in the API, in a sentence that begins with "Only those".
	Placeholder, Searched string
	List                  func(context.Context, *pgxpool.Pool, uuid.UUID, invoice.BelowFilter, record.Page) (record.List[L], error)
	SumUp                 func(context.Context, *pgxpool.Pool, uuid.UUID, invoice.BelowFilter) (sums []invoice.Sum, known bool, err error)
	// Sums has the kinds and the labels of the sums, and the paths of other lists with the same filters.
	Sums []invoiceviews.Standing
}

// Search fills in the search, the filters and the sums of a list.
func (b Below[L]) Search(l web.Listing[L]) web.Listing[L] {
	l.Query, l.Read, l.Finder = []web.Parameter{
		{Name: "q", Meaning: "Only those " + b.Searched + ". Every word must match. An amount finds those with this amount."},
		{Name: "from", Meaning: "Only those " + b.Dated + " on this day or later.", Format: "date"},
		{Name: "to", Meaning: "Only those " + b.Dated + " on this day or before.", Format: "date"},
		{Name: "currency", Meaning: "Only those in this currency."},
	}, b.read, b.finder
	return l
}

// read reads a page. It may return an [*invalid.Error].
func (b Below[L]) read(r *http.Request, page record.Page) (record.List[L], error) {
	f, err := belowFilter(r)
	if err != nil {
		return record.List[L]{}, err
	}
	return b.List(r.Context(), b.Pool, web.Principal(r).Tenant, f, page)
}

// belowFilter parses the filter of a request. It may return an [*invalid.Error].
func belowFilter(r *http.Request) (f invoice.BelowFilter, err error) {
	query := r.URL.Query()
	var problems invalid.Error
	for _, name := range []string{"from", "to", "currency"} {
		if len(query[name]) > 1 {
			problems.Add("/"+name, "Give "+name+" once.")
		}
	}
	f.Search, f.Customer = web.SearchOf(query, &problems), web.FilterID(r, "customer_id")
	f.From, f.To = DaysOf(query, "from", "to", &problems)
	if code := query.Get("currency"); code != "" {
		if err := f.Currency.UnmarshalText([]byte(code)); err != nil {
			problems.Add("/currency", "Choose one of the currencies.")
		}
	}
	return f, problems.Err()
}

// finder returns the search and the filters of the page, with the sums of a filter.
func (b Below[L]) finder(r *http.Request) (templates.Finder, error) {
	query, path := r.URL.Query(), r.URL.Path
	since, err := date.Parse(query.Get("from"))
	if err != nil {
		since = date.Today()
	}
	finder := templates.Finder{
		Href: path, Many: b.Many, Search: query.Get("q"), Placeholder: b.Placeholder, Dated: web.Capital(b.Dated),
		From: query.Get("from"), To: query.Get("to"),
		Choices: []templates.FinderChoice{{
			Name: "currency", Label: "Currency", Value: query.Get("currency"),
			Options: append([]templates.Option{{Text: "All"}}, web.Options(codesOf(since, query.Get("currency")))...),
		}},
	}
	var said []string
	if finder.Search != "" {
		said = append(said, "“"+web.Beginning(finder.Search)+"”")
	}
	for _, bound := range []struct{ name, text string }{{"from", " from "}, {"to", " until "}} {
		if day, err := date.Parse(query.Get(bound.name)); err == nil {
			said = append(said, b.Dated+bound.text+day.Display())
		}
	}
	if code := query.Get("currency"); code != "" {
		said = append(said, "in "+code)
	}
	if finder.Said = strings.Join(said, ", "); finder.Said != "" {
		finder.ClearHref = path
	}
	f, err := belowFilter(r)
	if err != nil || f == (invoice.BelowFilter{}) {
		return finder, nil //nolint:nilerr // the page has the problems
	}
	sums, known, err := b.SumUp(r.Context(), b.Pool, web.Principal(r).Tenant, f)
	shown := slices.DeleteFunc(FillIn(slices.Clone(b.Sums), sums), func(s invoiceviews.Standing) bool {
		return len(s.Amounts) == 0
	})
	for i, s := range shown {
		if s.Href != "" {
			shown[i].Href = web.ListURL(s.Href, query, "", "")
		}
	}
	finder.Above = invoiceviews.Sums(b.Many, shown, !known)
	return finder, err
}

// FillIn adds the amounts of sums to the views of their kinds. It adds the counts if all amounts have one.
func FillIn(all []invoiceviews.Standing, sums []invoice.Sum) []invoiceviews.Standing {
	for i := range all {
		count := 0
		for _, sum := range sums {
			if sum.Kind != all[i].Kind {
				continue
			}
			all[i].Amounts = append(all[i].Amounts, web.SumText(sum.Currency, sum.Amount))
			count += sum.Count
		}
		if count > 0 || len(all[i].Amounts) == 0 {
			all[i].Count = money.Grouped(strconv.Itoa(count))
		}
	}
	return all
}

// DaysOf parses the first and last day of a range, both optional.
func DaysOf(query url.Values, first, last string, problems *invalid.Error) (from, to date.Date) {
	from, to = dayOf(query, first, problems), dayOf(query, last, problems)
	if (from != date.Date{}) && (to != date.Date{}) && to.Before(from) {
		problems.Add("/"+last, "The last day must not be before the first day.")
	}
	return from, to
}

// maxDays is the maximum length of a period.
const maxDays = 366

// PeriodOf parses the days of a period, from and to, or returns the default days without them.
func PeriodOf(query url.Values, first, last date.Date, problems *invalid.Error) (from, to date.Date) {
	typed := len(problems.Fields)
	from, to = DaysOf(query, "from", "to", problems)
	switch none := (date.Date{}); {
	case len(problems.Fields) > typed:
	case from == none && to == none:
		return first, last
	case from == none:
		problems.Add("/from", "Enter the first day too.")
	case to == none:
		problems.Add("/to", "Enter the last day too.")
	case from.DaysUntil(to) >= maxDays:
		problems.Add("/to", "A period has at most 366 days.")
	}
	return from, to
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

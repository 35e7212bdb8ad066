package invoiceform

import (
	"context"
	"net/http"
	"net/url"
	"slices"
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
)

// BelowFilters returns the API's filters for records of invoices. dated is the participle for their day, such as "paid".
func BelowFilters(dated string) []web.Parameter {
	return []web.Parameter{
		{Name: "q", Meaning: "Only those of invoices whose number, lines, or customer's name, email, tax ID, contact or reference have " +
			"words that begin with these. Every word must match."},
		{Name: "from", Meaning: "Only those " + dated + " on this day or later.", Format: "date"},
		{Name: "to", Meaning: "Only those " + dated + " on this day or before.", Format: "date"},
		{Name: "currency", Meaning: "Only those in this currency."},
	}
}

// ReadBelow reads a page of records of all invoices. It may return an [*invalid.Error].
func ReadBelow[L any](
	pool *pgxpool.Pool,
	list func(context.Context, *pgxpool.Pool, uuid.UUID, invoice.BelowFilter, record.Page) (record.List[L], error),
) func(*http.Request, record.Page) (record.List[L], error) {
	return func(r *http.Request, page record.Page) (record.List[L], error) {
		query := r.URL.Query()
		var problems invalid.Error
		for _, name := range []string{"from", "to", "currency"} {
			if len(query[name]) > 1 {
				problems.Add("/"+name, "Give "+name+" once.")
			}
		}
		f := invoice.BelowFilter{Search: web.SearchOf(query, &problems)}
		f.From, f.To = DaysOf(query, "from", "to", &problems)
		if code := query.Get("currency"); code != "" {
			if err := f.Currency.UnmarshalText([]byte(code)); err != nil {
				problems.Add("/currency", "Choose one of the currencies.")
			}
		}
		if err := problems.Err(); err != nil {
			return record.List[L]{}, err
		}
		return list(r.Context(), pool, web.Principal(r).Tenant, f, page)
	}
}

// BelowFinder returns the search and the filters of a list of records of all invoices. dated is the participle for their day.
func BelowFinder(many, dated string) func(*http.Request) (templates.Finder, error) {
	return func(r *http.Request) (templates.Finder, error) {
		query, path := r.URL.Query(), r.URL.Path
		finder := templates.Finder{
			Href: path, Many: many, Search: query.Get("q"), Placeholder: "Invoice number or customer", Dated: web.Capital(dated),
			From: query.Get("from"), To: query.Get("to"),
			Choices: []templates.FinderChoice{{
				Name: "currency", Label: "Currency", Value: query.Get("currency"),
				Options: slices.Concat([]templates.Option{{Text: "All"}}, web.CurrencyCodes(), web.Options(money.Withdrawn())),
			}},
		}
		var said []string
		if finder.Search != "" {
			said = append(said, "“"+web.Beginning(finder.Search)+"”")
		}
		for _, bound := range []struct{ name, text string }{{"from", " from "}, {"to", " until "}} {
			if day, err := date.Parse(query.Get(bound.name)); err == nil {
				said = append(said, dated+bound.text+day.Display())
			}
		}
		if code := query.Get("currency"); code != "" {
			said = append(said, "in "+code)
		}
		if finder.Said = strings.Join(said, ", "); finder.Said != "" {
			finder.ClearHref = path
		}
		return finder, nil
	}
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

package web

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"onlyonce/internal/date"
	"onlyonce/internal/money"
	"onlyonce/internal/record"
	"onlyonce/templates"
)

// options are values to choose from, as people read them.
func options(values []string) []templates.Option {
	var all []templates.Option
	for _, value := range values {
		all = append(all, templates.Option{Value: value, Text: optionText(value)})
	}
	return all
}

// optionText is how people read a value that is chosen: "Bank transfer" for bank_transfer.
func optionText(value string) string {
	if value == "" {
		return ""
	}
	return capital(strings.ReplaceAll(value, "_", " "))
}

// orNone lets nothing be chosen too, which is what a form begins with.
func orNone(all []templates.Option) []templates.Option { return append([]templates.Option{{}}, all...) }

// yesNo is how people read a field that is true or false.
func yesNo(is bool) string {
	if is {
		return "Yes"
	}
	return "No"
}

// currencyCodes are all currencies to choose from.
func currencyCodes() []templates.Option {
	var codes []templates.Option
	for _, code := range money.Currencies() {
		codes = append(codes, templates.Option{Value: code, Text: code})
	}
	return codes
}

// amountText is an amount as the API shows it; "" without a currency.
func amountText(c money.Currency, amount int64) string {
	if c == (money.Currency{}) {
		return ""
	}
	return c.Format(amount)
}

// knownFacts leaves out those that have no value.
func knownFacts(all ...templates.Fact) []templates.Fact {
	return slices.DeleteFunc(all, func(f templates.Fact) bool { return f.Value == "" })
}

// dayText shows a day to people; "" for none.
func dayText(d date.Date) string {
	if d == (date.Date{}) {
		return ""
	}
	return day(d.Time())
}

// offered is how many records a form offers to choose from.
const offered = 200

// toChoose are the records that a form offers: the newest that are not archived, and the one that is chosen already.
func toChoose[R entity](r *http.Request, s *Server, table record.Table[R], chosen string) ([]R, error) {
	tenant := principal(r).Tenant
	found, err := table.List(r.Context(), s.pool, tenant, record.Page{Limit: offered}, `r.archived_at IS NULL`, nil)
	if err != nil {
		return nil, err
	}
	id, _ := uuid.Parse(chosen) // what is no id is nothing
	if id == uuid.Nil || slices.ContainsFunc(found.Rows, func(each R) bool { other, _ := each.Identity(); return other == id }) {
		return found.Rows, nil
	}
	one, err := table.Find(r.Context(), s.pool, tenant, id)
	if errors.Is(err, record.ErrNotFound) {
		return found.Rows, nil
	}
	return append(found.Rows, one), err
}

// namedOptions are records to choose from, by their names.
func namedOptions[R entity](
	r *http.Request, s *Server, table record.Table[R], name func(R) string, chosen string,
) ([]templates.Option, error) {
	records, err := toChoose(r, s, table, chosen)
	if err != nil {
		return nil, err
	}
	var all []templates.Option
	for _, each := range records {
		id, _ := each.Identity()
		all = append(all, templates.Option{Value: id.String(), Text: name(each)})
	}
	return all, nil
}

// nameOf is the name of a record; its id if there is none.
func nameOf[R entity](r *http.Request, s *Server, table record.Table[R], name func(R) string, id string) string {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return id
	}
	found, err := table.Find(r.Context(), s.pool, principal(r).Tenant, parsed)
	if err != nil {
		return id
	}
	return name(found)
}

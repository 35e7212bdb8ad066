package invoice

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
	"onlyonce/internal/value/money"
	"onlyonce/internal/value/typed"
)

// byTotal moves the first amount of the search to the totals of the filter, such as 1,234.50 or 1234.50, if an invoice has this total.
// Otherwise the amount is searched for as words.
func (f Filter) byTotal(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID) (Filter, error) {
	amount, rest := amountIn(f.Search)
	if amount == "" {
		return f, nil
	}
	totals := ranks(amount)
	found, err := record.One(ctx, pool, tenant, pgx.RowTo[bool], `SELECT EXISTS (`+withTotal+`)`,
		pgx.NamedArgs{"states": states(), "totals": totals})
	if found {
		f.totals, f.Search = totals, rest
	}
	return f, err
}

// amountIn returns the first amount of a search as a plain decimal, and the other words; "" if it has none.
func amountIn(search string) (found, rest string) {
	words := strings.Fields(search)
	if amount(search) != "" {
		words = []string{search} // it may have spaces
	}
	at := slices.IndexFunc(words, func(word string) bool { return amount(word) != "" })
	if at < 0 {
		return "", search
	}
	return amount(words[at]), strings.Join(slices.Delete(words, at, at+1), " ")
}

// withTotal selects the ids of the invoices with one of some totals.
const withTotal = `
	SELECT r.id FROM unnest(@states::text[]) AS each (state), unnest(@totals::text[]) AS wanted (total), LATERAL (
		SELECT i.id FROM invoices i
		WHERE i.tenant_id = @tenant_id AND i.state = each.state AND i.total_rank = wanted.total LIMIT ` + record.MaxRows + `) AS r`

// amount returns a typed amount as a plain decimal, or "" for a word that isn't one: it has decimals, or groups of digits.
func amount(word string) string {
	if grouped.MatchString(word) {
		return separators.ReplaceAllString(word, "")
	}
	plain, ambiguous := typed.Number(word, 2)
	if ambiguous || !decimals.MatchString(plain) || plain == word && !strings.Contains(word, ".") {
		return ""
	}
	return plain
}

var (
	grouped    = regexp.MustCompile(`^\d{1,3}([,.]\d{3}){1,3}$`)
	separators = regexp.MustCompile(`[,.]`)
	decimals   = regexp.MustCompile(`^\d{1,12}(\.\d{1,4})?$`)
)

// wholeTotals returns the totals of a search for an amount such as 1234, or nil for another search. They are searched for only if nothing
// has the number as a word.
func wholeTotals(search string) []string {
	if !digits.MatchString(search) {
		return nil
	}
	return ranks(search)
}

var digits = regexp.MustCompile(`^\d{1,12}$`)

// ranks returns an amount in each currency as the column total_rank has it.
func ranks(amount string) (all []string) {
	currencies, amounts := minorUnits(amount)
	for i, code := range currencies {
		all = append(all, fmt.Sprintf("%s%019d", code, math.MaxInt64-amounts[i]))
	}
	return all
}

// minorUnits returns an amount in the minor units of each currency that has as many decimals.
func minorUnits(amount string) (currencies []string, amounts []int64) {
	for _, code := range slices.Concat(money.Currencies(), money.Withdrawn()) {
		c, _ := money.ParseCurrency(code)
		if minor, err := c.Parse(amount); err == nil {
			currencies, amounts = append(currencies, code), append(amounts, minor)
		}
	}
	return currencies, amounts
}

package invoice

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"onlyonce/internal/record"
	"onlyonce/internal/record/search"
	"onlyonce/internal/value/money"
)

// maxSummed is the maximum number of records that [FilterSums] and [SumBelow] add up.
const maxSummed = 1000

// FilterSums returns the totals and the open amounts of the invoices that a filter selects, as sums of the kinds "total" and "open" by
// currency, and as "draft" the part of the totals of drafts. Void invoices are left out, unless the filter selects them only. known is
// false if more invoices are selected, or have to be read to find them, than can be summed at once.
func FilterSums(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, f Filter) (sums []Sum, known bool, err error) {
	f.Sort = ""
	if f.Search != "" || f.Customer != uuid.Nil {
		f.Sort = "due" // the matches aren't in this order, so they are read together, up to a limit
	}
	list, err := listOf[summed](ctx, pool, tenant, f, `json_build_object('currency', r.currency, 'amounts',
		CASE WHEN r.state <> 'void' OR @states::text[] = '{void}' THEN
			json_strip_nulls(json_build_object('total', r.total, 'open', NULLIF(`+openAmount+`, 0),
				'draft', CASE WHEN r.state = 'draft' THEN r.total END)) END)`, record.Page{Limit: maxSummed})
	if errors.Is(err, search.ErrTooMany) {
		return nil, false, nil
	}
	return addUp(list.Rows), list.After == record.Key{}, err
}

// summed has the amounts of a record in minor units, by kind.
type summed struct {
	Currency money.Currency   `json:"currency"`
	Amounts  map[string]int64 `json:"amounts"`
}

// addUp returns the sums of amounts by kind and currency.
func addUp(rows []summed) (sums []Sum) {
	for _, row := range rows {
		for kind, amount := range row.Amounts {
			i := slices.IndexFunc(sums, func(s Sum) bool { return s.Kind == kind && s.Currency == row.Currency })
			if i < 0 {
				i = len(sums)
				sums = append(sums, Sum{Kind: kind, Currency: row.Currency})
			}
			sums[i].Amount, sums[i].Count = sums[i].Amount.Add(decimal.NewFromInt(amount)), sums[i].Count+1
		}
	}
	slices.SortFunc(sums, func(a, b Sum) int { return cmp.Compare(a.Kind+a.Currency.String(), b.Kind+b.Currency.String()) })
	return sums
}

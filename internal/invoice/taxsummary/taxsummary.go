// Package taxsummary sums the tax of the invoices and credit notes of a period. The database enters the tax of each document by rate
// and treatment when it is issued or voided: see migrations/00165_invoice_taxes.sql.
package taxsummary

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// Sum is the tax of a rate and treatment in a currency.
type Sum struct {
	Currency  money.Currency
	Rate      decimal.Decimal // percent
	Treatment invoice.Treatment
	// Invoices have their issue date in the period, and were not voided in it.
	Invoices Amounts
	// Credited and Voided are subtracted: the credit notes of the period, and the invoices issued before the period and voided in it.
	Credited, Voided Amounts
}

// Amounts are sums of documents, in minor units. They may exceed an int64.
type Amounts struct {
	Net, Tax  decimal.Decimal
	documents int
}

// Gross returns the net amount with the tax.
func (a Amounts) Gross() decimal.Decimal { return a.Net.Add(a.Tax) }

// Result returns the amounts of the invoices less Credited and Voided. They may be negative.
func (s Sum) Result() Amounts {
	return s.Invoices.less(s.Credited).less(s.Voided)
}

// Of returns the sums of the days from the first to the last, by currency, rate and treatment. An invoice or credit note counts with the
// amounts that it states for them. It reads an index entry for each rate and treatment of each document of the period.
func Of(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, first, last date.Date) (sums []Sum, err error) {
	entered, err := record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[entries], `
		SELECT currency, tax_rate::text, treatment, kind, billed_on < @first::date, sum(net), sum(tax), count(*) FROM invoice_taxes
		WHERE tenant_id = @tenant_id AND day >= @first::date AND day <= @last::date
		GROUP BY 1, invoice_taxes.tax_rate, 3, 4, 5 ORDER BY currency COLLATE "C", invoice_taxes.tax_rate, treatment`,
		pgx.NamedArgs{"first": first.Time(), "last": last.Time()})
	for _, e := range entered {
		if last := len(sums) - 1; last < 0 || sums[last].Currency != e.Currency || !sums[last].Rate.Equal(e.Rate) ||
			sums[last].Treatment != e.Treatment {
			sums = append(sums, Sum{Currency: e.Currency, Rate: e.Rate, Treatment: e.Treatment})
		}
		of, amounts := &sums[len(sums)-1], Amounts{e.Net, e.Tax, e.Documents}
		switch {
		case e.Kind == "credit":
			of.Credited = of.Credited.plus(amounts)
		case e.Kind == "void" && e.Before:
			of.Voided = of.Voided.plus(amounts)
		case e.Kind == "void":
			of.Invoices = of.Invoices.less(amounts)
		default:
			of.Invoices = of.Invoices.plus(amounts)
		}
	}
	return slices.DeleteFunc(sums, func(s Sum) bool { return s.Invoices.documents+s.Credited.documents+s.Voided.documents == 0 }), err
}

// entries are the entries of a kind with one rate and treatment.
type entries struct {
	Currency  money.Currency
	Rate      decimal.Decimal
	Treatment invoice.Treatment
	Kind      string // "invoice", "void" or "credit"
	Before    bool   // whether their invoices were issued before the period
	Net, Tax  decimal.Decimal
	Documents int
}

func (a Amounts) plus(b Amounts) Amounts {
	return Amounts{a.Net.Add(b.Net), a.Tax.Add(b.Tax), a.documents + b.documents}
}

func (a Amounts) less(b Amounts) Amounts {
	return Amounts{a.Net.Sub(b.Net), a.Tax.Sub(b.Tax), a.documents - b.documents}
}

// Totals returns the sums of each currency, without a rate and a treatment.
func Totals(sums []Sum) (totals []Sum) {
	for _, s := range sums {
		if len(totals) == 0 || totals[len(totals)-1].Currency != s.Currency {
			totals = append(totals, Sum{Currency: s.Currency})
		}
		t := &totals[len(totals)-1]
		t.Invoices, t.Credited, t.Voided = t.Invoices.plus(s.Invoices), t.Credited.plus(s.Credited), t.Voided.plus(s.Voided)
	}
	return totals
}

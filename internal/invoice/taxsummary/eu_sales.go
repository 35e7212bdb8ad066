package taxsummary

import (
	"cmp"
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
	"onlyonce/internal/value/party"
)

// EUSale is a row of the EU sales list: the supplies without VAT to a customer in another country of the EU, by treatment and currency.
type EUSale struct {
	Country   string // the prefix of the VAT number, or the code of the customer's country; "" if both are unknown
	VATNumber string // "" if the invoices have none
	Customer  string // a name on the invoices
	Treatment invoice.Treatment
	Currency  money.Currency
	Net       decimal.Decimal // minor units; below 0 if more was credited or voided than supplied
}

// Goods reports whether goods were supplied, and not services.
func (s EUSale) Goods() bool { return s.Treatment == invoice.IntraCommunity }

// EUSales returns the EU sales list of the days from the first to the last, by country and VAT number, and the supplies of goods with
// [invoice.IntraCommunity] that it can't have, to customers at home or outside of the EU. The parties are those on the invoices, and
// documents count as in [Of]. It reads two index entries for each supply of the period.
func EUSales(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, first, last date.Date) (sales, mistaken []EUSale, err error) {
	found, err := record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[supplied], `
		SELECT COALESCE(i.seller->>'country', ''), COALESCE(i.bill_to->>'country', ''), COALESCE(i.bill_to->>'tax_id', ''),
			i.bill_to->>'name', t.treatment, t.currency, sum(CASE t.kind WHEN 'invoice' THEN t.net ELSE -t.net END)
		FROM invoice_taxes t JOIN invoices i ON i.tenant_id = t.tenant_id AND i.id = t.invoice_id
		WHERE t.tenant_id = @tenant_id AND t.day >= @first::date AND t.day <= @last::date
			AND t.treatment IN ('intra_community', 'reverse_charge')
		GROUP BY 1, 2, 3, 4, t.treatment, t.currency`,
		pgx.NamedArgs{"first": first.Time(), "last": last.Time()})
	for _, f := range found {
		if sale, is := f.sale(); is {
			sales = append(sales, sale)
		} else if sale.Goods() {
			sale.VATNumber = "" // each customer is named
			mistaken = append(mistaken, sale)
		}
	}
	return summed(sales), summed(mistaken), err
}

// summed sorts sales and adds up those with the same VAT number, treatment and currency. It leaves out sums of 0.
func summed(sales []EUSale) []EUSale {
	slices.SortFunc(sales, func(a, b EUSale) int {
		return cmp.Or(cmp.Compare(a.Country, b.Country), cmp.Compare(a.VATNumber, b.VATNumber), a.by(b),
			cmp.Compare(a.Customer, b.Customer))
	})
	sums := sales[:0]
	for _, s := range sales {
		if last := len(sums) - 1; last >= 0 && s.VATNumber != "" && s.VATNumber == sums[last].VATNumber && s.by(sums[last]) == 0 {
			sums[last].Net = sums[last].Net.Add(s.Net)
			continue
		}
		sums = append(sums, s)
	}
	return slices.DeleteFunc(sums, func(s EUSale) bool { return s.Net.IsZero() })
}

// by compares the treatments and the currencies of sales.
func (s EUSale) by(other EUSale) int {
	return cmp.Or(cmp.Compare(s.Treatment, other.Treatment), cmp.Compare(s.Currency.String(), other.Currency.String()))
}

// supplied is the sum of the supplies to a customer with a treatment and a tax ID.
type supplied struct {
	From, To, TaxID, Customer string // countries, or "" for unknown ones; the customer's tax ID and name
	Treatment                 invoice.Treatment
	Currency                  money.Currency
	Net                       decimal.Decimal
}

// sale returns the row of the supplies, and reports whether an EU sales list has it. A reverse charge is also billed at home and outside of
// the EU. Northern Ireland counts as a member for goods.
func (s supplied) sale() (EUSale, bool) {
	sale := EUSale{Country: s.To, Customer: s.Customer, Treatment: s.Treatment, Currency: s.Currency, Net: s.Net}
	at := party.VATPlace(s.To, s.TaxID)
	if number, is := party.VATNumber(s.TaxID); is {
		sale.Country, sale.VATNumber = number[:2], number
	}
	return sale, at == "" || at != s.From && (party.InEU(at) || sale.Goods() && at == "XI")
}

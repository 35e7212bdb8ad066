package taxsummary_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/taxsummary"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/value/date"
	"onlyonce/migrations"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type bundle struct{ *invoicetest.Bundle }

func setup(t *testing.T) *bundle {
	t.Helper()
	return &bundle{invoicetest.Setup(t)}
}

// draft creates an invoice that is issued on a day.
func (b *bundle) draft(key, currency string, day date.Date, lines ...invoice.LineInput) invoice.Invoice {
	b.Helper()
	d, err := invoice.Input{
		Customer:  &customer.Input{Email: "ada@example.com", Name: "Ada Lovelace"},
		IssueDate: day.String(), Currency: currency, Lines: lines,
	}.Draft()
	must.OK(b, err)
	made, err := invoice.Create.Do(b.Context(), b.Store, b.Intent(key), d)
	must.OK(b, err)
	return made.Value
}

func (b *bundle) issued(key, currency string, day date.Date, lines ...invoice.LineInput) invoice.Invoice {
	b.Helper()
	of := b.Of(key, b.draft(key, currency, day, lines...).ID, 0)
	done, err := invoice.Issue.Do(b.Context(), b.Store, of, invoice.IssueDraft{NoEmail: true})
	must.OK(b, err)
	return done.Value
}

// sums returns the summary in few characters, such as "EUR 23%: 100+23 -50-12 -0-0": net and tax of the invoices, less those that are
// credited and voided, in minor units.
func (b *bundle) sums(first, last date.Date) []string {
	b.Helper()
	found, err := taxsummary.Of(b.Context(), b.Store.Pool, b.Tenant, first, last)
	must.OK(b, err)
	texts := []string{}
	for _, s := range found {
		texts = append(texts, fmt.Sprintf("%s %s%%: %s+%s -%s-%s -%s-%s", s.Currency, s.Rate, s.Invoices.Net, s.Invoices.Tax,
			s.Credited.Net, s.Credited.Tax, s.Voided.Net, s.Voided.Tax))
	}
	return texts
}

func line(quantity, price, rate string) invoice.LineInput {
	return invoice.LineInput{Description: "Design", Quantity: quantity, UnitPrice: price, TaxRate: rate}
}

// TestSumsAreThoseOfTheDocuments compares the sums with what each invoice and credit note states, for rates with decimals, lines with a
// reverse charge, and currencies with no and with three decimals.
func TestSumsAreThoseOfTheDocuments(t *testing.T) {
	b := setup(t)
	random := rand.New(rand.NewPCG(1, 2))
	first, last := date.Today().Month()
	type sum struct{ net, tax int64 }
	invoices, credited := map[string]sum{}, map[string]sum{}
	add := func(to map[string]sum, currency string, rate decimal.Decimal, noTax invoice.Treatment, net, tax int64) {
		key := currency + " " + rate.String() + " " + string(noTax.At(rate))
		to[key] = sum{to[key].net + net, to[key].tax + tax}
	}
	prices := map[string]string{"EUR": "0.0%d", "JPY": "%d", "KWD": "0.00%d"}
	rates := []string{"0", "2.125", "5.5", "7.70", "7.7", "23"}
	for n := range 40 {
		currency := []string{"EUR", "JPY", "KWD"}[n%3]
		var lines []invoice.LineInput
		for range 1 + random.IntN(6) {
			lines = append(lines, line(fmt.Sprintf("%d.%d", 1+random.IntN(30), random.IntN(10)),
				fmt.Sprintf(prices[currency], 1+random.IntN(9)), rates[random.IntN(len(rates))]))
			if last := &lines[len(lines)-1]; last.TaxRate == "0" && random.IntN(2) == 0 {
				last.Treatment = "reverse_charge"
			}
		}
		inv := b.issued(fmt.Sprint(n), currency, first, lines...)
		totals, err := invoice.TotalsOf(inv.Lines)
		must.OK(t, err)
		for _, g := range totals.Groups {
			add(invoices, currency, g.Rate, g.NoTax, g.Net, g.Tax)
		}
		if n%4 != 0 || inv.Total == 0 {
			continue
		}
		d, err := credit.Input{Lines: []credit.LineInput{{Position: 1, Quantity: "0.7"}}}.Draft(inv)
		must.OK(t, err)
		note, err := credit.Create.Do(t.Context(), b.Store, b.Intent(fmt.Sprint("credit", n)), d)
		must.OK(t, err)
		for _, g := range note.Value.Taxes {
			add(credited, currency, g.Rate, g.NoTax, g.Net, g.Tax)
		}
	}
	found, err := taxsummary.Of(t.Context(), b.Store.Pool, b.Tenant, first, last)
	must.OK(t, err)
	assert.Thatf(t, len(found) == len(invoices) && len(found) >= 12 && len(credited) >= 3,
		"%d sums, want %d; %d of credit notes", len(found), len(invoices), len(credited))
	for _, s := range found {
		key := s.Currency.String() + " " + s.Rate.String() + " " + string(s.Treatment)
		got := []sum{{s.Invoices.Net.IntPart(), s.Invoices.Tax.IntPart()}, {s.Credited.Net.IntPart(), s.Credited.Tax.IntPart()}}
		if want := []sum{invoices[key], credited[key]}; !reflect.DeepEqual(got, want) || !s.Voided.Gross().IsZero() {
			t.Errorf("%s: %v, want %v", key, got, want)
		}
		if want := invoices[key].net + invoices[key].tax - credited[key].net - credited[key].tax; s.Result().Gross().IntPart() != want {
			t.Errorf("%s: %v, want %d", key, s.Result(), want)
		}
	}
}

// TestVoidsCountOnTheirDay checks that an invoice that is voided later stays in the period of its issue, so that what was filed doesn't
// change, and is subtracted on the day of the void.
func TestVoidsCountOnTheirDay(t *testing.T) {
	b := setup(t)
	today := date.Today()
	first, last := today.Month()
	before, dayBefore := first.AddMonths(-1), first.AddDays(-1)
	b.issued("kept", "EUR", dayBefore, line("1", "10.00", "23"))
	must.OK(t, b.Void("later", b.issued("later", "EUR", before, line("1", "1.00", "23"), line("1", "2.00", "5"))))
	must.OK(t, b.Void("same", b.issued("same", "EUR", first, line("1", "4.00", "9"))))
	must.OK(t, b.Void("ahead", b.issued("ahead", "EUR", last.AddDays(1), line("1", "4.00", "9"))))
	must.OK(t, b.Void("draft", b.draft("draft", "EUR", first, line("1", "4.00", "9"))))
	b.draft("open", "EUR", first, line("1", "4.00", "9"))
	for _, c := range []struct {
		first, last date.Date
		want        []string
	}{
		{before, dayBefore, []string{"EUR 5%: 200+10 -0-0 -0-0", "EUR 23%: 1100+253 -0-0 -0-0"}},
		{first, last, []string{"EUR 5%: 0+0 -0-0 -200-10", "EUR 23%: 0+0 -0-0 -100-23"}},
		{before, last, []string{"EUR 23%: 1000+230 -0-0 -0-0"}},
		{before.AddDays(1), dayBefore.AddDays(-1), []string{}},
		{last.AddDays(1), last.AddDays(1), []string{}},
	} {
		got := b.sums(c.first, c.last)
		assert.Thatf(t, reflect.DeepEqual(got, c.want), "from %s to %s: %q, want %q", c.first, c.last, got, c.want)
	}
	found, err := taxsummary.Of(t.Context(), b.Store.Pool, b.Tenant, first, last)
	must.OK(t, err)
	totals := taxsummary.Totals(found)
	assert.Thatf(t, len(totals) == 1 && totals[0].Result().Gross().IntPart() == -333 && totals[0].Voided.Net.IntPart() == 300, "%v", totals)
	periods, err := invoice.Periods(t.Context(), b.Store.Pool, b.Tenant, today)
	must.OK(t, err)
	billed := map[string]int64{}
	for _, p := range periods {
		if p.Kind == "billed" {
			billed[p.From.String()] = p.Amount.IntPart()
		}
	}
	want := map[string]int64{before.String(): 1230 + 333, first.String(): -333}
	assert.Thatf(t, reflect.DeepEqual(billed, want), "the chart of billed amounts has %v, want %v", billed, want)
}

// TestEarlierDocumentsAreEntered checks that the migration enters the same as the triggers, for documents that were there before.
func TestEarlierDocumentsAreEntered(t *testing.T) {
	b := setup(t)
	first, _ := date.Today().Month()
	inv := b.issued("credited", "EUR", first, line("3", "0.35", "5.5"), line("1", "9.99", "23"), line("1", "9.99", "0"),
		invoice.LineInput{Description: "Advice", Quantity: "1", UnitPrice: "5.00", TaxRate: "0", Treatment: "reverse_charge"})
	d, err := credit.Input{Lines: []credit.LineInput{{Position: 1, Quantity: "1.3"}}}.Draft(inv)
	must.OK(t, err)
	b.OK(credit.Create.Do(t.Context(), b.Store, b.Intent("credit"), d))
	must.OK(t, b.Void("void", b.issued("void", "JPY", first.AddMonths(-1), line("1", "7", "10"))))
	b.draft("draft", "EUR", first, line("1", "4.00", "9"))
	const all = `
		SELECT jsonb_agg(to_jsonb(t) - 'credited_net' - 'credited_tax' ORDER BY source_id, kind, tax_rate, treatment)::text
		FROM invoice_taxes t`
	want := storetest.Value[string](b, all)
	text, err := migrations.FS.ReadFile("00165_invoice_taxes.sql")
	must.OK(t, err)
	_, entering, _ := strings.Cut(string(text), "DO $$")
	entering, _, _ = strings.Cut(entering, "END $$;")
	b.Exec(`SET session_replication_role = replica; DELETE FROM invoice_taxes; DO $$` + entering + `END $$; RESET session_replication_role`)
	got := storetest.Value[string](b, all)
	assert.Thatf(t, got == want && strings.Count(want, "tax_rate") == 7, "%s\nwant\n%s", got, want)
}

// TestDatabaseKeepsTheTaxes checks that even the superuser can't change entries, nor add to them.
func TestDatabaseKeepsTheTaxes(t *testing.T) {
	b := setup(t)
	first, _ := date.Today().Month()
	id := b.issued("i", "EUR", first, line("1", "1.00", "23")).ID.String()
	draft := b.draft("draft", "EUR", first, line("1", "1.00", "23")).ID.String()
	entry := func(invoice, source, kind, net string) string {
		return fmt.Sprintf(`
			INSERT INTO invoice_taxes VALUES ('%s', '%s', '%s', '%s', 5, 'standard', '2026-11-21', '2026-11-21', 'EUR', %s, 0)`,
			b.Tenant, invoice, source, kind, net)
	}
	b.Refuses(map[string][]string{
		"invoice_taxes_append_only": {`UPDATE invoice_taxes SET tax = 1`, `DELETE FROM invoice_taxes`, `TRUNCATE invoice_taxes`},
		"invoice_taxes_add_up": {
			entry(id, id, "invoice", "1"), entry(id, id, "void", "100"), entry(id, draft, "credit", "0"),
			entry(draft, draft, "invoice", "100"),
		},
	})
}

package taxsummary_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"onlyonce/internal/customer"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/taxsummary"
	"onlyonce/internal/must"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/party"
)

// TestEUSales checks which supplies the EU sales list has, and that credit notes and voided invoices reduce it.
func TestEUSales(t *testing.T) {
	b := setup(t)
	b.Exec(`UPDATE settings SET country = 'DE'`)
	first, last := date.Today().Month()
	supply := func(key string, day date.Date, country, taxID, treatment, price string) invoice.Invoice {
		t.Helper()
		d, err := invoice.Input{
			Customer: &customer.Input{Email: strings.ReplaceAll(key, " ", "") + "@example.com", Name: key, Texts: customer.Texts{
				Details: party.Details{Country: country, TaxID: taxID},
			}},
			IssueDate: day.String(), Currency: "EUR",
			Lines: []invoice.LineInput{
				{Description: "x", Quantity: "2", UnitPrice: price, TaxRate: "0", Treatment: treatment}, line("1", "7.00", "0"),
			},
		}.Draft()
		must.OK(t, err)
		made, err := invoice.Create.Do(t.Context(), b.Store, b.Intent(key), d)
		must.OK(t, err)
		done, err := invoice.Issue.Do(t.Context(), b.Store, b.Of(key, made.Value.ID, 0), invoice.IssueDraft{NoEmail: true})
		must.OK(t, err)
		return done.Value
	}
	goods, services := string(invoice.IntraCommunity), string(invoice.ReverseCharge)
	supply("goods", first, "FR", "FR 32 123456789", goods, "1.00")
	supply("more", last, "FR", "FR32123456789", goods, "2.00")
	supply("services", first, "FR", "FR32.123.456.789", services, "4.00")
	supply("Greek", first, "GR", "EL123456783", services, "8.00")
	supply("unknown", first, "", "", services, "16.00")
	supply("unregistered", first, "AT", "none", goods, "32.00")
	supply("at home", first, "DE", "DE123456788", services, "64.00")
	supply("outside", first, "CH", "CHE123456789", services, "128.00")
	supply("goods at home", first, "DE", "DE123456788", goods, "3.00")
	supply("goods outside", first, "US", "", goods, "5.00")
	supply("Northern Irish", first, "GB", "XI123456789", goods, "6.00")
	supply("later", last.AddDays(1), "FR", "FR32123456789", goods, "256.00")
	must.OK(t, b.Void("void before", supply("before", first.AddDays(-1), "IT", "IT12345678903", goods, "512.00")))
	must.OK(t, b.Void("void", supply("same", first, "IT", "IT12345678903", services, "1024.00")))
	credited := supply("credited", first, "PL", "PL1234563218", goods, "3.00")
	d, err := credit.Input{Lines: []credit.LineInput{{Position: 1, Quantity: "1"}}}.Draft(credited)
	must.OK(t, err)
	b.OK(credit.Create.Do(t.Context(), b.Store, b.Intent("credit"), d))

	found, mistaken, err := taxsummary.EUSales(t.Context(), b.Store.Pool, b.Tenant, first, last)
	must.OK(t, err)
	texts := func(sales []taxsummary.EUSale) (all []string) {
		for _, s := range sales {
			all = append(all, fmt.Sprintf("%s %s %s %s %s%s", s.Country, s.VATNumber, s.Customer, s.Treatment, s.Net, s.Currency))
		}
		return all
	}
	want := []string{
		"  unknown reverse_charge 3200EUR", "AT  unregistered intra_community 6400EUR", "EL EL123456783 Greek reverse_charge 1600EUR",
		"FR FR32123456789 goods intra_community 600EUR", "FR FR32123456789 services reverse_charge 800EUR",
		"IT IT12345678903 before intra_community -102400EUR", "PL PL1234563218 credited intra_community 300EUR",
		"XI XI123456789 Northern Irish intra_community 1200EUR",
	}
	wantMistaken := []string{"DE  goods at home intra_community 600EUR", "US  goods outside intra_community 1000EUR"}
	if !reflect.DeepEqual(texts(found), want) || !reflect.DeepEqual(texts(mistaken), wantMistaken) {
		t.Errorf("%q, %q\nwant\n%q, %q", texts(found), texts(mistaken), want, wantMistaken)
	}
}

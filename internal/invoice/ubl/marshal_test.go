package ubl_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/ubl"
	"onlyonce/internal/must"
)

var update = flag.Bool("update", false, "write the golden files anew")

func example() ubl.Invoice {
	return ubl.Invoice{
		Number: "2026-0042", IssueDate: "2026-11-21", DueDate: "2026-12-21", Currency: "EUR", Notes: "Thank you & <soon>",
		BuyerReference: "04011000-12345-34",
		Seller: ubl.Party{
			Name: "Żółw Sp. z o.o.", Address: []string{"ul. Długa 1", "Piętro 2", "00-238 Warszawa", "mazowieckie"}, Country: "PL",
			VAT: "PL5260250274", TaxID: "526-025-02-74", Email: "faktury@example.com",
		},
		Buyer:   ubl.Party{Name: "क्षत्रिय Ltd", Registration: "HRB 12345", Contact: "Anil", Email: "anil@example.com"},
		Account: ubl.Account{Number: "PL61109010140000071219812874", Holder: "Żółw", BIC: "WBKPPLPP", Reference: "2026-0042"},
		Lines: []ubl.Line{
			{Name: "Design\nof a page", Quantity: "2", UnitPrice: "50.00", Category: "S", TaxRate: "23", Net: "100.00"},
			{Name: "Books", Quantity: "1.5", Unit: "KGM", UnitPrice: "7.99", Category: "K", TaxRate: "0", Net: "11.99"},
			{
				Name: "Advice", Quantity: "3", Unit: "HUR", UnitPrice: "40.00", Category: "S", TaxRate: "23", Net: "108.00",
				Discount: "12.00", DiscountRate: "10", Gross: "120.00",
			},
			{Name: "Travel", Quantity: "1", UnitPrice: "20.00", Category: "S", TaxRate: "23", Net: "12.00", Discount: "8.00"},
		},
		Taxes: []ubl.Tax{
			{Category: "K", Rate: "0", Net: "11.99", Amount: "0.00", Reason: "Intra-community supply", ReasonCode: "VATEX-EU-IC"},
			{Category: "S", Rate: "23", Net: "220.00", Amount: "50.60"},
		},
		PeriodStart: "2026-11-01", PeriodEnd: "2026-11-30", DeliveredOn: "2026-11-21", DeliveredTo: "IN",
		Subtotal: "231.99", TaxTotal: "50.60", Total: "282.59", Paid: "82.59", Open: "200.00",
	}
}

func marshal(t *testing.T, inv ubl.Invoice) string {
	t.Helper()
	content, err := ubl.Marshal(inv)
	must.OK(t, err)
	return string(content)
}

// TestMarshal compares the XML with testdata. The arithmetic of the standard is tested in internal/invoice/document.
func TestMarshal(t *testing.T) {
	t.Parallel()
	note := example()
	note.Credit, note.Corrected = true, ubl.Reference{Number: "2026-0041", IssueDate: "2026-11-20"}
	note.DueDate, note.Terms, note.Account = "", "Credit for invoice 2026-0041", ubl.Account{}
	for golden, inv := range map[string]ubl.Invoice{"testdata/example.xml": example(), "testdata/credit_note.xml": note} {
		got := marshal(t, inv)
		if *update {
			must.OK(t, os.WriteFile(golden, []byte(got), 0o600))
		}
		want := must.Read(t, golden)
		assert.Thatf(t, got == want, "the XML is\n%s\nwant\n%s\nIf intended, run go test ./internal/invoice/ubl -update.", got, want)
		assert.Equal(t, marshal(t, inv), got, "the same invoice gives other bytes")
	}
}

// TestUnknownIsLeftOut checks that there is no empty element, which the schema would refuse.
func TestUnknownIsLeftOut(t *testing.T) {
	t.Parallel()
	inv := example()
	inv.Notes, inv.BuyerReference = "", ""
	inv.Seller, inv.Buyer = ubl.Party{Name: "Acme", Country: "PL"}, ubl.Party{Name: "Ada", Address: []string{"Łódź"}}
	if got := marshal(t, inv); strings.Contains(got, "></") {
		t.Errorf("an address has an empty element:\n%s", got)
	}
	inv.Seller, inv.Buyer = ubl.Party{Name: "Acme"}, ubl.Party{Name: "Ada"}
	inv.DeliveredTo, inv.PeriodStart = "", ""
	for _, account := range []ubl.Account{{}, {Number: "1"}, {Holder: "Ada"}} {
		inv.Account = account
		got := marshal(t, inv)
		assert.Thatf(t, !strings.Contains(got, "></"), "an element is empty:\n%s", got)
		assert.Thatf(t, strings.Contains(got, "PaymentMeans") == (account.Number != ""), "the account %+v:\n%s", account, got)
	}
}

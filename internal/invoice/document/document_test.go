package document_test

import (
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/document"
	"onlyonce/internal/value/date"
)

// TestPayment checks that a void invoice has no payment details.
func TestPayment(t *testing.T) {
	t.Parallel()
	inv := invoice.Invoice{Number: "2026-0042", Seller: invoice.Seller{Name: "Acme"}}
	inv.Seller.AccountNumber = "IE29AIBK93115212345678"
	for status, want := range map[string]int{invoice.StatusDraft: 3, invoice.StatusIssued: 3, invoice.StatusVoid: 0} {
		if inv.Status = status; len(document.Payment(inv)) != want {
			t.Errorf("%s: %v, want %d facts", status, document.Payment(inv), want)
		}
	}
}

// TestSupply checks the text of a day and of a period, including a period of one day.
func TestSupply(t *testing.T) {
	t.Parallel()
	for days, want := range map[[2]string]string{
		{"2026-11-20", ""}: "Supplied on 20 Nov 2026", {"2026-11-20", "2026-11-20"}: "Supplied on 20 Nov 2026",
		{"2026-11-20", "2026-11-21"}: "Supplied 20 Nov 2026 – 21 Nov 2026",
	} {
		var inv invoice.Invoice
		inv.SuppliedFrom, _ = date.Parse(days[0])
		inv.SuppliedTo, _ = date.Parse(days[1])
		got := document.Supply(inv)[0]
		assert.Equal(t, got.Label+" "+got.Value, want, days)
	}
}

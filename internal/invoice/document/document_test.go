package document_test

import (
	"testing"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/document"
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

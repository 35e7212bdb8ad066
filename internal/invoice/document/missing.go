package document

import (
	"strconv"
	"strings"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/pdf"
)

// Gap lists the characters in a text of an invoice that its document can't show.
type Gap struct {
	Place      string // for a sentence: "line 2"
	Characters []rune // each once
}

// Gaps returns the gaps of an invoice, in the order of its document. The error is from [pdf.Renderer.Missing].
func Gaps(r *pdf.Renderer, inv invoice.Invoice) (all []Gap, err error) {
	type text struct{ place, written string }
	texts := []text{
		{"your name", inv.Seller.Name}, {"your address", inv.Seller.Address}, {"your tax ID", inv.Seller.TaxID},
		{"the customer's name", inv.Customer.Name}, {"the customer's address", inv.Customer.Address},
		{"the customer's tax ID", inv.Customer.TaxID},
	}
	for i, l := range inv.Lines {
		texts = append(texts, text{"line " + strconv.Itoa(i+1), l.Description})
	}
	texts = append(texts, text{"the account holder", inv.Seller.AccountHolder}, text{"the account number", inv.Seller.AccountNumber},
		text{"the reason for the exemption", inv.Exemption}, text{"the notes", inv.Notes}, text{"your footer", inv.Seller.Footer})
	for _, t := range texts {
		missing, err := r.Missing(t.written)
		if err != nil {
			return nil, err
		}
		if len(missing) > 0 {
			all = append(all, Gap{t.place, missing})
		}
	}
	return all, nil
}

// Listed joins the items of a sentence.
func Listed(all []string) string {
	last := len(all) - 1
	if last < 1 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:last], ", ") + " and " + all[last]
}

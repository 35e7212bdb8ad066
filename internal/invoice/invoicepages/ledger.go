package invoicepages

import (
	"net/http"
	"strings"

	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/web"
	"onlyonce/templates/invoiceviews"
)

// ledger returns a page of the payments, refunds, credit notes and write-offs of an invoice. It is empty for a draft.
func (s *Pages) ledger(r *http.Request, inv invoice.Invoice) (v invoiceviews.Ledger, err error) {
	if inv.Status == invoice.StatusDraft {
		return v, nil
	}
	list, err := web.PageOf(r, func(r *http.Request, page record.Page) (record.List[invoice.Posting], error) {
		return invoice.Ledger(r.Context(), s.Pool, web.Principal(r).Tenant, inv.ID, page)
	})
	if err != nil {
		return v, missingPage(err)
	}
	v.Pager = web.PagerOf(r, list)
	for _, p := range list.Rows {
		v.Rows = append(v.Rows, s.ledgerRow(r, inv, p))
	}
	return v, nil
}

func (s *Pages) ledgerRow(r *http.Request, inv invoice.Invoice, p invoice.Posting) invoiceviews.LedgerRow {
	row := invoiceviews.LedgerRow{Date: web.DateText(p.Date), Amount: web.AmountText(inv.Currency, p.Amount)}
	details := strings.TrimSuffix(web.OptionText(p.Method)+" · "+p.Details, " · ")
	switch p.Kind {
	case "payment":
		row.Kind, row.Details = "Payment", details
		row.Removed = p.Removed
		if p.Left > 0 {
			row.Left, row.RefundHref = web.AmountText(inv.Currency, p.Left), web.FormHref(r, s.payments.URL(p.ID)+"/refunds/new")
		}
		if p.Left == p.Amount { // no refunds
			row.RemoveHref = web.Asked(s.payments, r, p.ID, "remove", nil).Href
		}
	case "removal":
		row.Kind, row.Details = "Payment removed", details
		row.Amount = "−" + web.AmountText(inv.Currency, -p.Amount)
	case "write_off":
		row.Kind, row.Details, row.Removed = "Write-off", details, p.Removed
		if !p.Removed {
			row.TakeBackHref = web.Asked(s.writeOffs, r, p.ID, "reverse", nil).Href
		}
	case "reversal":
		row.Kind, row.Details, row.Amount = "Write-off taken back", details, "−"+web.AmountText(inv.Currency, -p.Amount)
	case "refund":
		row.Kind, row.Amount = "Refund", "−"+web.AmountText(inv.Currency, -p.Amount)
	default:
		row.Kind, row.Number, row.Href = "Credit note", p.Number, "/credit-notes/"+p.ID.String()
	}
	return row
}

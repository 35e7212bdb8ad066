package invoicepages

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/refund"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/web"
	"onlyonce/templates/invoiceviews"
)

// entry is a row of the ledger of an invoice, with its place.
type entry struct {
	invoiceviews.LedgerRow

	at date.Date
	id uuid.UUID // in the order of creation
}

// ledgerLength is how many payments, refunds and credit notes the page of an invoice shows, the newest of each.
const ledgerLength = 100

// ledger is what was paid, refunded and credited of an invoice, in the order of the dates.
func (s *Pages) ledger(r *http.Request, inv invoice.Invoice) ([]invoiceviews.LedgerRow, error) {
	if inv.Status == invoice.StatusDraft {
		return nil, nil
	}
	ctx, tenant, newest := r.Context(), web.Principal(r).Tenant, record.Page{Limit: ledgerLength}
	payments, err := payment.ListOf(ctx, s.Pool, tenant, inv.ID, newest)
	if err != nil {
		return nil, err
	}
	refunds, err := refund.ListOfInvoice(ctx, s.Pool, tenant, inv.ID, newest)
	if err != nil {
		return nil, err
	}
	notes, err := credit.ListOf(ctx, s.Pool, tenant, inv.ID, newest)
	if err != nil {
		return nil, err
	}
	var entries []entry
	for _, p := range payments.Rows {
		entries = append(entries, entry{paymentRow(p), p.Date, p.ID})
	}
	for _, f := range refunds.Rows {
		row := invoiceviews.LedgerRow{Kind: "Refund", Amount: "−" + web.AmountText(f.Currency, f.Amount)}
		entries = append(entries, entry{row, f.Date, f.ID})
	}
	for _, n := range notes.Rows {
		entries = append(entries, entry{invoiceviews.LedgerRow{
			Kind: "Credit note", Number: n.Number, Href: "/credit-notes/" + n.ID.String(), Amount: web.AmountText(n.Currency, n.Total),
		}, n.Date, n.ID})
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(a.at.Time().Compare(b.at.Time()), slices.Compare(a.id[:], b.id[:]))
	})
	var rows []invoiceviews.LedgerRow
	for _, e := range entries {
		e.Date = web.Day(e.at.Time())
		rows = append(rows, e.LedgerRow)
	}
	return rows, nil
}

func paymentRow(p payment.Payment) invoiceviews.LedgerRow {
	row := invoiceviews.LedgerRow{
		Kind: "Payment", Amount: web.AmountText(p.Currency, p.Amount), Left: web.AmountText(p.Currency, p.Left),
		Details: strings.Join(strings.Fields(
			web.OptionText(p.Method)+" "+p.Provider+" "+p.Reference+" "+p.Source+" "+p.ExternalID), " "),
	}
	if p.Left > 0 {
		row.RefundHref = "/payments/" + p.ID.String() + "/refunds/new"
	}
	return row
}

package web

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"onlyonce/internal/credit"
	"onlyonce/internal/date"
	"onlyonce/internal/invoice"
	"onlyonce/internal/payment"
	"onlyonce/internal/record"
	"onlyonce/internal/refund"
	"onlyonce/templates"
)

// entry is a row of the ledger of an invoice, with its place.
type entry struct {
	templates.LedgerRow

	at date.Date
	id uuid.UUID // in the order of creation
}

// ledgerLength is how many payments, refunds and credit notes the page of an invoice shows, the newest of each.
const ledgerLength = 100

// ledger is what was paid, refunded and credited of an invoice, in the order of the dates.
func (s *Server) ledger(r *http.Request, inv invoice.Invoice) ([]templates.LedgerRow, error) {
	if inv.Status == invoice.StatusDraft {
		return nil, nil
	}
	ctx, tenant, newest := r.Context(), principal(r).Tenant, record.Page{Limit: ledgerLength}
	payments, err := payment.ListOf(ctx, s.pool, tenant, inv.ID, newest)
	if err != nil {
		return nil, err
	}
	refunds, err := refund.ListOfInvoice(ctx, s.pool, tenant, inv.ID, newest)
	if err != nil {
		return nil, err
	}
	notes, err := credit.ListOf(ctx, s.pool, tenant, inv.ID, newest)
	if err != nil {
		return nil, err
	}
	var entries []entry
	for _, p := range payments.Rows {
		entries = append(entries, entry{paymentRow(p), p.Date, p.ID})
	}
	for _, f := range refunds.Rows {
		entries = append(entries, entry{templates.LedgerRow{Kind: "Refund", Amount: "−" + shownAmount(f.Currency, f.Amount)}, f.Date, f.ID})
	}
	for _, n := range notes.Rows {
		entries = append(entries, entry{templates.LedgerRow{
			Kind: "Credit note", Number: n.Number, Href: "/credit-notes/" + n.ID.String(), Amount: shownAmount(n.Currency, n.Total),
		}, n.Date, n.ID})
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(a.at.Time().Compare(b.at.Time()), slices.Compare(a.id[:], b.id[:]))
	})
	var rows []templates.LedgerRow
	for _, e := range entries {
		e.Date = day(e.at.Time())
		rows = append(rows, e.LedgerRow)
	}
	return rows, nil
}

func paymentRow(p payment.Payment) templates.LedgerRow {
	row := templates.LedgerRow{
		Kind: "Payment", Amount: shownAmount(p.Currency, p.Amount), Left: shownAmount(p.Currency, p.Left),
		Details: strings.TrimSpace(optionText(p.Method) + " " + p.Provider + " " + p.Reference),
	}
	if p.Left > 0 {
		row.RefundHref = "/payments/" + p.ID.String() + "/refunds/new"
	}
	return row
}

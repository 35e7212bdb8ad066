package receiptpages

import (
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoiceform"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/receipt"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

func currencyOf(r receipt.Receipt) money.Currency { return r.Currency }

// mountAllocations mounts the payments of receipts, which are shown with their receipt.
func (s *pages) mountAllocations() {
	m := web.Under(s.receipts, s.site, web.Resource[payment.Payment]{
		One: "allocation", Path: "/allocations", Table: payment.Table, Name: payment.Name, View: showAllocation,
		ShownAt: func(p payment.Payment) string { return s.receipts.URL(p.ReceiptID) },
	})
	draft := web.NewFormUnder(s.receipts, m, receipt.ApplyInput.Draft, web.Form[payment.Payment]{
		Fields: []templates.Field{{Name: "invoice_id", Value: "Invoice"}, {Name: "amount", Value: "Amount"}, {Name: "date", Value: "Date"}},
		Page:   s.applyForm, References: map[string]record.Names{"invoice_id": invoice.Numbers},
		Example: receipt.ApplyInput{InvoiceID: "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80", Amount: "50.00", Date: "2026-11-24"},
		Words: &web.Wording{
			Title: "Pay an invoice from the credit", Submit: "Record payment", Did: "recorded", Does: "records",
			Again: "Record another payment", Created: "Payment recorded.",
			Replayed: "Payment recorded. We ignored the duplicate submission and kept your first request.",
		},
	})
	draft = invoiceform.AmountAsTyped(draft, s.receipts, currencyOf)
	draft = invoiceform.AskAbout(draft, "/date", func(r *http.Request, d receipt.ApplyDraft) (invoiceform.Doubt, error) {
		return invoiceform.UnusualMoney("payment", d.Date, s.site.Today(r)), nil
	})
	web.List(m, web.Listing[payment.Listed]{
		Summary: "The payments of a receipt, newest first, also those that were removed.",
		View:    func(p payment.Listed) any { return showAllocation(p.Payment) },
		Read:    web.ListUnder(s.receipts, payment.ListOfReceipt),
	})
	web.Show(m, web.RecordPage[payment.Payment]{Summary: "One payment of a receipt."})
	web.Create(m, "Pay an invoice of the customer from what is left of a receipt, at most what is open. It is a payment of the invoice.",
		receipt.Apply, draft, s.freshAllocation, &receipt.ExceedsCredit, &payment.ExceedsOpen, &invoice.NotIssued, &invoice.PeriodClosed)
}

// freshAllocation fills in the invoice and the amount from the address, or from the only open invoice, too.
func (s *pages) freshAllocation(r *http.Request) (url.Values, error) {
	form, err := s.freshUse(r)
	if err != nil {
		return form, err
	}
	of, err := s.receipts.Find(r)
	if err != nil {
		return form, err
	}
	open, err := receipt.Open(r.Context(), s.site.Pool, web.Principal(r).Tenant, of.Customer.ID, of.Currency)
	if len(open) == 1 {
		form.Set("invoice_id", open[0].ID.String())
		form.Set("amount", of.Currency.Format(min(of.Left, open[0].Open)))
	}
	for _, name := range []string{"invoice_id", "amount"} {
		if value := r.URL.Query().Get(name); value != "" {
			form.Set(name, value)
		}
	}
	return form, err
}

// freshUse fills in today's date and the credit left, unless there is none.
func (s *pages) freshUse(r *http.Request) (url.Values, error) {
	of, err := s.receipts.Find(r)
	if err == nil {
		err = receipt.Usable(of)
	}
	return url.Values{"date": {s.site.Today(r).String()}, "amount": {of.Currency.Format(of.Left)}}, err
}

func (s *pages) applyForm(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	of, err := s.receipts.Find(r)
	if err != nil {
		return nil, err
	}
	open, err := receipt.Open(r.Context(), s.site.Pool, web.Principal(r).Tenant, of.Customer.ID, of.Currency)
	if err != nil {
		return nil, err
	}
	f.Cancel = s.receipts.URL(of.ID)
	invoices := []templates.Option{{}}
	for _, i := range open {
		invoices = append(invoices, templates.Option{
			Value: i.ID.String(),
			Text:  i.Number + ", due " + web.DateText(i.DueDate) + ", " + web.AmountText(of.Currency, i.Open) + " open",
		})
	}
	return templates.PlainForm(p, f, []templates.Control{
		{
			Name: "invoice_id", Label: "Invoice", Kind: templates.OneOf, Options: invoices,
			Hint: "Open invoices of the customer, first due first.",
		},
		{
			Name: "amount", Label: "Amount in " + of.Currency.String(), Kind: templates.Decimal,
			Hint: "At most the credit left, " + web.AmountText(of.Currency, of.Left) + ".",
		},
		{Name: "date", Label: "Date", Kind: templates.Day},
	}), nil
}

// mountRepayments mounts the repayments of receipts, which are shown with their receipt.
func (s *pages) mountRepayments() {
	m := web.Under(s.receipts, s.site, web.Resource[receipt.Repayment]{
		One: "repayment", Path: "/repayments", Table: receipt.Repayments, Name: receipt.RepaymentName, View: showRepayment,
		ShownAt: func(b receipt.Repayment) string { return s.receipts.URL(b.ReceiptID) },
	})
	draft := web.NewFormUnder(s.receipts, m, receipt.RepayInput.Draft, web.Form[receipt.Repayment]{
		Fields: []templates.Field{
			{Name: "amount", Value: "Amount"}, {Name: "date", Value: "Date"}, {Name: "reference", Value: "Reference"},
		},
		Page: s.repayForm, Example: receipt.RepayInput{Amount: "10.00", Date: "2026-11-25"},
		Words: &web.Wording{
			Title: "Pay credit back", Submit: "Record repayment", Did: "recorded", Does: "records", Again: "Record another repayment",
			Created:  "Repayment recorded.",
			Replayed: "Repayment recorded. We ignored the duplicate submission and kept your first request.",
		},
	})
	draft = invoiceform.AmountAsTyped(draft, s.receipts, currencyOf)
	draft = invoiceform.AskAbout(draft, "/date", func(r *http.Request, d receipt.RepayDraft) (invoiceform.Doubt, error) {
		return invoiceform.UnusualMoney("repayment", d.Date, s.site.Today(r)), nil
	})
	web.List(m, web.Listing[receipt.Repayment]{
		Summary: "The repayments of a receipt, newest first.", View: showRepayment, Read: web.ListUnder(s.receipts, receipt.RepaymentsOf),
	})
	web.Show(m, web.RecordPage[receipt.Repayment]{Summary: "One repayment."})
	web.Create(m, "Record that credit of a receipt was paid back to the customer, at most what is left.", receipt.Repay, draft, s.freshUse,
		&receipt.ExceedsCredit, &invoice.PeriodClosed)
	web.Transition(m, "remove", "removed", "Take back a repayment that was recorded by mistake.",
		receipt.RemoveRepayment, web.Nothing(), &invoice.PeriodClosed)
	web.Ask(m, "remove", receipt.RemoveRepayment, web.Question[receipt.Repayment]{
		Submit: "Remove repayment", Page: s.removeRepaymentPage,
		Fresh: func(r *http.Request, b receipt.Repayment) (url.Values, error) {
			return nil, receipt.RepaymentRemovable(r.Context(), s.site.Pool, web.Principal(r).Tenant, b)
		},
	})
}

func (s *pages) removeRepaymentPage(
	r *http.Request, p templates.Page, f templates.Form, b receipt.Repayment,
) (templ.Component, error) {
	of, err := record.Find(r.Context(), s.site.Pool, receipt.Table, web.Principal(r).Tenant, b.ReceiptID)
	if err != nil {
		return nil, err
	}
	amount := web.AmountText(b.Currency, b.Amount)
	return invoiceviews.RemovePage(p, invoiceviews.Remove{
		Form: f, What: "repayment", Name: of.Customer.Name, Href: s.receipts.URL(of.ID), Amount: amount,
		Date:    "paid back " + web.DateText(b.Date),
		Effects: []string{"The credit of the customer goes up by " + amount + ". The repayment stays with its receipt, as removed."},
		Today:   s.site.Today(r).Display(), Removed: !b.RemovedAt.IsZero(),
	}), nil
}

func (s *pages) repayForm(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	of, err := s.receipts.Find(r)
	if err != nil {
		return nil, err
	}
	f.Cancel = s.receipts.URL(of.ID)
	return templates.PlainForm(p, f, []templates.Control{
		{
			Name: "amount", Label: "Amount in " + of.Currency.String(), Kind: templates.Decimal,
			Hint: "At most the credit left, " + web.AmountText(of.Currency, of.Left) + ".",
		},
		{Name: "date", Label: "Date", Kind: templates.Day},
		{Name: "reference", Label: "Reference (optional)"},
	}), nil
}

// allocationJSON is a payment of a receipt in the API.
type allocationJSON struct {
	record.Header

	ReceiptID uuid.UUID      `json:"receipt_id"`
	InvoiceID uuid.UUID      `json:"invoice_id"`
	Amount    string         `json:"amount" format:"decimal"`
	Currency  money.Currency `json:"currency"`
	Date      date.Date      `json:"date"`
	Refunded  string         `json:"refunded" format:"decimal"`
	RemovedAt time.Time      `json:"removed_at,omitzero"`
}

func showAllocation(p payment.Payment) any {
	return allocationJSON{
		Header: p.Header, ReceiptID: p.ReceiptID, InvoiceID: p.InvoiceID, Amount: p.Currency.Format(p.Amount), Currency: p.Currency,
		Date: p.Date, Refunded: p.Currency.Format(p.Refunded), RemovedAt: p.RemovedAt,
	}
}

// repaymentJSON is a repayment in the API.
type repaymentJSON struct {
	record.Header
	record.Alike

	ReceiptID uuid.UUID      `json:"receipt_id"`
	Amount    string         `json:"amount" format:"decimal"`
	Currency  money.Currency `json:"currency"`
	Date      date.Date      `json:"date"`
	Reference string         `json:"reference,omitzero"`
	RemovedAt time.Time      `json:"removed_at,omitzero"`
}

func showRepayment(b receipt.Repayment) any {
	return repaymentJSON{
		Header: b.Header, Alike: b.Alike, ReceiptID: b.ReceiptID, Amount: b.Currency.Format(b.Amount), Currency: b.Currency, Date: b.Date,
		Reference: b.Reference, RemovedAt: b.RemovedAt,
	}
}

package paymentpages

import (
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoiceform"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/refund"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// mountRefunds mounts the resource of package refund. Refunds are listed with their payment, and shown with its invoice.
func (s *pages) mountRefunds() {
	m := web.Under(s.payments, s.site, web.Resource[refund.Refund]{
		One: "refund", Path: "/refunds", Table: refund.Table, Name: refund.Name, View: showRefund,
		ShownAt: func(f refund.Refund) string { return "/invoices/" + f.InvoiceID.String() },
	})
	draft := web.NewFormUnder(s.payments, m, refund.Input.Draft, web.Form[refund.Refund]{
		Fields: []templates.Field{
			{Name: "amount", Value: "Amount"}, {Name: "date", Value: "Date"}, {Name: "reference", Value: "Reference"},
		},
		Page: s.refundForm, Example: refund.Input{Amount: "10.00", Date: "2026-11-23"},
		Words: &web.Wording{
			Title: "Record a refund", Submit: "Record refund", Did: "recorded", Does: "records", Again: "Record another refund",
			Created: "Refund recorded.", Replayed: "Refund recorded. We ignored the duplicate submission and kept your first request.",
		},
	})
	draft = invoiceform.AmountAsTyped(draft, s.payments, func(p payment.Payment) money.Currency { return p.Currency })
	draft = invoiceform.AskAbout(draft, "/date", s.unusualRefund)
	web.List(m, web.Listing[refund.Refund]{
		Summary: "The refunds of a payment, newest first.", View: showRefund, Read: web.ListUnder(s.payments, refund.ListOf),
	})
	web.Show(m, web.RecordPage[refund.Refund]{Summary: "One refund."})
	web.Create(m, "Refund a payment, at most the part that isn't refunded yet and didn't become credit with a credit note.", refund.Create,
		draft, s.freshRefund, &refund.ExceedsPayment, &invoice.BecameCredit, &invoice.PeriodClosed)
	web.Transition(m, "remove", "removed", "Take back a refund that was recorded by mistake.",
		refund.Remove, web.Nothing(), &refund.ExceedsOpen, &invoice.NotIssued, &invoice.PeriodClosed)
	web.Ask(m, "remove", refund.Remove, web.Question[refund.Refund]{
		Submit: "Remove refund", Page: s.removeRefundPage, Fresh: s.removableRefund,
	})
}

// removableRefund returns a conflict if a refund can't be removed now.
func (s *pages) removableRefund(r *http.Request, of refund.Refund) (url.Values, error) {
	tenant := web.Principal(r).Tenant
	inv, err := record.Find(r.Context(), s.site.Pool, invoice.Table, tenant, of.InvoiceID)
	if err == nil {
		err = refund.Removable(r.Context(), s.site.Pool, tenant, of, inv)
	}
	return nil, err
}

func (s *pages) removeRefundPage(r *http.Request, p templates.Page, f templates.Form, of refund.Refund) (templ.Component, error) {
	number, err := invoice.Numbers.Of(r.Context(), s.site.Pool, web.Principal(r).Tenant, of.InvoiceID)
	if err != nil {
		return nil, err
	}
	amount, day := web.AmountText(of.Currency, of.Amount), web.DateText(of.Date)
	return invoiceviews.RemovePage(p, invoiceviews.Remove{
		Form: f, What: "refund", Name: number, Href: s.invoices.URL(of.InvoiceID), Amount: amount, Date: "refunded " + day,
		Effects: []string{
			"This takes back the refund of " + amount + " from " + day + ". The open amount of the invoice goes down by " + amount + ". " +
				"Both entries stay on the invoice.",
		},
		Today: s.site.Today(r).Display(), Removed: !of.RemovedAt.IsZero(),
	}), nil
}

func (s *pages) unusualRefund(r *http.Request, d refund.Draft) (invoiceform.Doubt, error) {
	is := invoiceform.UnusualMoney("refund", d.Date, s.site.Today(r))
	if is.Problem == "" && d.Date.Before(d.Paid) {
		is.Problem = "The refund is dated " + d.Date.Display() + ", before its payment on " + d.Paid.Display() + "."
	}
	return is, nil
}

// freshRefund fills in the refundable amount and today's date.
func (s *pages) freshRefund(r *http.Request) (url.Values, error) {
	of, inv, err := s.refunded(r)
	if err == nil {
		err = refund.Possible(of, inv)
	}
	return url.Values{"amount": {of.Currency.Format(min(of.Left, inv.Paid))}, "date": {s.site.Today(r).String()}}, err
}

// refunded returns the payment of a request, and its invoice, whose paid amount limits the refund.
func (s *pages) refunded(r *http.Request) (of payment.Payment, inv invoice.Invoice, err error) {
	if of, err = s.payments.Find(r); err != nil {
		return of, inv, err
	}
	inv, err = record.Find(r.Context(), s.site.Pool, invoice.Table, web.Principal(r).Tenant, of.InvoiceID)
	return of, inv, err
}

func (s *pages) refundForm(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	of, inv, err := s.refunded(r)
	if err != nil {
		return nil, err
	}
	f.Cancel = "/invoices/" + inv.ID.String()
	return invoiceviews.RefundForm(p, invoiceviews.RefundFormView{
		Form: f, Payment: payment.Name(of), Number: inv.Number, Href: f.Cancel, Currency: of.Currency.String(),
		Left: of.Currency.Display(min(of.Left, inv.Paid)), SeenLeft: of.Currency.Format(of.Left), Reopens: inv.Open == 0,
	}), nil
}

// refundJSON is a refund in the API.
type refundJSON struct {
	record.Header
	record.Alike

	PaymentID uuid.UUID      `json:"payment_id"`
	InvoiceID uuid.UUID      `json:"invoice_id"`
	Amount    string         `json:"amount" format:"decimal"`
	Currency  money.Currency `json:"currency"`
	Date      date.Date      `json:"date"`
	Reference string         `json:"reference,omitzero"`
	RemovedAt time.Time      `json:"removed_at,omitzero"`
}

func showRefund(f refund.Refund) any {
	return refundJSON{
		Header: f.Header, Alike: f.Alike, PaymentID: f.PaymentID, InvoiceID: f.InvoiceID, Amount: f.Currency.Format(f.Amount),
		Currency: f.Currency, Date: f.Date, Reference: f.Reference, RemovedAt: f.RemovedAt,
	}
}

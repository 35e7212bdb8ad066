package web

import (
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/date"
	"onlyonce/internal/invoice"
	"onlyonce/internal/money"
	"onlyonce/internal/payment"
	"onlyonce/internal/record"
	"onlyonce/internal/refund"
	"onlyonce/templates"
)

// refunds is the resource of package refund. They are listed with their payment, and shown with its invoice.
func (s *Server) refunds(pages, api router) {
	m := mount(s, pages, api, resource[refund.Refund]{
		one: "refund", many: "refunds", under: "payments", belongs: exists(s.paymentOf), table: refund.Table,
		name: refund.Name, json: showRefund, form: s.refundForm, fields: []templates.Field{
			{Name: "amount", Value: "Amount"}, {Name: "date", Value: "Date"},
		},
		shownAt: func(f refund.Refund) string { return "/invoices/" + f.InvoiceID.String() },
		example: refund.Input{Amount: "10.00", Date: "2026-11-23"},
		words: &wording{
			title: "Record a refund", submit: "Record refund", did: "recorded", does: "records", again: "Record another refund",
			created: "Refund recorded.", replayed: "Refund recorded. We ignored the duplicate submission and kept your first request.",
		},
	})
	lists(m, listing[refund.Refund]{
		summary: "The refunds of a payment, newest first.", json: showRefund,
		read: listUnder(s, s.paymentOf, refund.ListOf),
	})
	shows(m, "One refund.", nil)
	creates(m, "Record a refund of a payment, at most what is left of it.", refund.Create,
		readUnder(m, s.paymentOf, refund.Input.Draft), s.freshRefund,
		&refund.ExceedsPayment)
}

// freshRefund suggests to refund today what is left of the payment.
func (s *Server) freshRefund(r *http.Request) (url.Values, error) {
	of, err := s.paymentOf(r)
	if err == nil {
		err = refund.Possible(of)
	}
	return url.Values{"amount": {of.Currency.Format(of.Left)}, "date": {date.Of(time.Now().UTC()).String()}}, err
}

func (s *Server) refundForm(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	of, err := s.paymentOf(r)
	if err != nil {
		return nil, err
	}
	inv, err := invoice.Table.Find(r.Context(), s.pool, principal(r).Tenant, of.InvoiceID)
	if err != nil {
		return nil, err
	}
	f.Cancel = "/invoices/" + inv.ID.String()
	return templates.RefundForm(p, templates.RefundFormView{
		Form: f, Payment: payment.Name(of), Number: inv.Number, Href: f.Cancel, Currency: of.Currency.String(),
		Left: of.Currency.Display(of.Left), SeenLeft: of.Currency.Format(of.Left),
	}), nil
}

// refundJSON is a refund as the API shows it.
type refundJSON struct {
	record.Header

	PaymentID uuid.UUID      `json:"payment_id"`
	InvoiceID uuid.UUID      `json:"invoice_id"`
	Amount    string         `json:"amount" format:"decimal"`
	Currency  money.Currency `json:"currency"`
	Date      date.Date      `json:"date"`
}

func showRefund(f refund.Refund) any {
	return refundJSON{
		Header: f.Header, PaymentID: f.PaymentID, InvoiceID: f.InvoiceID, Amount: f.Currency.Format(f.Amount),
		Currency: f.Currency, Date: f.Date,
	}
}

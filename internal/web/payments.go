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
	"onlyonce/templates"
)

// payments is the resource of package payment. They are listed and shown with their invoice.
func (s *Server) payments(pages, api router) {
	m := mount(s, pages, api, resource[payment.Payment]{
		one: "payment", many: "payments", under: "invoices", belongs: exists(s.invoiceOf), table: payment.Table,
		name: payment.Name, json: showPayment, form: s.paymentForm, fields: []templates.Field{
			{Name: "amount", Value: "Amount"}, {Name: "date", Value: "Date"}, {Name: "method", Value: "Method"},
			{Name: "provider", Value: "Provider"}, {Name: "reference", Value: "Reference"},
		},
		shownAt: func(p payment.Payment) string { return "/invoices/" + p.InvoiceID.String() },
		rules:   payment.Rules(), example: payment.Input{Amount: "50.00", Date: "2026-11-22", Method: payment.Methods()[0]},
		words: &wording{
			title: "Record a payment", submit: "Record payment", did: "recorded", does: "records", again: "Record another payment",
			created: "Payment recorded.", replayed: "Payment recorded. We ignored the duplicate submission and kept your first request.",
		},
	})
	lists(m, listing[payment.Payment]{
		summary: "The payments of an invoice, newest first.", json: showPayment,
		read: listUnder(s, s.invoiceOf, payment.ListOf),
	})
	shows(m, "One payment.", nil)
	draft := readUnder(m, s.invoiceOf, func(in payment.Input, inv invoice.Invoice) (payment.Draft, error) {
		return in.Draft(inv.ID, inv.Currency)
	})
	creates(m, "Record a payment of an issued invoice, at most what is open.", payment.Create,
		draft, s.freshPayment,
		&payment.ExceedsOpen, &invoice.NotIssued)
}

// freshPayment suggests to pay today what is open.
func (s *Server) freshPayment(r *http.Request) (url.Values, error) {
	inv, err := s.invoiceOf(r)
	if err == nil {
		err = payment.Possible(inv)
	}
	return url.Values{
		"amount": {inv.Currency.Format(inv.Open)}, "date": {date.Of(time.Now().UTC()).String()}, "method": {payment.Methods()[0]},
	}, err
}

func (s *Server) paymentForm(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	inv, err := s.invoiceOf(r)
	if err != nil {
		return nil, err
	}
	return templates.PaymentForm(p, templates.PaymentFormView{
		Form: f, Number: inv.Number, Href: "/invoices/" + inv.ID.String(), Currency: inv.Currency.String(),
		Open: inv.Currency.Display(inv.Open), SeenOpen: inv.Currency.Format(inv.Open), Methods: options(payment.Methods()),
	}), nil
}

// paymentJSON is a payment as the API shows it.
type paymentJSON struct {
	record.Header

	InvoiceID uuid.UUID      `json:"invoice_id"`
	Amount    string         `json:"amount" format:"decimal"`
	Currency  money.Currency `json:"currency"`
	Date      date.Date      `json:"date"`
	Method    string         `json:"method" enum:"bank_transfer,card,cash,other"`
	Provider  string         `json:"provider,omitzero"`
	Reference string         `json:"reference,omitzero"`
	Refunded  string         `json:"refunded" format:"decimal"`
	Left      string         `json:"left" format:"decimal"`
}

func showPayment(p payment.Payment) any {
	return paymentJSON{
		Header: p.Header, InvoiceID: p.InvoiceID, Amount: p.Currency.Format(p.Amount), Currency: p.Currency,
		Date: p.Date, Method: p.Method, Provider: p.Provider, Reference: p.Reference,
		Refunded: p.Currency.Format(p.Refunded), Left: p.Currency.Format(p.Left),
	}
}

// paymentOf finds the payment that the path names.
func (s *Server) paymentOf(r *http.Request) (payment.Payment, error) {
	return recordOfPath(s, r, payment.Table)
}

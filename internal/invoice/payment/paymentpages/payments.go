// Package paymentpages has the pages and the API of payments and their refunds.
package paymentpages

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
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

// pages has the dependencies of the pages.
type pages struct {
	site     *web.Site
	invoices *web.Mounted[invoice.Invoice]
	payments *web.Mounted[payment.Payment]
}

// Mount mounts payments below invoices, and below them refunds.
func Mount(s *web.Site, invoices *web.Mounted[invoice.Invoice]) {
	p := &pages{site: s, invoices: invoices}
	p.mountPayments()
	p.mountRefunds()
}

// mountPayments mounts the resource of package payment. Payments are shown with their invoice, and listed for each invoice and for all.
func (s *pages) mountPayments() {
	m := web.Under(s.invoices, s.site, web.Resource[payment.Payment]{
		One: "payment", Path: "/payments", Table: payment.Table, Name: payment.Name, Rules: payment.Rules(), View: showPayment,
		ShownAt: func(p payment.Payment) string { return "/invoices/" + p.InvoiceID.String() },
	})
	s.payments = m
	draft := web.NewFormUnder(s.invoices, m, func(in payment.Input, inv invoice.Invoice) (payment.Draft, error) {
		return in.Draft(inv.ID, inv.Currency)
	}, web.Form[payment.Payment]{
		Fields: []templates.Field{
			{Name: "amount", Value: "Amount"}, {Name: "date", Value: "Date"}, {Name: "method", Value: "Method"},
			{Name: "provider", Value: "Provider"}, {Name: "reference", Value: "Reference"},
		},
		Page: s.paymentForm, Example: payment.Input{Amount: "50.00", Date: "2026-11-22", Method: payment.Methods()[0]},
		Words: &web.Wording{
			Title: "Record a payment", Submit: "Record payment", Did: "recorded", Does: "records", Again: "Record another payment",
			Created: "Payment recorded.", Replayed: "Payment recorded. We ignored the duplicate submission and kept your first request.",
		},
	})
	draft = invoiceform.AmountAsTyped(draft, s.invoices, func(i invoice.Invoice) money.Currency { return i.Currency })
	draft = invoiceform.AskAbout(draft, "/date", s.unusualPayment)
	web.List(m, web.Listing[payment.Payment]{
		Summary: "The payments of an invoice, newest first.", View: showPayment, Read: web.ListUnder(s.invoices, payment.ListOf),
	})
	web.ListAll(m, invoiceform.Below[payment.Listed]{
		Pool: s.site.Pool, Many: "payments", Dated: "paid", Placeholder: "Invoice, customer, reference or amount",
		Searched: "whose provider is this or whose reference begins with it, or their receipt's, or of invoices whose number, lines, or " +
			"customer's name, email, tax ID, contact or reference have words that begin with these",
		List: payment.List, SumUp: sumUp,
		Sums: []invoiceviews.Standing{
			{Kind: "month", Label: "Paid in the month"}, {Kind: "direct", Label: "Payments without a receipt"},
			{Kind: "received", Label: "Receipts", Href: "/receipts"}, {Kind: "back", Label: "Less refunds and repayments"},
			{Kind: "paid", Label: "Listed payments"}, {Kind: "credited", Label: "Listed, from credit notes"},
			{Kind: "refunded", Label: "Refunded of these"},
		},
	}.Search(web.Listing[payment.Listed]{
		Summary: "Payments, the last day first, but not those that were removed. A page may have fewer than limit, or none, while there " +
			"is a next_cursor.",
		Filters:  []web.Filter{{Name: "customer_id", Of: "customers", Names: customer.Names, NoSection: true}},
		External: payment.All, View: func(p payment.Listed) any { return showPayment(p.Payment) },
		Columns: []templates.Column{
			{Label: "Invoice", Class: "nobreak"}, {Label: "Paid on", Class: "date"}, {Label: "Customer", Class: "name"},
			{Label: "Reference", Class: "name"}, {Label: "Amount", Class: "num"}, {Label: "Refunded", Class: "amounts"},
		},
		Row: paymentRow, Empty: "When you record a payment on the page of an invoice, it appears here.",
		Headings: []string{"id", "date", "invoice", "customer", "currency", "amount", "refunded", "method", "provider", "reference"},
		Cells: func(p payment.Listed) []string {
			c := p.Currency
			return []string{
				p.ID.String(), p.Date.String(), p.InvoiceNumber, p.Customer.Name, c.String(), c.Format(p.Amount), c.Format(p.Refunded),
				p.Method, p.Transfer.Provider, p.Transfer.Reference,
			}
		},
	}))
	web.Show(m, web.RecordPage[payment.Payment]{Summary: "One payment."})
	web.Create(m, "Record a payment of an issued invoice, at most what is open.", payment.Create, draft, s.freshPayment,
		&payment.ExceedsOpen, &invoice.NotIssued, &invoice.PeriodClosed)
	web.Transition(m, "remove", "removed", "Take back a payment that was recorded by mistake. Its entry stays in the ledger, with another "+
		"one that reverses it, and its reference stays taken.", payment.Remove, web.Nothing(), &payment.HasRefunds,
		&invoice.BecameCredit, &invoice.PeriodClosed)
	web.Ask(m, "remove", payment.Remove, web.Question[payment.Payment]{
		Submit: "Remove payment", Page: s.removePage, Fresh: s.removable,
	})
}

// sumUp returns the sums of the listed payments. For a whole month, it adds the amount paid, of kind "month" (see [invoice.Standing]), and
// its parts: "direct" and "received", less "back", which is the difference. If a part has too many records, there are no parts.
func sumUp(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, f invoice.BelowFilter) ([]invoice.Sum, bool, error) {
	all, known, err := payment.SumUp(ctx, pool, tenant, f)
	listed := without(slices.Clone(all), "direct")
	first, last := f.From.Month()
	if err != nil || f != (invoice.BelowFilter{From: first, To: last, Currency: f.Currency}) {
		return listed, known, err
	}
	standing, err := invoice.Standing(ctx, pool, tenant, tenant, first)
	if err != nil {
		return nil, false, err
	}
	var months []invoice.Sum
	for _, s := range standing {
		if s.Kind == "paid" && (f.Currency == money.Currency{} || f.Currency == s.Currency) {
			months = append(months, invoice.Sum{Kind: "month", Currency: s.Currency, Amount: s.Amount})
		}
	}
	received, complete, err := receipt.SumUp(ctx, pool, tenant, f)
	if err != nil || !known || !complete {
		return append(listed, months...), known, err
	}
	parts := slices.Concat(months, without(all, "paid", "credited", "refunded"), without(received, "credited", "left"))
	var back []invoice.Sum
	for _, s := range parts {
		i := slices.IndexFunc(back, func(b invoice.Sum) bool { return b.Currency == s.Currency })
		if i < 0 {
			i, back = len(back), append(back, invoice.Sum{Kind: "back", Currency: s.Currency})
		}
		if s.Kind == "month" {
			s.Amount = s.Amount.Neg()
		}
		back[i].Amount = back[i].Amount.Add(s.Amount)
	}
	back = slices.DeleteFunc(back, func(b invoice.Sum) bool { return b.Amount.IsZero() })
	return slices.Concat(listed, parts, back), true, nil
}

// without returns the sums of other kinds.
func without(sums []invoice.Sum, kinds ...string) []invoice.Sum {
	return slices.DeleteFunc(sums, func(s invoice.Sum) bool { return slices.Contains(kinds, s.Kind) })
}

func (s *pages) unusualPayment(r *http.Request, d payment.Draft) (invoiceform.Doubt, error) {
	is := invoiceform.UnusualMoney("payment", d.Date, s.site.Today(r))
	of, err := s.invoices.Find(r)
	if is.Problem == "" && d.Date.Before(of.IssueDate) {
		is.Problem = "The payment is dated " + d.Date.Display() + ", which is before the date of the invoice."
	}
	return is, err
}

// paymentRow returns the cells of a payment. The refunded amount is blank if it is 0.
func paymentRow(r *http.Request, p payment.Listed) []string {
	refunded := ""
	if p.Refunded > 0 {
		refunded = web.AmountText(p.Currency, p.Refunded)
	}
	reference := cmp.Or(p.Transfer.String(), web.OptionText(p.Method))
	return []string{
		p.InvoiceNumber, web.DateText(p.Date), p.Customer.Name, reference, web.AmountText(p.Currency, p.Amount), refunded,
	}
}

// removable returns a conflict if a payment can't be removed now.
func (s *pages) removable(r *http.Request, p payment.Payment) (url.Values, error) {
	tenant := web.Principal(r).Tenant
	inv, err := record.Find(r.Context(), s.site.Pool, invoice.Table, tenant, p.InvoiceID)
	if err == nil {
		err = payment.Removable(r.Context(), s.site.Pool, tenant, p, inv)
	}
	return nil, err
}

func (s *pages) removePage(r *http.Request, p templates.Page, f templates.Form, of payment.Payment) (templ.Component, error) {
	number, err := invoice.Numbers.Of(r.Context(), s.site.Pool, web.Principal(r).Tenant, of.InvoiceID)
	if err != nil {
		return nil, err
	}
	amount, day, reference := web.AmountText(of.Currency, of.Amount), web.DateText(of.Date), strings.TrimSpace(of.Provider+" "+of.Reference)
	effects := []string{
		"This takes back the payment of " + amount + " from " + day + ". The open amount of the invoice goes up by " + amount + ". " +
			"Both entries stay on the invoice.",
	}
	if of.ReceiptID != uuid.Nil {
		effects = append(effects, "It is part of a receipt or of other credit. The credit of the customer goes up by "+amount+".")
	}
	if reference != "" {
		effects = append(effects, "If a webhook reports this payment again, it isn't recorded a second time.")
	}
	return invoiceviews.RemovePage(p, invoiceviews.Remove{
		Form: f, What: "payment", Name: number, Href: s.invoices.URL(of.InvoiceID), Amount: amount, Date: "paid " + day, Effects: effects,
		Today: s.site.Today(r).Display(), Reference: reference, Removed: !of.RemovedAt.IsZero(),
	}), nil
}

// freshPayment fills in the open amount and today's date.
func (s *pages) freshPayment(r *http.Request) (url.Values, error) {
	inv, err := s.invoices.Find(r)
	if err == nil {
		err = payment.Possible(inv)
	}
	return url.Values{
		"amount": {inv.Currency.Format(inv.Open)}, "date": {s.site.Today(r).String()}, "method": {payment.Methods()[0]},
	}, err
}

func (s *pages) paymentForm(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	inv, err := s.invoices.Find(r)
	if err != nil {
		return nil, err
	}
	return invoiceviews.PaymentForm(p, invoiceviews.PaymentFormView{
		Form: f, Number: inv.Number, Href: "/invoices/" + inv.ID.String(), Currency: inv.Currency.String(),
		Open: inv.Currency.Display(inv.Open), SeenOpen: inv.Currency.Format(inv.Open), Methods: web.Options(payment.Methods()),
		ReceiptHref: receiptHref(inv, f),
	}), nil
}

// receiptHref returns the form of a receipt with the values of the form of a payment, if its amount exceeds the open amount, or if its
// reference is taken; otherwise "".
func receiptHref(inv invoice.Invoice, f templates.Form) string {
	amount, err := inv.Currency.Parse(f.Typed.Get("amount"))
	if taken := f.Blamed.Of("reference") != ""; !taken && (err != nil || amount <= inv.Open || !f.CameBack()) {
		return ""
	}
	of := url.Values{
		"customer_id": {inv.Customer.ID.String()}, "currency": {inv.Currency.String()}, invoiceviews.PartInvoiceField: {inv.ID.String()},
	}
	for _, name := range []string{"amount", "date", "method", "provider", "reference"} {
		of.Set(name, f.Typed.Get(name))
	}
	return web.ListURL("/receipts/new", of, "", "")
}

// paymentJSON is a payment in the API.
type paymentJSON struct {
	record.Header
	record.Alike

	InvoiceID uuid.UUID      `json:"invoice_id"`
	ReceiptID uuid.UUID      `json:"receipt_id,omitzero" doc:"The receipt that it is a part of."`
	Amount    string         `json:"amount" format:"decimal"`
	Currency  money.Currency `json:"currency"`
	Date      date.Date      `json:"date"`
	Method    string         `json:"method" enum:"bank_transfer,card,cash,other"`
	Provider  string         `json:"provider,omitzero"`
	Reference string         `json:"reference,omitzero"`
	Refunded  string         `json:"refunded" format:"decimal"`
	Left      string         `json:"left" format:"decimal"`
	RemovedAt time.Time      `json:"removed_at,omitzero"`
	idempotency.External
}

func showPayment(p payment.Payment) any {
	return paymentJSON{
		Header: p.Header, Alike: p.Alike, InvoiceID: p.InvoiceID, ReceiptID: p.ReceiptID, Amount: p.Currency.Format(p.Amount),
		Currency: p.Currency, Date: p.Date, Method: p.Method, Provider: p.Provider, Reference: p.Reference,
		Refunded: p.Currency.Format(p.Refunded), Left: p.Currency.Format(p.Left), RemovedAt: p.RemovedAt,
		External: p.External,
	}
}

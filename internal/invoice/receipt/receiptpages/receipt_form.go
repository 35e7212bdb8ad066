package receiptpages

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoiceform"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/receipt"
	"onlyonce/internal/people/settings"
	"onlyonce/internal/value/money"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

func (s *pages) unusual(r *http.Request, d receipt.Draft) (invoiceform.Doubt, error) {
	return invoiceform.UnusualMoney("receipt", d.Date, s.site.Today(r)), nil
}

// control returns the form control for a place in the command.
func control(pointer string) string {
	parts := strings.Split(pointer, "/") // such as "", "allocations", "0", "amount"
	if len(parts) != 4 {
		return strings.TrimPrefix(pointer, "/")
	}
	index, _ := strconv.Atoi(parts[2])
	return invoiceviews.LineControl(invoiceviews.PartAmountField, index)
}

// receiptOfForm reads the command of a form. Rows without an amount are removed from the form, so that the others have the places of
// their allocations.
func receiptOfForm(r *http.Request) (receipt.Draft, error) {
	form := r.PostForm
	in := receipt.Input{
		CustomerID: form.Get("customer_id"), Currency: form.Get("currency"), Amount: form.Get("amount"), Date: form.Get("date"),
		Method: form.Get("method"), Provider: form.Get("provider"), Reference: form.Get("reference"),
	}
	decimals := int32(2)
	if c, known := money.ParseCurrency(in.Currency); known {
		decimals = c.Decimals()
	}
	var questions invalid.Error
	invoiceform.ReadAmount(&questions, "/amount", &in.Amount, decimals)
	form.Set("amount", in.Amount)
	ids := form[invoiceviews.PartInvoiceField]
	amounts := form[invoiceviews.PartAmountField]
	form.Del(invoiceviews.PartInvoiceField)
	form.Del(invoiceviews.PartAmountField)
	for i, amount := range amounts[:min(len(ids), len(amounts))] {
		if strings.TrimSpace(amount) == "" {
			continue
		}
		invoiceform.ReadAmount(&questions, "/allocations/"+strconv.Itoa(len(in.Allocations))+"/amount", &amount, decimals)
		in.Allocations = append(in.Allocations, receipt.AllocationInput{InvoiceID: ids[i], Amount: amount})
		form.Add(invoiceviews.PartInvoiceField, ids[i])
		form.Add(invoiceviews.PartAmountField, amount)
	}
	draft, err := in.Draft()
	return draft, invoiceform.WithQuestions(err, questions)
}

// freshReceipt fills in what the address has, such as the customer, and else today's date and the usual currency of the customer, or of
// the business.
func (s *pages) freshReceipt(r *http.Request) (url.Values, error) {
	is, err := settings.Of(r.Context(), s.site.Pool, web.Principal(r).Tenant)
	fresh := url.Values{"date": {s.site.Today(r).String()}, "method": {payment.Methods()[0]}, "currency": {is.Currency.String()}}
	for _, name := range []string{
		"customer_id", "currency", "amount", "date", "method", "provider", "reference", invoiceviews.PartInvoiceField,
	} {
		if value := r.URL.Query().Get(name); value != "" {
			fresh.Set(name, value)
		}
	}
	if of, wrong := uuid.Parse(fresh.Get("customer_id")); err == nil && wrong == nil && !r.URL.Query().Has("currency") {
		var usual string
		if usual, err = s.usualCurrency(r, of); usual != "" {
			fresh.Set("currency", usual)
		}
	}
	if fresh.Get("amount") != "" {
		fresh.Set(templates.RedisplayField, invoiceviews.FillParts)
	}
	return fresh, err
}

// usualCurrency returns the currency of the open invoice of a customer that is due first, or else of [invoice.UsualOf]; "" for a customer
// that doesn't exist.
func (s *pages) usualCurrency(r *http.Request, of uuid.UUID) (string, error) {
	tenant := web.Principal(r).Tenant
	code, err := receipt.OpenCurrency(r.Context(), s.site.Pool, tenant, of)
	if err != nil || code != "" {
		return code, err
	}
	usual, err := invoice.UsualOf(r.Context(), s.site.Pool, tenant, []uuid.UUID{of})
	if len(usual) == 0 {
		return "", err
	}
	return usual[0].Currency.String(), err
}

func (s *pages) receiptForm(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	view := invoiceviews.ReceiptFormView{
		Form: f, Customers: f.Offers["customer_id"], Currencies: currencies(), Methods: web.Options(payment.Methods()),
	}
	view.Customers.Find = "Search: Customer"
	view.Customers.Options = slices.Insert(slices.Clone(view.Customers.Options), 0, templates.Option{})
	of, err := uuid.Parse(f.Typed.Get("customer_id"))
	currency, known := money.ParseCurrency(f.Typed.Get("currency"))
	var open []receipt.OpenInvoice
	if view.Customer = err == nil && known; view.Customer {
		if open, err = receipt.Open(r.Context(), s.site.Pool, web.Principal(r).Tenant, of, currency); err != nil {
			return nil, err
		}
	}
	if len(open) == receipt.MaxOpen {
		view.More = receipt.MaxOpen
	}
	typed := f.Typed[invoiceviews.PartInvoiceField]
	first := f.Typed.Get(invoiceviews.PartInvoiceField)
	at := slices.IndexFunc(open, func(i receipt.OpenInvoice) bool { return i.ID.String() == first })
	if at > 0 {
		open = slices.Concat(open[at:at+1], open[:at], open[at+1:])
	}
	amounts := f.Typed[invoiceviews.PartAmountField]
	if f.Typed.Get(templates.RedisplayField) == invoiceviews.FillParts && view.Customer {
		paid := open
		if first != "" && len(amounts) == 0 { // the address has the invoice to pay, and the rest is credit
			paid = open[:min(at+1, 1)]
		}
		typed, amounts = filled(paid, currency, f.Typed.Get("amount"))
	}
	rows := make([][2]string, 0, len(open)+len(typed)) // ids and labels
	for _, i := range open {
		label := i.Number + ", due " + web.DateText(i.DueDate) + ": " + web.AmountText(currency, i.Open) + " open"
		rows = append(rows, [2]string{i.ID.String(), label})
	}
	for _, id := range typed { // what was typed for an invoice that isn't open any more is kept
		if !slices.ContainsFunc(rows, func(r [2]string) bool { return r[0] == id }) {
			rows = append(rows, [2]string{id, "An invoice that isn't open any more"})
		}
	}
	for _, each := range rows {
		row := invoiceviews.ReceiptInvoice{ID: each[0]}
		place := slices.Index(typed, row.ID)
		if place < 0 {
			place = len(typed) + len(view.Invoices) // no error is about it
		}
		row.Amount = f.Input(templates.Input{
			ID: invoiceviews.LineControl(invoiceviews.PartAmountField, place), Label: each[1], Mode: "decimal",
		})
		row.Amount.Name, row.Amount.Value = invoiceviews.PartAmountField, ""
		row.Amount.Readings = [2]string{} // a blank row above would get it: the form sends these too
		if place < len(amounts) {
			row.Amount.Value = amounts[place]
		}
		view.Invoices = append(view.Invoices, row)
	}
	return invoiceviews.ReceiptForm(p, view), nil
}

// filled allocates a typed amount to open invoices in their order, and returns their ids and amounts.
func filled(open []receipt.OpenInvoice, currency money.Currency, typed string) (ids, amounts []string) {
	var questions invalid.Error
	invoiceform.ReadAmount(&questions, "/amount", &typed, currency.Decimals())
	left, err := currency.Parse(typed)
	if err != nil {
		return nil, nil
	}
	for _, i := range open {
		if part := min(left, i.Open); part > 0 {
			ids, amounts = append(ids, i.ID.String()), append(amounts, currency.Format(part))
			left -= part
		}
	}
	return ids, amounts
}

func currencies() (options []templates.Option) {
	for _, code := range money.Currencies() {
		options = append(options, templates.Option{Value: code, Text: code})
	}
	return options
}

// Package receiptpages has the pages and the API of receipts, and of what their credit is used for.
package receiptpages

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/closing"
	"onlyonce/internal/invoice/excerpt"
	"onlyonce/internal/invoice/invoiceform"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/receipt"
	"onlyonce/internal/people/settings"
	"onlyonce/internal/record"
	"onlyonce/internal/record/search"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// pages has the dependencies of the pages.
type pages struct {
	site     *web.Site
	receipts *web.Mounted[receipt.Receipt]
}

// Mount mounts receipts, and below them their allocations and repayments.
func Mount(on *web.Site) {
	s := &pages{site: on}
	s.receipts = web.Resource[receipt.Receipt]{
		One: "receipt", Path: "/receipts", Table: receipt.Table, Name: receipt.Name, Rules: receipt.Rules(), View: showReceipt,
	}.Mount(on.Within("invoices"))
	s.mountReceipts()
	s.mountAllocations()
	s.mountRepayments()
}

func (s *pages) mountReceipts() {
	m := s.receipts
	web.Enter(m, web.Form[receipt.Receipt]{
		Fields: []templates.Field{
			{Name: "customer_id", Value: "Customer"}, {Name: "currency", Value: "Currency"}, {Name: "amount", Value: "Amount"},
			{Name: "date", Value: "Date"}, {Name: "method", Value: "Method"}, {Name: "provider", Value: "Provider"},
			{Name: "reference", Value: "Reference"},
		},
		References: map[string]record.Names{"customer_id": customer.Names.Names},
		Choices:    map[string]search.Names{"customer_id": customer.Names},
		Page:       s.receiptForm, Control: control,
		RepeatedFields: []string{invoiceviews.PartInvoiceField, invoiceviews.PartAmountField},
		Example: receipt.Input{
			CustomerID: "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80", Currency: "EUR", Amount: "250.00", Date: "2026-11-22",
			Method: payment.Methods()[0],
		},
		Words: &web.Wording{
			Title: "Record a receipt", Submit: "Record receipt", Did: "recorded", Does: "records", Again: "Record another receipt",
			Created:  "Receipt of %s recorded.",
			Replayed: "Receipt recorded. We ignored the duplicate submission and kept your first request.",
		},
	})
	draft := invoiceform.AskAbout(web.NewCommand(receiptOfForm, receipt.Input.Draft), "/date", s.unusual)
	web.List(m, invoiceform.Below[receipt.Receipt]{
		Pool: s.site.Pool, Many: "receipts", Dated: "received", Placeholder: "Customer, reference or amount",
		Searched: "whose reference begins with this, or whose customer's name, email, tax ID, contact or reference have words that begin " +
			"with these",
		List: receipt.List, SumUp: receipt.SumUp,
		Sums: []invoiceviews.Standing{
			{Kind: "received", Label: "Received"}, {Kind: "credited", Label: "From credit notes"}, {Kind: "left", Label: "Credit left"},
		},
	}.Search(web.Listing[receipt.Receipt]{
		Summary: "Receipts, the last day first: money that was received in one transfer. A page may have fewer than limit, or none, " +
			"while there is a next_cursor.",
		View: showReceipt, Filters: []web.Filter{{Name: "customer_id", Of: "customers", Names: customer.Names}},
		Columns: []templates.Column{
			{Label: "Receipt", Class: "name"}, {Label: "Customer", Class: "name"}, {Label: "Reference", Class: "name"},
			{Label: "Credit left", Class: "num"},
		},
		Row: func(_ *http.Request, r receipt.Receipt) []string {
			left := web.AmountText(r.Currency, r.Left)
			if !r.RemovedAt.IsZero() {
				left = "Removed"
			}
			return []string{receipt.Name(r), r.Customer.Name, reference(r), left}
		},
		Headings: []string{
			"id", "date", "customer", "currency", "amount", "allocated", "repaid", "left", "method", "provider", "reference", "removed_at",
			"credit_note",
		},
		Cells: func(r receipt.Receipt) []string {
			removed := ""
			if !r.RemovedAt.IsZero() {
				removed = r.RemovedAt.Format(time.RFC3339)
			}
			return []string{
				r.ID.String(), r.Date.String(), r.Customer.Name, r.Currency.String(), r.Currency.Format(r.Amount),
				r.Currency.Format(r.Allocated), r.Currency.Format(r.Repaid), r.Currency.Format(r.Left), r.Method, r.Provider, r.Reference,
				removed, r.CreditNote.Name,
			}
		},
		Empty: "When a transfer pays several invoices, or more than is open, record it here.",
	}))
	web.Show(m, web.RecordPage[receipt.Receipt]{
		Summary: "One receipt.", Facts: facts, Page: s.receiptPage,
		Actions: func(r receipt.Receipt) []string {
			if r.RemovedAt.IsZero() && r.CreditNote.ID == uuid.Nil {
				return []string{"remove"}
			}
			return nil
		},
	})
	web.Create(m, "Record money that was received in one transfer, and allocate it to invoices of the customer. The rest is credit.",
		receipt.Create, draft, s.freshReceipt, &payment.ExceedsOpen, &invoice.NotIssued, &invoice.PeriodClosed, &customer.Erased)
	web.Transition(m, "remove", "removed", "Take back a mistaken receipt, with the payments of its allocations.",
		receipt.Remove, web.Nothing(), &receipt.Used, &invoice.BecameCredit, &invoice.PeriodClosed)
	web.Ask(m, "remove", receipt.Remove, web.Question[receipt.Receipt]{
		Submit: "Remove receipt", Page: s.removePage,
		Fresh: func(r *http.Request, of receipt.Receipt) (url.Values, error) {
			return nil, receipt.Removable(r.Context(), s.site.Pool, web.Principal(r).Tenant, of)
		},
	})
	web.Redisplay(m, nil)
}

// reference returns the provider and the reference of a receipt, or its credit note, or else its method.
func reference(r receipt.Receipt) string {
	if r.CreditNote.ID != uuid.Nil {
		return r.CreditNote.Name
	}
	if r.Reference == "" {
		return web.OptionText(r.Method)
	}
	return r.Provider + " " + r.Reference
}

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

// freshReceipt fills in what the address has, such as the customer, and else today's date and the currency of the customer's invoices,
// or of the business.
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
		if usual, err = receipt.UsualCurrency(r.Context(), s.site.Pool, web.Principal(r).Tenant, of); usual != "" {
			fresh.Set("currency", usual)
		}
	}
	if fresh.Get("amount") != "" {
		fresh.Set(templates.RedisplayField, invoiceviews.FillParts)
	}
	return fresh, err
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

func facts(r *http.Request, of receipt.Receipt) []templates.Fact {
	removed := ""
	if !of.RemovedAt.IsZero() {
		removed = web.Day(r, of.RemovedAt)
	}
	day, from := "Received on", templates.Fact{Label: "Method", Value: web.OptionText(of.Method)}
	if of.CreditNote.ID != uuid.Nil {
		day = "Became credit on"
		from = templates.Fact{Label: "Credit note", Value: of.CreditNote.Name, Href: "/credit-notes/" + of.CreditNote.ID.String()}
	}
	return web.KnownFacts(templates.Fact{Label: "Customer", Value: of.Customer.Name, Href: "/customers/" + of.Customer.ID.String()},
		templates.Fact{Label: day, Value: web.DateText(of.Date)}, from,
		templates.Fact{Label: "Reference", Value: strings.TrimSpace(of.Provider + " " + of.Reference)},
		templates.Fact{Label: "Amount", Value: web.AmountText(of.Currency, of.Amount)},
		templates.Fact{Label: "Paid invoices", Value: web.AmountText(of.Currency, of.Allocated)},
		templates.Fact{Label: "Paid back", Value: web.AmountText(of.Currency, of.Repaid)},
		templates.Fact{Label: "Credit left", Value: web.AmountText(of.Currency, of.Left)},
		templates.Fact{Label: "Removed on", Value: removed})
}

// maxRepayments is the number of repayments on the page of a receipt, newest first.
const maxRepayments = 50

func (s *pages) receiptPage(r *http.Request, p templates.Page, of receipt.Receipt) (templ.Component, error) {
	tenant, at := web.Principal(r).Tenant, s.receipts.URL(of.ID)
	payments, err := web.PageOf(r, func(r *http.Request, page record.Page) (record.List[payment.Listed], error) {
		return payment.ListOfReceipt(r.Context(), s.site.Pool, tenant, of.ID, page)
	})
	if err != nil {
		return nil, excerpt.MissingPage(err)
	}
	repayments, err := receipt.RepaymentsOf(r.Context(), s.site.Pool, tenant, of.ID, record.Page{Limit: maxRepayments})
	if err != nil {
		return nil, err
	}
	closed, err := closing.Last(r.Context(), s.site.Pool, tenant)
	if err != nil {
		return nil, err
	}
	view := web.RecordView(s.receipts, r, of)
	if of.RemovedAt.IsZero() && !closed.Before(of.Date) {
		view.Actions, view.Facts = nil, append(view.Facts, templates.Fact{Label: "Removal", Value: "Its period is closed"})
	}
	view.Name = "Receipt of " + view.Name
	if of.CreditNote.ID != uuid.Nil {
		view.Name = "Credit of " + web.AmountText(of.Currency, of.Amount) + " from " + of.CreditNote.Name
	}
	uses := invoiceviews.ReceiptUses{Pager: web.PagerOf(r, payments), More: (repayments.After != record.Key{})}
	for _, each := range payments.Rows {
		row := invoiceviews.ReceiptPayment{
			Date: web.DateText(each.Date), Amount: web.AmountText(each.Currency, each.Amount), Number: each.InvoiceNumber,
			Href: "/invoices/" + each.InvoiceID.String(), Removed: !each.RemovedAt.IsZero(),
		}
		switch {
		case each.Left < each.Amount: // removed or refunded
		case !closed.Before(each.Date):
			row.Closed = true
		default:
			row.RemoveHref = web.FormHref(r, "/payments/"+each.ID.String()+"/remove")
		}
		uses.Payments = append(uses.Payments, row)
	}
	for _, each := range repayments.Rows {
		row := invoiceviews.ReceiptRepayment{
			Name: receipt.RepaymentName(each), Reference: each.Reference, Removed: !each.RemovedAt.IsZero(),
		}
		if row.Closed = !row.Removed && !closed.Before(each.Date); !row.Removed && !row.Closed {
			row.RemoveHref = web.FormHref(r, "/repayments/"+each.ID.String()+"/remove")
		}
		uses.Repayments = append(uses.Repayments, row)
	}
	if of.Left > 0 {
		view.New = templates.Link{Text: "Pay an invoice", Href: web.FormHref(r, at+"/allocations/new")}
		uses.RepayHref = web.FormHref(r, at+"/repayments/new")
	}
	return templates.RecordPageWith(p, view, []templ.Component{invoiceviews.ReceiptSections(uses)}), nil
}

func (s *pages) removePage(_ *http.Request, p templates.Page, f templates.Form, of receipt.Receipt) (templ.Component, error) {
	effects := []string{"The credit of the customer goes down by " + web.AmountText(of.Currency, of.Left) +
		". The receipt stays in the list, as removed."}
	if of.Allocated > 0 {
		effects = append(effects, "The payments that were recorded with it are removed too: what is open on their invoices goes up by "+
			web.AmountText(of.Currency, of.Allocated)+" together.")
	}
	return invoiceviews.RemovePage(p, invoiceviews.Remove{
		Form: f, What: "receipt", Name: of.Customer.Name, Href: s.receipts.URL(of.ID), Amount: web.AmountText(of.Currency, of.Amount),
		Date: "received " + web.DateText(of.Date), Effects: effects,
		Reference: strings.TrimSpace(of.Provider + " " + of.Reference), Removed: !of.RemovedAt.IsZero(),
	}), nil
}

// receiptJSON is a receipt in the API.
type receiptJSON struct {
	record.Header
	record.Alike

	Customer  record.Reference `json:"customer"`
	Currency  money.Currency   `json:"currency"`
	Amount    string           `json:"amount" format:"decimal"`
	Allocated string           `json:"allocated" format:"decimal" doc:"What pays invoices."`
	Repaid    string           `json:"repaid" format:"decimal" doc:"What was paid back to the customer."`
	Left      string           `json:"left" format:"decimal" doc:"The customer's credit."`
	Date      date.Date        `json:"date"`
	Method    string           `json:"method" enum:"bank_transfer,card,cash,other"`
	Provider  string           `json:"provider,omitzero"`
	Reference string           `json:"reference,omitzero"`
	RemovedAt time.Time        `json:"removed_at,omitzero"`

	CreditNote record.Reference `json:"credit_note,omitzero" doc:"With which paid money became this credit. Then there was no transfer."`
}

func showReceipt(r receipt.Receipt) any {
	return receiptJSON{
		Header: r.Header, Alike: r.Alike, Customer: r.Customer, Currency: r.Currency, Amount: r.Currency.Format(r.Amount),
		Allocated: r.Currency.Format(r.Allocated), Repaid: r.Currency.Format(r.Repaid), Left: r.Currency.Format(r.Left), Date: r.Date,
		Method: r.Method, Provider: r.Provider, Reference: r.Reference, RemovedAt: r.RemovedAt, CreditNote: r.CreditNote,
	}
}

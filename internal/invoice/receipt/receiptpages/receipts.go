// Package receiptpages has the pages and the API of receipts, and of what their credit is used for.
package receiptpages

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/closing"
	"onlyonce/internal/invoice/excerpt"
	"onlyonce/internal/invoice/invoiceform"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/receipt"
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
	if err := s.explainRemoval(r, of, &view); err != nil {
		return nil, err
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
			row.Kept = periodClosed
		case each.BecameCredit:
			row.Kept = "A part became credit with a credit note"
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

// periodClosed is the reason why a record of a closed day has no button.
const periodClosed = "Its period is closed"

// explainRemoval replaces the button that removes a receipt with the reason, if it can't be removed.
func (s *pages) explainRemoval(r *http.Request, of receipt.Receipt, view *templates.RecordView) error {
	if of.CreditNote.ID != uuid.Nil {
		return nil // it has no button
	}
	err := receipt.Removable(r.Context(), s.site.Pool, web.Principal(r).Tenant, of)
	refused, ok := errors.AsType[*conflict.Error](err)
	if !ok {
		return err
	}
	why := templates.Fact{Label: "Removal", Value: refused.Text}
	if refused.Kind == &invoice.PeriodClosed {
		why.Value = periodClosed
	}
	view.Actions, view.Facts = nil, append(view.Facts, why)
	return nil
}

func (s *pages) removePage(r *http.Request, p templates.Page, f templates.Form, of receipt.Receipt) (templ.Component, error) {
	effects := []string{"The credit of the customer goes down by " + web.AmountText(of.Currency, of.Left) +
		". The receipt stays in the list, as removed."}
	if of.Allocated > 0 {
		effects = append(effects, "The payments that were recorded with it are removed too: what is open on their invoices goes up by "+
			web.AmountText(of.Currency, of.Allocated)+" together.")
	}
	return invoiceviews.RemovePage(p, invoiceviews.Remove{
		Form: f, What: "receipt", Name: of.Customer.Name, Href: s.receipts.URL(of.ID), Amount: web.AmountText(of.Currency, of.Amount),
		Date: "received " + web.DateText(of.Date), Effects: effects, Today: s.site.Today(r).Display(),
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

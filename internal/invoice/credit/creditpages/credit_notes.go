// Package creditpages has the pages and the API of credit notes.
package creditpages

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/document"
	"onlyonce/internal/invoice/excerpt"
	"onlyonce/internal/invoice/invoiceform"
	"onlyonce/internal/invoice/pdf"
	"onlyonce/internal/record"
	"onlyonce/internal/value/typed"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// pages has the dependencies of the pages.
type pages struct {
	site     *web.Site
	invoices *web.Mounted[invoice.Invoice]
	notes    *web.Mounted[credit.Note]
	render   Render
	mailsOf  MailsOf
}

// Render returns a document as a PDF file.
type Render func(ctx context.Context, name string, shown pdf.Document) (web.File, error)

// MailsOf returns the emails with a credit note of an invoice for its page.
type MailsOf func(r *http.Request, pool *pgxpool.Pool, n credit.Note, inv invoice.Invoice) (invoiceviews.InvoiceMails, error)

// Mount mounts credit notes, which are listed for each invoice and for all.
func Mount(on *web.Site, invoices *web.Mounted[invoice.Invoice], render Render, mailsOf MailsOf) {
	s := &pages{site: on, invoices: invoices, render: render, mailsOf: mailsOf}
	m := web.Under(s.invoices, s.site, web.Resource[credit.Note]{
		One: "credit note", Path: "/credit-notes", Table: credit.Table, Rules: credit.Rules(), View: showCreditNote,
		Name: func(n credit.Note) string { return n.Number },
	})
	s.notes = m
	draft := web.NewFormUnder(s.invoices, m, credit.Input.Draft, web.Form[credit.Note]{
		Fields: []templates.Field{{Name: "amount", Value: "Amount"}, {Name: "reason", Value: "Reason"}, {Name: "date", Value: "Date"}},
		Page:   s.creditNoteForm, Facts: creditFacts, Control: creditControl,
		RepeatedFields: []string{"line_quantity"},
		Example:        credit.Input{Lines: []credit.LineInput{{Position: 1, Quantity: "1"}}},
	})
	draft.Form = s.creditOfForm // its fields are the fields of lines
	draft = invoiceform.AskAbout(draft, "/date", func(r *http.Request, d credit.Draft) (invoiceform.Doubt, error) {
		return invoiceform.UnusualMoney("credit note", cmp.Or(d.Date, s.site.Today(r)), s.site.Today(r)), nil
	})
	web.List(m, web.Listing[credit.Note]{
		Summary: "The credit notes of an invoice, newest first.", View: showCreditNote, Read: web.ListUnder(s.invoices, credit.ListOf),
	})
	web.ListAll(m, invoiceform.Below[credit.Listed]{
		Pool: s.site.Pool, Many: "credit notes", Dated: "issued", Placeholder: "Number, reason, invoice, customer or total",
		Searched: "whose number begins with this, whose reason has, or of invoices whose number, lines, or customer's name, email, " +
			"tax ID, contact or reference have words that begin with these",
		List: credit.List, SumUp: credit.SumUp, Sums: []invoiceviews.Standing{{Kind: "credited", Label: "Credited"}},
	}.Search(web.Listing[credit.Listed]{
		Summary: "Credit notes, latest day first. A page may have fewer than limit, or none, even when there is a next_cursor.",
		Filters: []web.Filter{{Name: "customer_id", Of: "customers", Names: customer.Names, NoSection: true}},
		View:    func(n credit.Listed) any { return showCreditNote(n.Note) },
		Columns: []templates.Column{
			{Label: "Number", Class: "nobreak"}, {Label: "Issued on", Class: "date"}, {Label: "Invoice", Class: "nobreak"},
			{Label: "Customer", Class: "name"}, {Label: "Amount", Class: "num"},
		},
		Row: func(r *http.Request, n credit.Listed) []string {
			return []string{n.Number, web.DateText(n.Date), n.InvoiceNumber, n.Customer.Name, web.AmountText(n.Currency, n.Total)}
		},
		Empty: "When you credit an invoice on its page, the credit note appears here.",
		Headings: []string{
			"id", "number", "date", "invoice", "customer", "currency", "net", "tax", "total", "became_credit", "reason",
		},
		Cells: func(n credit.Listed) []string {
			c := n.Currency
			return []string{
				n.ID.String(), n.Number, n.Date.String(), n.InvoiceNumber, n.Customer.Name, c.String(), c.Format(n.Subtotal),
				c.Format(n.TaxTotal), c.Format(n.Total), c.Format(n.BecameCredit), n.Reason,
			}
		},
	}))
	web.Show(m, web.RecordPage[credit.Note]{Summary: "One credit note.", Page: s.creditNotePage})
	web.Download(m, "pdf", "application/pdf", "The credit note as a PDF file.", s.creditNotePDF)
	web.Download(m, "ubl", "application/xml", "The credit note as an e-invoice: UBL 2.1 with the terms of EN 16931.", s.eCreditNote,
		&document.Incomplete)
	web.Redisplay(m, nil)
	web.Create(m, "Credit quantities of the lines of an issued invoice, or an amount, at most what is open or paid. Leave both out to "+
		"credit all that is left. What exceeds the open amount becomes credit of the customer, which is a receipt.",
		credit.Create, draft, s.freshCreditNote, &credit.ExceedsInvoice, &invoice.NotIssued, &invoice.PeriodClosed)
	s.mountReversals()
}

func (s *pages) creditOfForm(r *http.Request) (credit.Draft, error) {
	inv, err := s.invoices.Find(r)
	if err != nil {
		return credit.Draft{}, err
	}
	return draftOf(r.PostForm, inv)
}

// draftOf reads the command of a form. Its quantities don't count if it has an amount.
func draftOf(form url.Values, inv invoice.Invoice) (credit.Draft, error) {
	in := credit.Input{
		Lines: []credit.LineInput{}, SeenOpen: form.Get(invoiceviews.SeenOpenField), Reason: form.Get("reason"), Date: form.Get("date"),
		Tell: form.Get(invoiceviews.TellField) == "true",
	}
	var questions invalid.Error
	quantities := form["line_quantity"] // normalized in place, for a form that is shown again
	for i := range quantities {
		invoiceform.ReadNumber(&questions, "/lines/"+strconv.Itoa(i)+"/quantity", &quantities[i], 2)
		in.Lines = append(in.Lines, credit.LineInput{Position: i + 1, Quantity: cmp.Or(quantities[i], "0")})
	}
	if amount := form["amount"]; len(amount) > 0 && strings.TrimSpace(amount[0]) != "" {
		questions = invalid.Error{}
		invoiceform.ReadAmount(&questions, "/amount", &amount[0], inv.Currency.Decimals())
		in.Amount, in.Lines = amount[0], nil
	}
	draft, err := in.Draft(inv)
	return draft, invoiceform.WithQuestions(err, questions)
}

// freshCreditNote fills in the remaining quantities of all lines, unless they exceed the open and paid
// amounts, and the date.
func (s *pages) freshCreditNote(r *http.Request) (url.Values, error) {
	inv, err := s.invoices.Find(r)
	if err == nil {
		err = credit.Possible(inv)
	}
	if err != nil {
		return nil, err
	}
	left, err := credit.LeftOf(r.Context(), s.site.Pool, web.Principal(r).Tenant, inv.ID)
	day := s.site.Today(r)
	if day.Before(inv.IssueDate) {
		day = inv.IssueDate
	}
	fresh := url.Values{
		invoiceviews.TellField: {"true"}, "date": {day.String()}, "line_quantity": make([]string, len(left)),
	}
	if inv.WrittenOff == 0 {
		fresh["line_quantity"] = quantitiesOf(left)
	}
	return fresh, err
}

// quantitiesOf returns the remaining quantities of lines as text of the form.
func quantitiesOf(left []credit.Left) (all []string) {
	for _, line := range left {
		all = append(all, typed.Unambiguous(line.Quantity.String()))
	}
	return all
}

func (s *pages) creditNoteForm(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	inv, err := s.invoices.Find(r)
	if err != nil {
		return nil, err
	}
	left, err := credit.LeftOf(r.Context(), s.site.Pool, web.Principal(r).Tenant, inv.ID)
	if err != nil {
		return nil, err
	}
	view := invoiceviews.CreditNoteFormView{
		Form: f, Number: inv.Number, Href: "/invoices/" + inv.ID.String(), Currency: inv.Currency.String(),
		Open: inv.Currency.Display(inv.Open), SeenOpen: inv.Currency.Format(inv.Open), To: inv.Customer.Email,
	}
	total, net := inv.Total-inv.Credited, int64(0)
	for i, line := range left {
		net += line.Net
		view.Lines = append(view.Lines, invoiceviews.CreditLine{
			Description: line.Description, Quantity: inv.Lines[i].QuantityText(), UnitPrice: inv.Currency.DisplayPrice(line.UnitPrice),
			Amount: inv.Currency.Display(inv.Lines[i].Net), Left: line.Unit.Of(line.Quantity), LeftAmount: inv.Currency.Display(line.Net),
		})
	}
	view.Subtotal, view.Tax, view.Total = inv.Currency.Display(net), inv.Currency.Display(total-net), inv.Currency.Display(total)
	switch f.Typed.Get(templates.RedisplayField) {
	case invoiceviews.CreditAll:
		f.Typed["line_quantity"] = quantitiesOf(left)
		f.Typed.Del("amount")
		view.Preview = preview(f.Typed, inv, left)
	case invoiceviews.CreditNone:
		f.Typed["line_quantity"] = make([]string, len(left))
	case invoiceviews.PreviewCredit:
		view.Preview = preview(f.Typed, inv, left)
	}
	if inv.Paid > 0 {
		view.Paid = inv.Currency.Display(inv.Received())
	}
	if inv.BecameCredit > 0 {
		view.Became = inv.Currency.Display(inv.BecameCredit)
	}
	if inv.WrittenOff > 0 {
		view.Most = inv.Currency.Display(inv.Open + inv.Paid)
	}
	return invoiceviews.CreditNoteForm(p, view), nil
}

// preview returns the amounts of the credit note of a form.
func preview(form url.Values, inv invoice.Invoice, left []credit.Left) invoiceviews.CreditPreview {
	show := inv.Currency.Display
	if draft, err := draftOf(form, inv); err == nil {
		if a, possible := draft.Preview(inv, left); possible {
			return invoiceviews.CreditPreview{
				Net: show(a.Net), Tax: show(a.Tax), Total: show(a.Total), BecomesCredit: show(a.BecomesCredit),
			}
		}
	}
	return invoiceviews.CreditPreview{Impossible: true}
}

// creditFacts returns the typed lines, each as a fact.
func creditFacts(form url.Values) []templates.Fact {
	facts := []templates.Fact{{Label: "Reason", Value: form.Get("reason")}, {Label: "Date", Value: form.Get("date")}}
	if amount := form.Get("amount"); amount != "" {
		return append(facts, templates.Fact{Label: "Amount", Value: amount})
	}
	for i, quantity := range form["line_quantity"] {
		facts = append(facts, templates.Fact{Label: "Quantity of line " + strconv.Itoa(i+1), Value: quantity})
	}
	return facts
}

// creditControl returns the form control for a place in the command.
func creditControl(pointer string) string {
	if pointer == "/amount" || pointer == "/reason" || pointer == "/date" {
		return strings.TrimPrefix(pointer, "/")
	}
	parts := strings.Split(pointer, "/") // such as "", "lines", "0", "quantity"
	index := 0
	if len(parts) > 2 {
		index, _ = strconv.Atoi(parts[2])
	}
	return invoiceviews.LineControl("line_quantity", index)
}

func (s *pages) creditNotePage(r *http.Request, p templates.Page, n credit.Note) (templ.Component, error) {
	inv, err := record.Find(r.Context(), s.site.Pool, invoice.Table, web.Principal(r).Tenant, n.InvoiceID)
	if err != nil {
		return nil, err
	}
	money := n.Currency.Display
	view := invoiceviews.CreditNote{
		Number: n.Number, Seller: excerpt.Seller(inv), Buyer: excerpt.Buyer(inv), Date: web.DateText(n.Date), Currency: n.Currency.String(),
		Reason: n.Reason, Footer: inv.Seller.Footer,
		InvoiceNumber: inv.Number, InvoiceDate: web.DateText(inv.IssueDate), InvoiceHref: "/invoices/" + inv.ID.String(),
		Subtotal: money(n.Subtotal), Total: money(n.Total), PDFHref: "/credit-notes/" + n.ID.String() + "/pdf",
		EInvoiceHref: "/credit-notes/" + n.ID.String() + "/ubl",
	}
	if n.BecameCredit != 0 {
		view.BecameCredit = money(n.BecameCredit)
	}
	if n.BecameCredit > 0 {
		view.ReceiptHref = "/receipts/" + n.Receipt.String()
	}
	switch {
	case n.Reverses.ID != uuid.Nil:
		view.Reverses, view.OtherHref = n.Reverses.Name, s.notes.URL(n.Reverses.ID)
	case n.ReversedBy.ID != uuid.Nil:
		view.ReversedBy, view.OtherHref = n.ReversedBy.Name, s.notes.URL(n.ReversedBy.ID)
	default:
		view.ReverseHref = web.FormHref(r, s.notes.URL(n.ID)+"/reversals/new")
		err := credit.Reversible(r.Context(), s.site.Pool, web.Principal(r).Tenant, n)
		if refused, ok := errors.AsType[*conflict.Error](err); ok {
			view.ReverseHref, view.Kept = "", refused.Text
		} else if err != nil {
			return nil, err
		}
	}
	for _, l := range n.Lines {
		line := excerpt.LineView(l.Line, n.Currency)
		if l.Part {
			line.Discount, line.Quantity, line.UnitPrice = credit.PartText, "", ""
		}
		view.Lines = append(view.Lines, line)
	}
	for _, t := range n.Taxes {
		view.Taxes = append(view.Taxes, invoiceviews.TaxLine{
			Label: t.NoTax.GroupText(t.Rate), Net: money(t.Net), Amount: money(t.Tax), Reason: t.NoTax.ReasonText(inv.Exemption),
		})
	}
	view.Mails, err = s.mailsOf(r, s.site.Pool, n, inv)
	return invoiceviews.CreditNotePage(p, view), err
}

// creditNotePDF renders a credit note, together with data of its invoice.
func (s *pages) creditNotePDF(r *http.Request, n credit.Note) (web.File, error) {
	inv, err := record.Find(r.Context(), s.site.Pool, invoice.Table, web.Principal(r).Tenant, n.InvoiceID)
	if err != nil {
		return web.File{}, err
	}
	logo, err := document.Logo(r.Context(), s.site.Pool, web.Principal(r).Tenant, inv.Seller)
	if err != nil {
		return web.File{}, err
	}
	return s.render(r.Context(), document.CreditNoteName(n), document.OfCreditNote(n, inv, logo))
}

// eCreditNote returns a credit note as XML.
func (s *pages) eCreditNote(r *http.Request, n credit.Note) (web.File, error) {
	inv, err := record.Find(r.Context(), s.site.Pool, invoice.Table, web.Principal(r).Tenant, n.InvoiceID)
	if err != nil {
		return web.File{}, err
	}
	content, err := document.ECreditNote(n, inv)
	return web.File{Name: document.ECreditNoteName(n), Content: content}, err
}

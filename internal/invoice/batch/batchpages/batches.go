// Package batchpages has the pages and the API of batches, which issue or send several invoices.
package batchpages

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/batch"
	"onlyonce/internal/invoice/document"
	"onlyonce/internal/invoice/excerpt"
	"onlyonce/internal/invoice/mail"
	"onlyonce/internal/record"
	"onlyonce/internal/value/money"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// pages has the dependencies of the pages.
type pages struct {
	site     *web.Site
	batches  *web.Mounted[batch.Batch]
	invoices *web.Mounted[invoice.Invoice]
	warn     Warn
}

// Warn returns warnings about chosen drafts, by their ids.
type Warn func(r *http.Request, drafts []invoice.Invoice) (map[uuid.UUID][]invoiceviews.Warning, error)

// Mount mounts the batches, whose invoices are chosen in the list of invoices.
func Mount(on *web.Site, invoices *web.Mounted[invoice.Invoice], warn Warn) {
	m := web.Resource[batch.Batch]{
		One: "invoice batch", Path: "/invoice-batches", Tab: "Batches", Table: batch.Table, Name: batch.Name,
	}.Mount(on.Within("invoices"))
	s := &pages{on, m, invoices, warn}
	web.Enter(m, web.Form[batch.Batch]{
		Fields: []templates.Field{
			{Name: invoiceviews.ActionField, Value: "Action"}, {Name: invoiceviews.BatchedField, Value: "Invoices"},
			{Name: invoiceviews.EInvoiceField, Value: "E-invoice"},
		},
		Control: func(string) string { return invoiceviews.BatchedField },
		Page:    s.form,
		Example: batch.Input{Action: batch.ActionIssue, Invoices: []string{"019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80"}},
		Words: &web.Wording{
			Title: "Issue or send invoices", Submit: "Send", Did: "started", Does: "starts", Again: "Start this again",
			Created:  "%s: started.",
			Replayed: "Started. We ignored the duplicate submission and kept your first request.",
		},
	})
	web.List(m, web.Listing[batch.Batch]{
		Summary: "Batches, newest first.",
		Read: func(r *http.Request, page record.Page) (record.List[batch.Batch], error) {
			return batch.List(r.Context(), s.site.Pool, web.Principal(r).Tenant, page)
		},
		Columns: []templates.Column{{Label: "Batch", Class: "name"}, {Label: "Progress", Class: "name"}, {Label: "Started", Class: "date"}},
		Row: func(r *http.Request, b batch.Batch) []string {
			return []string{batch.Name(b), progress(b), web.Day(r, b.CreatedAt)}
		},
		Empty: "Choose invoices in the list of invoices to issue or send them at once.",
	})
	web.Show(m, web.RecordPage[batch.Batch]{
		Summary: "One batch. Read it again to see how far it is: it is finished when no invoice is waiting.", Facts: facts, Page: s.page,
	})
	web.Create(m, "Issue or send several invoices, one after the other, each once.", batch.Create,
		web.NewCommand(func(r *http.Request) (batch.Draft, error) {
			return batch.Input{
				Action: r.PostForm.Get(invoiceviews.ActionField), Email: r.PostForm.Get(invoiceviews.EmailField),
				EInvoice: r.PostForm.Get(invoiceviews.EInvoiceField) == "true",
				Invoices: strings.Fields(r.PostForm.Get(invoiceviews.BatchedField)),
			}.Draft()
		}, batch.Input.Draft), s.fresh)
}

// progress returns how far a batch is: "12 of 40".
func progress(b batch.Batch) string {
	return fmt.Sprintf("%d of %d", len(b.Invoices)-b.Count(batch.Waiting), len(b.Invoices))
}

func facts(r *http.Request, b batch.Batch) []templates.Fact {
	mailed := 0
	for _, i := range b.Invoices {
		if i.Mailed {
			mailed++
		}
	}
	all := []templates.Fact{{Label: "Progress", Value: progress(b)}}
	if b.Action == batch.ActionIssue {
		all = append(all, templates.Fact{Label: "Issued", Value: strconv.Itoa(b.Count(batch.Done))})
	}
	all = append(all, templates.Fact{Label: "Emails queued", Value: strconv.Itoa(mailed)})
	if n := b.Count(batch.Unchanged); n > 0 {
		all = append(all, templates.Fact{Label: "Issued before", Value: strconv.Itoa(n)})
	}
	return append(all, templates.Fact{Label: "Refused", Value: strconv.Itoa(b.Count(batch.Refused))},
		templates.Fact{Label: "Started", Value: web.Moment(r, b.CreatedAt) + " by " + b.AskedBy})
}

func (s *pages) page(r *http.Request, p templates.Page, b batch.Batch) (templ.Component, error) {
	view := invoiceviews.Batch{RecordView: web.RecordView(s.batches, r, b), Unfinished: b.Count(batch.Waiting) > 0}
	text := map[string]string{batch.Waiting: "Waiting", batch.Done: "Issued", batch.Unchanged: "Issued before", batch.Refused: "Refused: "}
	for _, i := range b.Invoices {
		outcome := text[i.Outcome] + i.Reason
		switch {
		case i.Mailed && b.Action == batch.ActionIssue:
			outcome += ", email queued"
		case i.Mailed:
			outcome = "Email queued"
		}
		view.Invoices = append(view.Invoices, invoiceviews.BatchRow{Number: i.Number, Href: s.invoices.URL(i.InvoiceID), Outcome: outcome})
	}
	return invoiceviews.BatchPage(p, view), nil
}

// fresh fills in the invoices in the address that can be issued or sent.
func (s *pages) fresh(r *http.Request) (url.Values, error) {
	action := r.URL.Query().Get(invoiceviews.ActionField)
	found, err := excerpt.NamedIn(r, s.site.Pool)
	var chosen []string
	for _, inv := range found {
		if _, can := gets(action, inv); can {
			chosen = append(chosen, inv.ID.String())
		}
	}
	return url.Values{invoiceviews.ActionField: {action}, invoiceviews.BatchedField: {strings.Join(chosen, " ")}}, err
}

// form lists the chosen invoices, and on a new form also the reasons why others are left out.
func (s *pages) form(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	view := invoiceviews.BatchForm{Form: f, EmailCustomer: invoice.EmailCustomer, EmailNone: invoice.EmailNone}
	action := f.Typed.Get(invoiceviews.ActionField)
	view.Issues, view.Title = action == batch.ActionIssue, "Send invoices"
	if view.Issues {
		view.Title = "Issue invoices"
	}
	ids := excerpt.IDs(strings.Fields(f.Typed.Get(invoiceviews.BatchedField)))
	chosen, err := invoice.Chosen(r.Context(), s.site.Pool, web.Principal(r).Tenant, ids)
	if err != nil {
		return nil, err
	}
	var warnings map[uuid.UUID][]invoiceviews.Warning
	if view.Issues {
		drafts, err := invoice.ChosenWhole(r.Context(), s.site.Pool, web.Principal(r).Tenant, ids)
		if err != nil {
			return nil, err
		}
		if warnings, err = s.warn(r, drafts); err != nil {
			return nil, err
		}
	}
	var late []string
	for _, inv := range chosen {
		text, _ := gets(action, inv)
		row := excerpt.Chosen(inv, inv.Total, text)
		row.Warnings = warnings[inv.ID]
		view.Chosen = append(view.Chosen, row)
		if view.Issues && inv.DueDate.Before(s.site.Today(r)) {
			late = append(late, inv.Number)
		}
	}
	view.Sums = sums(chosen)
	if len(late) > 0 {
		view.PastDue = "The due date of " + document.Listed(late) + " has passed."
	}
	if len(view.Chosen) == 0 {
		view.KeptFor = "" // nothing was typed
	}
	named, err := excerpt.NamedIn(r, s.site.Pool)
	for _, inv := range named {
		if text, can := gets(action, inv); !can {
			view.Left = append(view.Left, excerpt.Chosen(inv, inv.Total, text))
		}
	}
	return invoiceviews.BatchFormPage(p, view), err
}

// sums returns the number and the totals of invoices: "3 invoices, 250.00 EUR and 90.00 USD".
func sums(of []invoice.Summary) string {
	totals := map[money.Currency]int64{}
	for _, inv := range of { // at most 100, each with at most 2^53 minor units
		totals[inv.Currency] += inv.Total
	}
	var texts []string
	for _, inv := range of {
		if total, left := totals[inv.Currency]; left {
			texts = append(texts, web.AmountText(inv.Currency, total))
			delete(totals, inv.Currency)
		}
	}
	noun := " invoices, "
	if len(of) == 1 {
		noun = " invoice, "
	}
	return strconv.Itoa(len(of)) + noun + document.Listed(texts)
}

// gets returns the effect of an action on an invoice, or the reason why it is left out.
func gets(action string, inv invoice.Summary) (text string, can bool) {
	issues, of := action == batch.ActionIssue, invoice.Invoice{Status: inv.Status}
	switch {
	case issues && inv.Status == invoice.StatusVoid:
		return "It is void.", false
	case issues && inv.Status != invoice.StatusDraft:
		return "It is issued already.", false
	case issues && inv.Closed:
		return "Its period is closed.", false
	case !issues && mail.Possible(of) != nil:
		return "It isn't issued.", false
	case inv.Customer.Email != "":
		return "To " + inv.Customer.Email + excerpt.Copies(inv), true
	case issues:
		return "Issued without an email: the customer has no email address.", true
	default:
		return "The customer has no email address.", false
	}
}

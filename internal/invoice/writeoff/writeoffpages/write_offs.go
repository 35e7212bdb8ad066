// Package writeoffpages has the pages and the API of write-offs.
package writeoffpages

import (
	"cmp"
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoiceform"
	"onlyonce/internal/invoice/writeoff"
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
}

// Mount mounts write-offs below invoices, which list and show them.
func Mount(on *web.Site, invoices *web.Mounted[invoice.Invoice]) {
	s := &pages{on, invoices}
	m := web.Under(s.invoices, s.site, web.Resource[writeoff.WriteOff]{
		One: "write-off", Path: "/write-offs", Table: writeoff.Table, Name: writeoff.Name, View: showWriteOff,
		ShownAt: func(w writeoff.WriteOff) string { return "/invoices/" + w.InvoiceID.String() },
	})
	draft := web.NewFormUnder(s.invoices, m, writeoff.Input.Draft, web.Form[writeoff.WriteOff]{
		Fields: []templates.Field{
			{Name: "amount", Value: "Amount"}, {Name: "reason", Value: "Reason"}, {Name: "note", Value: "Note"},
			{Name: "date", Value: "Date"},
		},
		Page: s.writeOffForm, Example: writeoff.Input{Amount: "0.03", Date: "2026-11-23", Reason: writeoff.SmallDifference},
		Words: &web.Wording{
			Title: "Write off", Submit: "Write off", Did: "recorded", Does: "records", Again: "Write off more",
			Created: "Written off.", Replayed: "Written off. We ignored the duplicate submission and kept your first request.",
		},
	})
	draft = invoiceform.AmountAsTyped(draft, s.invoices, func(i invoice.Invoice) money.Currency { return i.Currency })
	draft = invoiceform.AskAbout(draft, "/date", s.unusualWriteOff)
	web.List(m, web.Listing[writeoff.WriteOff]{
		Summary: "The write-offs of an invoice, newest first.", View: showWriteOff, Read: web.ListUnder(s.invoices, writeoff.ListOf),
	})
	web.Show(m, web.RecordPage[writeoff.WriteOff]{Summary: "One write-off."})
	web.Create(m, "Write off what is open on an issued invoice, or a part of it. The invoice's documents stay as they are.",
		writeoff.Create, draft, s.freshWriteOff, &writeoff.ExceedsOpen, &invoice.NotIssued, &invoice.PeriodClosed)
	web.Transition(m, "reverse", "taken back", "Take back a write-off, so that its amount is open again. Its entry stays in the ledger, "+
		"with another one that reverses it.", writeoff.Reverse, web.Nothing())
	web.Ask(m, "reverse", writeoff.Reverse, web.Question[writeoff.WriteOff]{Submit: "Take back", Page: s.takeBackPage})
}

// unusualWriteOff returns the question about the day, or about a small difference that is large.
func (s *pages) unusualWriteOff(r *http.Request, d writeoff.Draft) (invoiceform.Doubt, error) {
	is := invoiceform.UnusualMoney("write-off", d.Date, s.site.Today(r))
	if d.Reason != writeoff.SmallDifference {
		return is, nil
	}
	of, err := s.invoices.Find(r)
	if off := cmp.Or(d.Amount, of.Open); off > writeoff.MostSmall(of) && off <= of.Open {
		is.Answer += " " + of.Currency.Format(off)
		if is.Amount = is.Problem == ""; is.Amount {
			is.Confirm = "Write off this amount"
		} else {
			is.Problem += " "
		}
		is.Problem += web.AmountText(of.Currency, off) + " is much for a small difference on an invoice of " +
			web.AmountText(of.Currency, of.Total) + "."
	}
	return is, err
}

// freshWriteOff fills in the open amount, the first possible day from today on, and the likely reason.
func (s *pages) freshWriteOff(r *http.Request) (url.Values, error) {
	inv, err := s.invoices.Find(r)
	if err == nil {
		err = writeoff.Possible(inv)
	}
	reason := writeoff.BadDebt
	if inv.Paid > 0 {
		reason = writeoff.SmallDifference
	}
	day := s.site.Today(r)
	if day.Before(inv.IssueDate) {
		day = inv.IssueDate
	}
	return url.Values{"amount": {inv.Currency.Format(inv.Open)}, "date": {day.String()}, "reason": {reason}}, err
}

func (s *pages) writeOffForm(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	inv, err := s.invoices.Find(r)
	if err != nil {
		return nil, err
	}
	return invoiceviews.WriteOffForm(p, invoiceviews.WriteOffFormView{
		Form: f, Number: inv.Number, Href: s.invoices.URL(inv.ID), Currency: inv.Currency.String(),
		Open: inv.Currency.Display(inv.Open), SeenOpen: inv.Currency.Format(inv.Open), Reasons: web.Options(writeoff.Reasons()),
	}), nil
}

func (s *pages) takeBackPage(r *http.Request, p templates.Page, f templates.Form, of writeoff.WriteOff) (templ.Component, error) {
	number, err := invoice.Numbers.Of(r.Context(), s.site.Pool, web.Principal(r).Tenant, of.InvoiceID)
	if err != nil {
		return nil, err
	}
	return invoiceviews.TakeBackPage(p, invoiceviews.TakeBack{
		Form: f, Number: number, Href: s.invoices.URL(of.InvoiceID), Amount: web.AmountText(of.Currency, of.Amount),
		Date: web.DateText(of.Date), Today: s.site.Today(r).Display(), Reversed: !of.ReversedAt.IsZero(),
	}), nil
}

// writeOffJSON is a write-off in the API.
type writeOffJSON struct {
	record.Header
	record.Alike

	InvoiceID  uuid.UUID      `json:"invoice_id"`
	Amount     string         `json:"amount" format:"decimal"`
	Currency   money.Currency `json:"currency"`
	Date       date.Date      `json:"date"`
	Reason     string         `json:"reason" enum:"small_difference,bad_debt,other"`
	Note       string         `json:"note,omitzero"`
	ReversedAt time.Time      `json:"reversed_at,omitzero" doc:"When it was taken back."`
}

func showWriteOff(w writeoff.WriteOff) any {
	return writeOffJSON{
		Header: w.Header, Alike: w.Alike, InvoiceID: w.InvoiceID, Amount: w.Currency.Format(w.Amount), Currency: w.Currency, Date: w.Date,
		Reason: w.Reason, Note: w.Note, ReversedAt: w.ReversedAt,
	}
}

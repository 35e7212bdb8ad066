package creditpages

import (
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/receipt"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// mountReversals mounts the reversals of credit notes, which are credit notes too, and are shown as such.
func (s *pages) mountReversals() {
	m := web.Under(s.notes, s.site, web.Resource[credit.Note]{
		One: "reversal", Path: "/reversals", Table: credit.Table, Rules: credit.ReversalRules(), View: showReversal,
		Name:    func(n credit.Note) string { return n.Number },
		ShownAt: func(n credit.Note) string { return s.notes.URL(n.ID) },
	})
	draft := web.NewFormUnder(s.notes, m, credit.ReverseInput.Draft, web.Form[credit.Note]{
		Fields: []templates.Field{
			{Name: "reason", Value: "Reason"}, {Name: "date", Value: "Date"}, {Name: invoiceviews.TellField, Value: "Send by email"},
		},
		Page:    s.reverseForm,
		Example: credit.ReverseInput{Reason: "Wrong invoice"},
		Words: &web.Wording{
			Title: "Reverse a credit note", Submit: "Reverse credit note", Did: "created", Does: "creates", Again: "Reverse it again",
			Created:  "Credit note reversed.",
			Replayed: "Credit note reversed. We ignored the duplicate submission and kept your first request.",
		},
	})
	web.Show(m, web.RecordPage[credit.Note]{Summary: "One reversal of a credit note."})
	web.Create(m, "Reverse a credit note that was created by mistake, with another one whose amounts are below zero. What became "+
		"credit is taken back.", credit.Reverse, draft, s.freshReversal, &credit.Reversed, &receipt.Used, &invoice.PeriodClosed)
}

// freshReversal fills in the date.
func (s *pages) freshReversal(r *http.Request) (url.Values, error) {
	of, err := s.notes.Find(r)
	if err == nil {
		err = credit.Reversible(r.Context(), s.site.Pool, web.Principal(r).Tenant, of)
	}
	day := s.site.Today(r)
	if day.Before(of.Date) {
		day = of.Date
	}
	return url.Values{invoiceviews.TellField: {"true"}, "date": {day.String()}}, err
}

func (s *pages) reverseForm(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	of, err := s.notes.Find(r)
	if err != nil {
		return nil, err
	}
	inv, err := record.Find(r.Context(), s.site.Pool, invoice.Table, web.Principal(r).Tenant, of.InvoiceID)
	if err != nil {
		return nil, err
	}
	f.Cancel = s.notes.URL(of.ID)
	view := invoiceviews.ReverseFormView{
		Form: f, Number: of.Number, Href: f.Cancel, Amount: web.AmountText(of.Currency, of.Total), Invoice: inv.Number,
		InvoiceHref: s.invoices.URL(of.InvoiceID), To: inv.Customer.Email,
	}
	if of.BecameCredit > 0 {
		view.BecameCredit = web.AmountText(of.Currency, of.BecameCredit)
	}
	return invoiceviews.ReverseForm(p, view), nil
}

// reversalJSON is a reversal in the API. The credit note with the same id has its amounts.
type reversalJSON struct {
	record.Header

	Number   string    `json:"number"`
	Date     date.Date `json:"date"`
	Reason   string    `json:"reason"`
	Reverses uuid.UUID `json:"reverses" doc:"The credit note."`
	Total    string    `json:"total" format:"number"`
}

func showReversal(n credit.Note) any {
	return reversalJSON{
		Header: n.Header, Number: n.Number, Date: n.Date, Reason: n.Reason, Reverses: n.Reverses.ID, Total: n.Currency.Format(n.Total),
	}
}

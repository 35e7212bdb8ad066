package invoicepages

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/document"
	"onlyonce/internal/invoice/excerpt"
	"onlyonce/internal/invoice/mail"
	"onlyonce/internal/mailer"
	"onlyonce/internal/record"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// mountSteps mounts the irreversible operations, with their confirmation pages.
func (s *Pages) mountSteps(m *web.Mounted[invoice.Invoice]) {
	web.Transition(m, "issue", "issued", "Issue a draft. From then on it does not change. An email to the customer is queued in the same "+
		"transaction, unless email says none.", invoice.Issue, issueCommand(), &invoice.NotDraft, &invoice.PeriodClosed)
	web.Ask(m, "issue", invoice.Issue, web.Question[invoice.Invoice]{
		Submit: "Issue and email", Page: s.issuePage, Fields: []templates.Field{{Name: "message", Value: "Message"}},
		Fresh: func(r *http.Request, inv invoice.Invoice) (url.Values, error) {
			tenant := web.Principal(r).Tenant
			if err := invoice.Issuable(r.Context(), s.site.Pool, tenant, inv); err != nil {
				return nil, err
			}
			usual, err := invoice.UsualEInvoice(r.Context(), s.site.Pool, tenant, inv)
			return url.Values{invoiceviews.EInvoiceField: {strconv.FormatBool(usual)}}, err
		},
	})
	web.Transition(m, "void", "voided", "Void a draft or an issued invoice. It keeps its number. Nobody is told unless tell_customer "+
		"asks for an email.", invoice.Void, voidCommand(), &invoice.HasPayments, &invoice.HasCreditNotes, &invoice.HasWriteOffs,
		&invoice.NotDuplicate, &invoice.PeriodClosed, &customer.Erased)
	web.Ask(m, "void", invoice.Void, web.Question[invoice.Invoice]{
		Submit: "Void invoice", Page: s.voidPage,
		Fresh: func(r *http.Request, inv invoice.Invoice) (url.Values, error) {
			return url.Values{invoiceviews.DuplicateOfField: {r.URL.Query().Get(invoiceviews.DuplicateOfField)}},
				invoice.Voidable(r.Context(), s.site.Pool, web.Principal(r).Tenant, inv)
		},
	})
}

// issueCommand parses whether to send the customer an email, and its message.
func issueCommand() web.Command[invoice.IssueDraft] {
	return web.NewCommand(func(r *http.Request) (invoice.IssueDraft, error) {
		return invoice.IssueInput{
			Email: r.PostForm.Get(invoiceviews.EmailField), Message: r.PostForm.Get("message"),
			EInvoice: r.PostForm.Get(invoiceviews.EInvoiceField) == "true",
		}.Draft()
	}, invoice.IssueInput.Draft)
}

// voidCommand parses which invoice is kept, if any, and whether to send the customer an email.
func voidCommand() web.Command[invoice.VoidDraft] {
	return web.NewCommand(func(r *http.Request) (invoice.VoidDraft, error) {
		return invoice.VoidInput{
			DuplicateOf: r.PostForm.Get(invoiceviews.DuplicateOfField), Tell: r.PostForm.Get(invoiceviews.TellField) == "true",
		}.Draft()
	}, invoice.VoidInput.Draft)
}

func (s *Pages) issuePage(r *http.Request, p templates.Page, f templates.Form, inv invoice.Invoice) (templ.Component, error) {
	if inv.Customer.Email == "" {
		f.Submit = "Issue only"
	}
	copies, err := invoice.CopiesTo(r.Context(), s.site.Pool, web.Principal(r).Tenant, inv.ID)
	if err != nil {
		return nil, err
	}
	var warnings []invoiceviews.Warning
	if inv.Status == invoice.StatusDraft { // else the form was used
		warnings, err = s.warnings(r, inv)
	}
	return invoiceviews.IssuePage(p, invoiceviews.Issue{
		Form: f, InvoiceStep: excerpt.Step(inv), To: inv.Customer.Email, CopiesTo: copies, Warnings: warnings,
		NoMailServer: !s.sendsMail, EmailCustomer: invoice.EmailCustomer, EmailNone: invoice.EmailNone,
		CanEInvoice: len(document.Lacks(inv)) == 0,
	}), err
}

func (s *Pages) voidPage(r *http.Request, p templates.Page, f templates.Form, inv invoice.Invoice) (templ.Component, error) {
	v, tenant := invoiceviews.Void{Form: f, InvoiceStep: excerpt.Step(inv)}, web.Principal(r).Tenant
	if !inv.IssuedAt.IsZero() {
		v.IssueDate, v.TakenOff = web.DateText(inv.IssueDate), web.DateText(inv.IssueDate)
		if today := s.site.Today(r); inv.IssueDate.Before(today) {
			v.TakenOff = web.DateText(today)
		}
	}
	if kept, err := uuid.Parse(f.Typed.Get(invoiceviews.DuplicateOfField)); err == nil {
		v.DuplicateOf, err = invoice.Numbers.Of(r.Context(), s.site.Pool, tenant, kept)
		if err != nil && !errors.Is(err, record.ErrNotFound) {
			return nil, err
		}
	}
	const recent = 5 // emails; a sent one is among them if there is any
	list, err := mail.ListOf(r.Context(), s.site.Pool, tenant, inv.ID, record.Page{Limit: recent})
	for _, m := range list.Rows {
		if m.State == mailer.StateSent {
			v.To = inv.Customer.Email
		}
	}
	return invoiceviews.VoidPage(p, v), err
}

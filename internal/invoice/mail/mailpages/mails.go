// Package mailpages has the pages and the API of emails to customers.
package mailpages

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/customer"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/document"
	"onlyonce/internal/invoice/mail"
	"onlyonce/internal/invoice/reminder"
	"onlyonce/internal/mailer"
	"onlyonce/internal/record"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// pages has the dependencies of the pages.
type pages struct {
	site     *web.Site
	invoices *web.Mounted[invoice.Invoice]
}

// Mount mounts the resource of package mail. Mails are sent from the pages of their invoices, and all mails of a tenant are listed in its
// outbox.
func Mount(on *web.Site, invoices *web.Mounted[invoice.Invoice]) {
	s := &pages{on, invoices}
	m := web.CreatedUnder(s.invoices, "send", s.site.Within("invoices"), web.Resource[mail.Mail]{
		One: "email", Path: "/outbox", Table: mail.Table, Name: mail.Name,
		ShownAt: func(m mail.Mail) string {
			if m.CreditNoteID != uuid.Nil {
				return "/credit-notes/" + m.CreditNoteID.String()
			}
			return "/invoices/" + m.InvoiceID.String()
		},
	})
	draft := web.NewFormUnder(s.invoices, m, func(in mail.Input, inv invoice.Invoice) (mail.Draft, error) {
		return in.Draft(inv.ID)
	}, web.Form[mail.Mail]{
		Fields: []templates.Field{
			{Name: "recipient", Value: "To"}, {Name: "subject", Value: "Subject"}, {Name: "introduction", Value: "Text"},
			{Name: invoiceviews.EInvoiceField, Value: "E-invoice"}, {Name: invoiceviews.FailedField, Value: "Failed email"},
			{Name: invoiceviews.NoteField, Value: "Credit note"},
		},
		Page: s.mailForm, Example: mail.Input{Recipient: "ada@example.com"},
		Words: &web.Wording{
			Title: "Send this invoice by email", Submit: "Send email", Did: "queued", Does: "sends", Again: "Send another email",
			Created: "Email queued.", Replayed: "Email queued. We ignored the duplicate submission and kept your first request.",
		},
	})
	web.List(m, web.Listing[mail.Mail]{
		Summary: "Emails, newest first.",
		Read: func(r *http.Request, page record.Page) (record.List[mail.Mail], error) {
			return mail.List(r.Context(), s.site.Pool, web.Principal(r).Tenant, page)
		},
		Columns: []templates.Column{
			{Label: "Email", Class: "name"}, {Label: "Kind", Class: "name"},
			{Label: "Queued", Class: "date"}, {Label: "Status", Class: "name"},
		},
		Row: func(r *http.Request, m mail.Mail) []string {
			return []string{mail.Name(m), web.OptionText(m.Kind), web.Day(r, m.CreatedAt), mailState(r, m)}
		},
		Empty: "When you issue an invoice, the email to its customer appears here.",
	})
	web.Show(m, web.RecordPage[mail.Mail]{
		Summary: "One email.", Facts: mailFacts,
		Page: func(r *http.Request, p templates.Page, found mail.Mail) (templ.Component, error) {
			return invoiceviews.MailPage(p, invoiceviews.Mail{RecordView: web.RecordView(m, r, found), Text: found.Text}), nil
		},
	})
	web.Create(m, "Queue one more email about an issued invoice, or a failed one again. Leave recipient out to send it to the customer.",
		mail.Send, draft, s.freshMail, &invoice.NotIssued, &mail.NotFailed, &customer.Erased)
	mountTexts(s.site)
}

// freshMail fills in the customer as the recipient, the email texts, and the e-invoice as in the last email; or a failed email to send
// again, or a credit note.
func (s *pages) freshMail(r *http.Request) (url.Values, error) {
	inv, err := s.invoices.Find(r)
	if failed, wrong := uuid.Parse(r.URL.Query().Get(invoiceviews.FailedField)); err == nil && wrong == nil {
		m, err := record.Find(r.Context(), s.site.Pool, mail.Table, web.Principal(r).Tenant, failed)
		return url.Values{
			"recipient": {m.Recipient}, "subject": {m.Subject}, "introduction": {m.Opening(inv)},
			invoiceviews.FailedField: {failed.String()},
		}, err
	}
	if err == nil {
		err = mail.Possible(inv)
	}
	if err != nil {
		return nil, err
	}
	kind, note := mail.KindInvoice, credit.Note{}
	if id, wrong := uuid.Parse(r.URL.Query().Get(invoiceviews.NoteField)); wrong == nil {
		if note, err = record.Find(r.Context(), s.site.Pool, credit.Table, web.Principal(r).Tenant, id); err != nil {
			return nil, err
		}
		kind = mail.KindOf(note)
	}
	subject, text, err := mail.WordingOf(r.Context(), s.site.Pool, web.Principal(r).Tenant, inv, kind, note)
	if err != nil {
		return nil, err
	}
	fresh := url.Values{"recipient": {inv.Customer.Email}, "subject": {subject}, "introduction": {text}}
	if note.Header.ID != uuid.Nil {
		fresh.Set(invoiceviews.NoteField, note.Header.ID.String())
		return fresh, nil
	}
	usual, err := invoice.UsualEInvoice(r.Context(), s.site.Pool, web.Principal(r).Tenant, inv)
	fresh.Set(invoiceviews.EInvoiceField, strconv.FormatBool(usual))
	return fresh, err
}

func (s *pages) mailForm(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	inv, err := s.invoices.Find(r)
	if err != nil {
		return nil, err
	}
	copies, err := invoice.CopiesTo(r.Context(), s.site.Pool, web.Principal(r).Tenant, inv.ID)
	again, note := f.Typed.Get(invoiceviews.FailedField) != "", f.Typed.Get(invoiceviews.NoteField) != ""
	switch {
	case again:
		f.Title = "Send this email again"
	case note:
		f.Title = "Send this credit note by email"
	}
	return invoiceviews.MailForm(p, invoiceviews.MailFormView{
		Form: f, Number: inv.Number, Href: "/invoices/" + inv.ID.String(), NoAddress: inv.Customer.Email == "",
		CopiesTo: copies, CanEInvoice: !again && !note && len(document.Lacks(inv)) == 0, Again: again, Note: note,
	}), err
}

func mailFacts(r *http.Request, m mail.Mail) []templates.Fact {
	facts := []templates.Fact{
		{Label: "To", Value: m.Recipient}, {Label: "Subject", Value: m.Subject},
		{Label: "Invoice", Value: m.Number, Href: "/invoices/" + m.InvoiceID.String()},
		{Label: "Status", Value: mailState(r, m)}, {Label: "Attempts", Value: strconv.Itoa(m.Attempts)},
	}
	if m.Copies != "" {
		facts = slices.Insert(facts, 1, templates.Fact{Label: "Copies to", Value: m.Copies})
	}
	if m.MessageID != "" {
		facts = append(facts, templates.Fact{Label: "Message-ID", Value: m.MessageID})
	}
	return facts
}

// mailKind returns the kind of a mail for users.
func mailKind(m mail.Mail) string {
	if level := m.Level(); level > 0 {
		return reminder.LevelName(level)
	}
	switch m.Kind {
	case mail.KindCreditNote:
		return "Credit note"
	case mail.KindReversal:
		return "Reversal of a credit note"
	default:
		return "Email"
	}
}

// mailState returns the state of a mail for users.
func mailState(r *http.Request, m mail.Mail) string {
	switch {
	case m.State == mailer.StateFailed:
		return "Failed. " + m.Reason
	case m.Kept:
		return "Not sent: " + m.Reason
	case m.State == mailer.StateSent:
		return "Sent on " + web.Moment(r, m.SentAt)
	case m.Reason != "":
		return "Waiting to try again. " + m.Reason
	default:
		return "Waiting to be sent"
	}
}

// justNow is the time after the last mail was queued in which the page offers no further one.
const justNow = 5 * time.Second

// maxMails is the number of mails on the page of an invoice, newest first.
const maxMails = 5

// OfInvoice returns the mails of an invoice for its page, with a button to send one more, unless the last one is still queued. A draft has
// no mails: the first is queued when it is issued.
func OfInvoice(r *http.Request, pool *pgxpool.Pool, inv invoice.Invoice) (v invoiceviews.InvoiceMails, err error) {
	if inv.Status == invoice.StatusDraft {
		return v, nil
	}
	if mail.Possible(inv) == nil {
		href := "/invoices/" + inv.ID.String() + "/send"
		v.Send, v.OtherHref = web.Button(r, "Send by email", "Sending…", href), web.FormHref(r, href+"/new")
	}
	list, err := mail.ListOf(r.Context(), pool, web.Principal(r).Tenant, inv.ID, record.Page{Limit: maxMails})
	found := list.Rows
	for i, m := range found {
		row := rowOf(r, m)
		if row.Failed && m.Kind != mail.KindInvoice && !slices.ContainsFunc(found[:i], func(later mail.Mail) bool {
			return later.Kind == m.Kind && later.CreditNoteID == m.CreditNoteID
		}) {
			row.AgainHref = web.FormHref(r, "/invoices/"+inv.ID.String()+"/send/new?"+invoiceviews.FailedField+"="+m.ID.String())
		}
		v.Rows = append(v.Rows, row)
	}
	if i := slices.IndexFunc(found, func(m mail.Mail) bool { return m.EInvoice }); i >= 0 && mail.Possible(inv) == nil {
		v.Send.Fields = []templates.Field{{Name: invoiceviews.EInvoiceField, Value: "true"}}
	}
	// The button is about the last email with the invoice.
	found = slices.DeleteFunc(found, func(m mail.Mail) bool { return m.Kind != mail.KindInvoice })
	offer(&v, found, inv)
	return v, err
}

// offer words the button that sends one more mail, by the last ones of its kind. It takes the button away while the last one is queued, and
// if the customer has no address.
func offer(v *invoiceviews.InvoiceMails, last []mail.Mail, inv invoice.Invoice) {
	switch {
	case len(last) == 0:
	case time.Since(last[0].CreatedAt) < justNow:
		v.Send, v.OtherHref = templates.Action{}, "" // a slow double click must not send a second mail
	case last[0].State == mailer.StateQueued:
		v.Send = templates.Action{}
	case last[0].State == mailer.StateFailed:
		v.Send.Text = "Try again"
	default:
		v.Send.Text = "Send again"
	}
	if v.NoAddress = v.OtherHref != "" && inv.Customer.Email == ""; v.NoAddress {
		v.Send = templates.Action{}
	}
}

func rowOf(r *http.Request, m mail.Mail) invoiceviews.MailRow {
	return invoiceviews.MailRow{
		Href: "/outbox/" + m.ID.String(), What: mailKind(m), To: m.Recipient, State: mailState(r, m),
		Failed: m.State == mailer.StateFailed,
	}
}

// OfCreditNote returns the emails with a credit note of an invoice for its page, with a button to send one more.
func OfCreditNote(r *http.Request, pool *pgxpool.Pool, n credit.Note, inv invoice.Invoice) (v invoiceviews.InvoiceMails, err error) {
	href, id := "/invoices/"+inv.ID.String()+"/send", n.Header.ID.String()
	v.Send, v.OtherHref = web.Button(r, "Send by email", "Sending…", href), web.FormHref(r, href+"/new?"+invoiceviews.NoteField+"="+id)
	v.Send.Fields = []templates.Field{{Name: invoiceviews.NoteField, Value: id}}
	list, err := mail.ListOfCreditNote(r.Context(), pool, web.Principal(r).Tenant, n.Header.ID, record.Page{Limit: maxMails})
	for _, m := range list.Rows {
		v.Rows = append(v.Rows, rowOf(r, m))
	}
	offer(&v, list.Rows, inv)
	return v, err
}

package web

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"onlyonce/internal/invoice"
	"onlyonce/internal/mail"
	"onlyonce/internal/record"
	"onlyonce/templates"
)

// mails is the resource of package mail. They are sent from the pages of their invoices, and all of a tenant are
// listed in its outbox.
func (s *Server) mails(pages, api router) {
	m := mount(s, pages, api, resource[mail.Mail]{
		one: "e-mail", many: "outbox", madeAt: "/invoices/{id}/send", belongs: exists(s.invoiceOf), table: mail.Table,
		name: mail.Name, form: s.mailForm, fields: []templates.Field{{Name: "recipient", Value: "To"}},
		shownAt: func(m mail.Mail) string { return "/invoices/" + m.InvoiceID.String() }, shown: mailFacts,
		example: mail.Input{Recipient: "ada@example.com"},
		words: &wording{
			title: "Send this invoice by e-mail", submit: "Send e-mail", did: "queued", does: "sends", again: "Send another e-mail",
			created: "E-mail queued.", replayed: "E-mail queued. We ignored the duplicate submission and kept your first request.",
		},
	})
	lists(m, listing[mail.Mail]{
		summary: "E-mails, newest first.",
		read: func(r *http.Request, page record.Page) (record.List[mail.Mail], error) {
			return mail.List(r.Context(), s.pool, principal(r).Tenant, page)
		},
		columns: []templates.Column{
			{Label: "E-mail", Class: "name"}, {Label: "Queued", Class: "date"}, {Label: "What became of it", Class: "name"},
		},
		row:   func(m mail.Mail) []string { return []string{mail.Name(m), day(m.CreatedAt), mailState(m)} },
		empty: "Issue an invoice, and the e-mail to its customer is here.",
	})
	shows(m, "One e-mail.", func(r *http.Request, p templates.Page, found mail.Mail) (templ.Component, error) {
		return templates.MailPage(p, templates.Mail{RecordView: m.recordView(r, found), Text: found.Text}), nil
	})
	draft := readUnder(m, s.invoiceOf, func(in mail.Input, inv invoice.Invoice) (mail.Draft, error) { return in.Draft(inv.ID) })
	creates(m, "Queue one more e-mail about an issued invoice. Leave recipient out to send it to the customer.", mail.Send,
		draft, s.freshMail,
		&invoice.NotIssued)
}

// freshMail suggests to send it to the customer.
func (s *Server) freshMail(r *http.Request) (url.Values, error) {
	inv, err := s.invoiceOf(r)
	if err == nil {
		err = mail.Possible(inv)
	}
	return url.Values{"recipient": {inv.Customer.Email}}, err
}

func (s *Server) mailForm(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	inv, err := s.invoiceOf(r)
	if err != nil {
		return nil, err
	}
	return templates.MailForm(p, templates.MailFormView{Form: f, Number: inv.Number, Href: "/invoices/" + inv.ID.String()}), nil
}

func mailFacts(m mail.Mail) []templates.Fact {
	facts := []templates.Fact{
		{Label: "To", Value: m.Recipient}, {Label: "Subject", Value: m.Subject},
		{Label: "Invoice", Value: m.Number, Href: "/invoices/" + m.InvoiceID.String()},
		{Label: "What became of it", Value: mailState(m)}, {Label: "Attempts", Value: strconv.Itoa(m.Attempts)},
	}
	if m.MessageID != "" {
		facts = append(facts, templates.Fact{Label: "Message-ID", Value: m.MessageID})
	}
	return facts
}

// mailState says what became of a mail.
func mailState(m mail.Mail) string {
	switch {
	case m.State == mail.StateFailed:
		return "Failed. " + m.Reason
	case m.Kept:
		return "Kept in the outbox on " + moment(m.SentAt)
	case m.State == mail.StateSent:
		return "Sent on " + moment(m.SentAt)
	case m.Reason != "":
		return "Waiting, will be tried again. " + m.Reason
	default:
		return "Waiting to be sent"
	}
}

// justNow is how long the ways to one more mail stay away after the last one was queued.
const justNow = 5 * time.Second

// maxMails is how many mails the page of an invoice shows, the newest first.
const maxMails = 5

// mailRows says on the page of an invoice what became of its mails, with the button for one more, unless the
// last one still waits.
func (s *Server) mailRows(r *http.Request, inv invoice.Invoice) (v templates.InvoiceMails, err error) {
	if mail.Possible(inv) == nil {
		href := "/invoices/" + inv.ID.String() + "/send"
		v.Send, v.OtherHref = button(r, "Send by e-mail", "Sending…", href), href+"/new"
	}
	list, err := mail.ListOf(r.Context(), s.pool, principal(r).Tenant, inv.ID, record.Page{Limit: maxMails})
	found := list.Rows
	for _, m := range found {
		v.Rows = append(v.Rows, templates.MailRow{
			Href: "/outbox/" + m.ID.String(), To: m.Recipient, State: mailState(m), Failed: m.State == mail.StateFailed,
		})
	}
	switch {
	case len(found) == 0:
	case time.Since(found[0].CreatedAt) < justNow:
		v.Send, v.OtherHref = templates.Action{}, "" // the second click of a slow double click is no wish of its own
	case found[0].State == mail.StateQueued:
		v.Send = templates.Action{}
	case found[0].State == mail.StateFailed:
		v.Send.Text = "Try again"
	default:
		v.Send.Text = "Send again"
	}
	return v, err
}

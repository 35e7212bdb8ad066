// Package reminderpages has the pages and the API of reminders, their batches and plans.
package reminderpages

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"onlyonce/internal/customer"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/excerpt"
	"onlyonce/internal/invoice/mail"
	"onlyonce/internal/invoice/reminder"
	"onlyonce/internal/record"
	"onlyonce/internal/value/party"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// pages has the dependencies of the pages.
type pages struct {
	site     *web.Site
	invoices *web.Mounted[invoice.Invoice]
}

// Mount mounts the reminders below their invoices, and their batches and plans.
func Mount(s *web.Site, invoices *web.Mounted[invoice.Invoice]) {
	p := &pages{site: s, invoices: invoices}
	p.mountReminders()
	p.mountBatches()
	p.mountPlans()
}

// mountReminders mounts the resource of package reminder. Reminders are listed with the mails of their invoice.
func (s *pages) mountReminders() {
	m := web.Under(s.invoices, s.site, web.Resource[reminder.Reminder]{
		One: "reminder", Path: "/reminders", Table: reminder.Table, Name: reminder.Name, Rules: reminder.Rules(),
		ShownAt: func(r reminder.Reminder) string { return s.invoices.URL(r.InvoiceID) },
	})
	draft := web.NewFormUnder(s.invoices, m, func(in reminder.Input, inv invoice.Invoice) (reminder.Draft, error) {
		return in.Draft(inv.ID)
	}, web.Form[reminder.Reminder]{
		Fields: []templates.Field{
			{Name: invoiceviews.LevelField, Value: "Level"}, {Name: "recipient", Value: "To"}, {Name: "message", Value: "Message"},
		},
		Page: s.reminderForm, Example: reminder.Input{Level: "1"},
		Words: &web.Wording{
			Title: "Send a reminder", Submit: "Send reminder", Did: "queued", Does: "sends", Again: "Send another reminder",
			Idle:    "Sent again: the first one was kept",
			Created: "Reminder queued.", Reused: "This reminder was sent before. Nothing was sent again.",
			Replayed: "Reminder queued. We ignored the duplicate submission and kept your first request.",
		},
	})
	web.List(m, web.Listing[reminder.Reminder]{
		Summary: "The reminders of an invoice, newest first.", Read: web.ListUnder(s.invoices, reminder.ListOf),
	})
	web.Show(m, web.RecordPage[reminder.Reminder]{Summary: "One reminder. Its email has the same ID."})
	web.Create(m, "Send a reminder of an overdue invoice to the customer, or get the one of this level that was sent (200).", reminder.Send,
		draft, s.freshReminder, &invoice.NotIssued, &reminder.NotOverdue, &reminder.NotNext, &customer.Erased)
}

// freshReminder fills in the next reminder of an invoice.
func (s *pages) freshReminder(r *http.Request) (url.Values, error) {
	inv, err := s.invoices.Find(r)
	if err != nil {
		return nil, err
	}
	summary, err := record.Find(r.Context(), s.site.Pool, invoice.Summaries, web.Principal(r).Tenant, inv.ID)
	if err != nil {
		return nil, err
	}
	level, err := reminder.Next(summary, web.Principal(r).Today())
	if err != nil {
		return nil, err
	}
	_, message, err := mail.WordingOf(r.Context(), s.site.Pool, web.Principal(r).Tenant, inv, mail.KindReminder(level), credit.Note{})
	return url.Values{
		invoiceviews.LevelField: {strconv.Itoa(level)}, "recipient": {inv.Customer.Email}, "message": {message},
	}, err
}

func (s *pages) reminderForm(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	inv, err := s.invoices.Find(r)
	if err != nil {
		return nil, err
	}
	summary, err := record.Find(r.Context(), s.site.Pool, invoice.Summaries, web.Principal(r).Tenant, inv.ID)
	if err != nil {
		return nil, err
	}
	copies, err := invoice.CopiesTo(r.Context(), s.site.Pool, web.Principal(r).Tenant, inv.ID)
	if err != nil {
		return nil, err
	}
	if level, err := strconv.Atoi(f.Typed.Get(invoiceviews.LevelField)); err == nil && level >= 1 && level <= reminder.Levels {
		f.Title, f.Submit = reminder.LevelName(level), "Send "+strings.ToLower(reminder.LevelName(level))
	}
	return invoiceviews.ReminderForm(p, invoiceviews.ReminderFormView{
		Form: f, InvoiceStep: excerpt.Step(inv), Open: web.AmountText(inv.Currency, inv.Open),
		Late: party.DaysText(strconv.Itoa(inv.DueDate.DaysUntil(web.Principal(r).Today()))), Last: reminder.Last(summary.LastReminder),
		NoAddress: inv.Customer.Email == "", CopiesTo: copies,
	}), nil
}

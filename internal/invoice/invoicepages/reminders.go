package invoicepages

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"onlyonce/internal/customer"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/reminder"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/party"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// mountReminders mounts the resource of package reminder. Reminders are listed with the mails of their invoice.
func (s *Pages) mountReminders() {
	m := web.Under(s.invoices, s.Site, web.Resource[reminder.Reminder]{
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
func (s *Pages) freshReminder(r *http.Request) (url.Values, error) {
	inv, err := s.invoices.Find(r)
	if err != nil {
		return nil, err
	}
	summary, err := record.Find(r.Context(), s.Pool, invoice.Summaries, web.Principal(r).Tenant, inv.ID)
	if err != nil {
		return nil, err
	}
	level, err := reminder.Next(summary, date.Today())
	if err != nil {
		return nil, err
	}
	return url.Values{
		invoiceviews.LevelField: {strconv.Itoa(level)}, "recipient": {inv.Customer.Email}, "message": {reminder.Message(level)},
	}, nil
}

func (s *Pages) reminderForm(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	inv, err := s.invoices.Find(r)
	if err != nil {
		return nil, err
	}
	summary, err := record.Find(r.Context(), s.Pool, invoice.Summaries, web.Principal(r).Tenant, inv.ID)
	if err != nil {
		return nil, err
	}
	if level, err := strconv.Atoi(f.Typed.Get(invoiceviews.LevelField)); err == nil && level >= 1 && level <= reminder.Levels {
		f.Title, f.Submit = reminder.LevelName(level), "Send "+strings.ToLower(reminder.LevelName(level))
	}
	return invoiceviews.ReminderForm(p, invoiceviews.ReminderFormView{
		Form: f, InvoiceStep: s.step(inv), Open: web.AmountText(inv.Currency, inv.Open),
		Late: party.DaysText(strconv.Itoa(inv.DueDate.DaysUntil(date.Today()))), Last: lastReminder(summary.LastReminder),
		NoAddress: inv.Customer.Email == "",
	}), nil
}

// lastReminder returns the last reminder in words, "Payment reminder, 12 Nov 2026", or "".
func lastReminder(last invoice.LastReminder) string {
	if last.Level == 0 {
		return ""
	}
	return reminder.LevelName(last.Level) + ", " + last.SentOn.Display()
}

// remind adds to the page of an invoice its last reminder, and the link to the next one, if it is possible.
func (s *Pages) remind(r *http.Request, inv invoice.Invoice, view *invoiceviews.Invoice) error {
	if !isOverdue(inv.Status, inv.DueDate) {
		return nil
	}
	summary, err := record.Find(r.Context(), s.Pool, invoice.Summaries, web.Principal(r).Tenant, inv.ID)
	if err != nil {
		return err
	}
	view.LastReminder = lastReminder(summary.LastReminder)
	if level, err := reminder.Next(summary, date.Today()); err == nil {
		view.Remind = templates.Link{
			Text: "Send " + strings.ToLower(reminder.LevelName(level)), Href: web.FormHref(r, s.invoices.URL(inv.ID)+"/reminders/new"),
		}
	}
	return nil
}

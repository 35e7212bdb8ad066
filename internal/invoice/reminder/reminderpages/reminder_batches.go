package reminderpages

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/excerpt"
	"onlyonce/internal/invoice/reminder"
	"onlyonce/internal/record"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// mountBatches mounts the reminders of several invoices, which are chosen in the list of overdue invoices.
func (s *pages) mountBatches() {
	m := web.Resource[reminder.Batch]{
		One: "reminder batch", Path: "/reminder-batches", Tab: "Reminders", Table: reminder.Batches, Name: reminder.BatchName,
	}.Mount(s.site.Within("invoices"))
	web.Enter(m, web.Form[reminder.Batch]{
		Fields:  []templates.Field{{Name: invoiceviews.RemindersField, Value: "Reminders"}},
		Control: func(string) string { return invoiceviews.RemindersField },
		Page:    s.reminderBatchForm,
		Example: reminder.BatchInput{Reminders: []reminder.ChosenInput{{InvoiceID: "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80", Level: "1"}}},
		Words: &web.Wording{
			Title: "Send reminders", Submit: "Send reminders", Did: "queued", Does: "sends", Again: "Send these again",
			Created:  "%s queued.",
			Replayed: "Reminders queued. We ignored the duplicate submission and kept your first request.",
		},
	})
	web.List(m, web.Listing[reminder.Batch]{
		Summary: "Batches of reminders, newest first.",
		Read: func(r *http.Request, page record.Page) (record.List[reminder.Batch], error) {
			return reminder.BatchList(r.Context(), s.site.Pool, web.Principal(r).Tenant, page)
		},
		Columns: []templates.Column{{Label: "Sent", Class: "name"}, {Label: "On", Class: "date"}},
		Row: func(r *http.Request, b reminder.Batch) []string {
			return []string{reminder.BatchName(b), web.Day(r, b.CreatedAt)}
		},
		Empty: "Choose overdue invoices in the list of invoices to remind their customers at once.",
	})
	web.Show(m, web.RecordPage[reminder.Batch]{Summary: "One batch.", Facts: s.reminderOutcomes})
	web.Create(m, "Send reminders of several overdue invoices to their customers, and get the outcome of each.", reminder.SendBatch,
		web.NewCommand(func(r *http.Request) (reminder.BatchDraft, error) {
			return chosenReminders(r.PostForm.Get(invoiceviews.RemindersField)).Draft()
		}, reminder.BatchInput.Draft), s.freshReminderBatch)
}

// chosenReminders parses the field of the form: the invoices with their levels, "ID:1 ID:2".
func chosenReminders(typed string) (in reminder.BatchInput) {
	for chosen := range strings.FieldsSeq(typed) {
		id, level, _ := strings.Cut(chosen, ":")
		in.Reminders = append(in.Reminders, reminder.ChosenInput{InvoiceID: id, Level: level})
	}
	return in
}

// freshReminderBatch fills in the next reminder of each invoice in the address that can get one.
func (s *pages) freshReminderBatch(r *http.Request) (url.Values, error) {
	found, err := excerpt.NamedIn(r, s.site.Pool)
	var chosen []string
	for _, inv := range found {
		if level, err := reminder.Next(inv, web.Principal(r).Today()); err == nil && inv.Customer.Email != "" {
			chosen = append(chosen, inv.ID.String()+":"+strconv.Itoa(level))
		}
	}
	return url.Values{invoiceviews.RemindersField: {strings.Join(chosen, " ")}}, err
}

// reminderBatchForm lists the reminder of each chosen invoice, and on a new form also the reasons why others get none.
func (s *pages) reminderBatchForm(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	levels := map[uuid.UUID]int{}
	var ids []string
	for _, chosen := range chosenReminders(f.Typed.Get(invoiceviews.RemindersField)).Reminders {
		id, err := uuid.Parse(chosen.InvoiceID)
		level, wrong := strconv.Atoi(chosen.Level)
		if err == nil && wrong == nil && level >= 1 && level <= reminder.Levels {
			levels[id], ids = level, append(ids, id.String())
		}
	}
	found, err := invoice.Chosen(r.Context(), s.site.Pool, web.Principal(r).Tenant, ids)
	if err != nil {
		return nil, err
	}
	view := invoiceviews.ReminderBatch{Form: f}
	for _, inv := range found {
		view.Chosen = append(view.Chosen, excerpt.Chosen(inv, inv.Open, reminder.LevelName(levels[inv.ID])+excerpt.Copies(inv)))
	}
	if len(view.Chosen) == 0 {
		view.KeptFor = "" // nothing was typed
	}
	named, err := excerpt.NamedIn(r, s.site.Pool)
	for _, inv := range named {
		if levels[inv.ID] == 0 {
			view.Left = append(view.Left, excerpt.Chosen(inv, inv.Open, whyNone(r, inv)))
		}
	}
	return invoiceviews.ReminderBatchForm(p, view), err
}

// whyNone returns the reason why an invoice gets no reminder, in a sentence.
func whyNone(r *http.Request, inv invoice.Summary) string {
	_, err := reminder.Next(inv, web.Principal(r).Today())
	if refused, ok := errors.AsType[*conflict.Error](err); ok {
		return refused.Title
	}
	return "The customer has no email address."
}

// reminderOutcomes returns the outcomes of a batch for its page.
func (s *pages) reminderOutcomes(r *http.Request, b reminder.Batch) (facts []templates.Fact) {
	text := map[string]string{
		"sent": "queued", "sent_before": "sent before", "not_issued": "not sent: the invoice isn't issued",
		"not_overdue": "not sent: the invoice isn't overdue", "not_next": "not sent: it isn't the next one, or one was sent on this day",
		"no_address": "not sent: the customer has no email address", "customer_erased": "not sent: the customer was erased",
	}
	for _, o := range b.Reminders {
		facts = append(facts, templates.Fact{
			Label: o.Number, Value: reminder.LevelName(o.Level) + " " + text[o.Outcome], Href: s.invoices.URL(o.InvoiceID),
		})
	}
	return facts
}

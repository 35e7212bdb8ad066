package invoicecases

import (
	"net/url"
	"strings"

	"onlyonce/internal/invoice/reminder"
	"onlyonce/internal/site/sitetest"
)

// Reminders remind of an overdue invoice.
func Reminders() sitetest.Resource {
	command := url.Values{"level": {"1"}, "recipient": {"ada@example.com"}, "message": {"Please pay & <soon>"}}
	of := Invoices()
	of.Command = sitetest.Change(of.Command, "issue_date", "2026-01-05", "due_date", "2026-02-04")
	return sitetest.Resource{
		Name: "reminder", Path: "/reminders", Parent: &sitetest.Parent{Resource: of, Ready: []string{"issue"}},
		Words: sitetest.Words{
			Verb: "send", Past: "queued", Button: "Send payment reminder", Found: "This reminder was sent before. Nothing was sent again.",
		},
		Command: command, Label: "Payment reminder of 2026-0001",
		Leaves: sitetest.Rows{"invoice_reminders": 1, "mails": 1, "intents": 1, "intent_effects": 1},
		Other:  sitetest.Change(command, "message", "Please pay today"),
		Fields: []sitetest.Field{
			{Name: "recipient", Valid: "office@example.com", Invalid: "ada at example", Pointer: "/recipient"},
			{Name: "message", Valid: "Please pay today", Invalid: "a\u202eb", Pointer: "/message"},
		},
		Repeats: sitetest.Repeats{Reused: command},
		API: sitetest.API{Encode: func(form url.Values) string {
			return sitetest.Encode(map[string]any{
				"level": form.Get("level"), "recipient": form.Get("recipient"), "message": form.Get("message"),
			})
		}, Input: reminder.Input{}},
	}
}

// ReminderBatches remind of several invoices.
func ReminderBatches() sitetest.Resource {
	of := Invoices()
	command := url.Values{"reminders": {sitetest.Referred + ":1 " + sitetest.Second + ":1"}}
	return sitetest.Resource{
		Name: "reminder batch", Path: "/reminder-batches",
		Words:   sitetest.Words{Verb: "send", Past: "queued", Button: "Send reminders", Told: "0 of 2 reminders queued."},
		Command: command, Label: "0 of 2 reminders",
		Leaves: sitetest.Rows{"invoice_reminder_batches": 1, "invoice_reminder_outcomes": 2, "intents": 1},
		Other:  url.Values{"reminders": {sitetest.Second + ":1"}},
		Refers: []sitetest.Reference{{Resource: of}, {Resource: of, As: sitetest.Second}},
		API: sitetest.API{Encode: func(form url.Values) string {
			all := []map[string]string{}
			for chosen := range strings.FieldsSeq(form.Get("reminders")) {
				id, level, _ := strings.Cut(chosen, ":")
				all = append(all, map[string]string{"invoice_id": id, "level": level})
			}
			return sitetest.Encode(map[string]any{"reminders": all})
		}, Input: reminder.BatchInput{}},
	}
}

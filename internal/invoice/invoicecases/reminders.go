package invoicecases

import (
	"net/url"
	"strings"

	"onlyonce/internal/invoice/mail"
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

// ReminderPlans replace each other.
func ReminderPlans() sitetest.Resource {
	command := url.Values{"first_after": {"7"}, "second_after": {"14"}, "final_after": {""}}
	return sitetest.Resource{
		Name: "reminder plan", Path: "/reminder-plans",
		Words: sitetest.Words{
			Verb: "set", Past: "set", Button: "Remind automatically", Told: "Reminders are sent automatically from now on.",
		},
		Command: command, Label: "After 7 and 14 days",
		Leaves: sitetest.Rows{"reminder_plans": 1, "intents": 1},
		Other:  sitetest.Change(command, "first_after", "10"),
		Fields: []sitetest.Field{
			{Name: "first_after", Valid: "365", Invalid: "366", Pointer: "/first_after"},
			{Name: "second_after", Valid: "1", Invalid: "0", Pointer: "/second_after"},
			{Name: "final_after", Valid: "30", Invalid: "soon", Pointer: "/final_after"},
		},
		Transitions: []sitetest.Transition{{Verb: "remove", Past: "removed"}},
		API: sitetest.API{Encode: func(form url.Values) string {
			return sitetest.Encode(map[string]any{
				"first_after": form.Get("first_after"), "second_after": form.Get("second_after"), "final_after": form.Get("final_after"),
			})
		}, Input: reminder.PlanInput{}},
	}
}

// Mails send an issued invoice.
func Mails() sitetest.Resource {
	command := url.Values{
		"recipient": {"ada@example.com"}, "subject": {"Your invoice"}, "introduction": {"Here it is & <soon>"}, "e_invoice": {"true"},
	}
	return sitetest.Resource{
		Name: "email", Path: "/outbox", Parent: &sitetest.Parent{Resource: Invoices(), Ready: []string{"issue"}, At: "/send"},
		Words: sitetest.Words{Verb: "send", Past: "queued"}, Command: command, Label: "2026-0001 to ada@example.com",
		Leaves: sitetest.Rows{"mails": 1, "intents": 1, "intent_effects": 1},
		Other:  sitetest.Change(command, "recipient", "grace@example.com"),
		Fields: []sitetest.Field{
			{Name: "recipient", Valid: "office@example.com", Invalid: "ada at example", Pointer: "/recipient"}, {Name: "e_invoice"},
			{Name: "subject", Valid: "Another {subject}", Invalid: "a\u202eb", Pointer: "/subject"},
			{Name: "introduction", Valid: "Two\nlines", Invalid: "a\u202eb", Pointer: "/introduction"},
		},
		API: sitetest.API{Encode: func(form url.Values) string {
			return sitetest.Encode(map[string]any{
				"recipient": form.Get("recipient"), "subject": form.Get("subject"), "introduction": form.Get("introduction"),
				"e_invoice": form.Get("e_invoice") == "true", "failed_id": form.Get("failed_id"),
				"credit_note_id": form.Get("credit_note_id"),
			})
		}, Input: mail.Input{}},
	}
}

// MailTexts are the subjects and texts of emails.
func MailTexts() sitetest.Resource {
	command, fields := url.Values{}, []sitetest.Field(nil)
	for _, of := range new(mail.Wording).Each() {
		subject, text := of.Kind+"_subject", of.Kind+"_text"
		command.Set(subject, "Invoice {number}")
		command.Set(text, "Dear {contact},\n& <soon>")
		fields = append(fields,
			sitetest.Field{Name: subject, Valid: "{business}: {number}", Invalid: "{nubmer}", Pointer: "/" + subject},
			sitetest.Field{Name: text, Valid: "{open} is open", Invalid: "{", Pointer: "/" + text})
	}
	return sitetest.Resource{
		Name: "email texts", Path: "/email-texts", Only: true, Command: command, Label: "Texts of emails",
		Other: sitetest.Change(command, "void_text", "Invoice {number} is void."), Fields: fields,
		Edited: sitetest.Edited{Command: sitetest.Change(command, "invoice_text", "", "void_subject", "Void"), Label: "Texts of emails"},
		API: sitetest.API{Encode: func(form url.Values) string {
			command := map[string]any{}
			for name := range form {
				command[name] = form.Get(name)
			}
			return sitetest.Encode(command)
		}, Input: mail.Wording{}},
	}
}

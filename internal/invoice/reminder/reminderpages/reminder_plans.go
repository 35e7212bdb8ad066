package reminderpages

import (
	"net/http"
	"strconv"

	"onlyonce/internal/invoice/reminder"
	"onlyonce/internal/record"
	"onlyonce/internal/value/party"
	"onlyonce/internal/web"
	"onlyonce/templates"
)

// mountPlans mounts the automatic reminders among the settings.
func (s *pages) mountPlans() {
	m := web.Resource[reminder.Plan]{
		One: "reminder plan", Path: "/reminder-plans", Tab: "Reminders", Table: reminder.Plans, Rules: reminder.PlanRules(),
		Name: reminder.PlanName,
	}.Mount(s.site.Within("settings"))
	form := web.PlainForm([]web.PlainField[reminder.Plan]{
		{
			Name: "first_after", Label: "Payment reminder",
			Hint: "Days after the due date, like 7. Invoices that are overdue for longer are reminded within an hour.",
		},
		{
			Name: "second_after", Label: "Second reminder", Optional: true,
			Hint: "Days after the payment reminder. Leave it blank to send none automatically.",
		},
		{
			Name: "final_after", Label: "Final reminder", Optional: true,
			Hint: "Days after the second reminder. Leave it blank to send none automatically.",
		},
	})
	form.Example = reminder.PlanInput{FirstAfter: "7", SecondAfter: "14", FinalAfter: "14"}
	form.Words = &web.Wording{
		Title: "Remind automatically", Submit: "Remind automatically", Did: "set", Does: "sets", Again: "Set another plan",
		Created:  "Reminders are sent automatically from now on.",
		Replayed: "Plan set. We ignored the duplicate submission and kept your first request.",
	}
	draft := web.NewForm(m, reminder.PlanInput.Draft, form)
	web.List(m, web.Listing[reminder.Plan]{
		Summary: "The plans of automatic reminders, newest first. One at most was not removed or replaced.",
		Read: func(r *http.Request, page record.Page) (record.List[reminder.Plan], error) {
			return reminder.PlanList(r.Context(), s.site.Pool, web.Principal(r).Tenant, page)
		},
		Columns: []templates.Column{{Label: "Plan", Class: "name"}, {Label: "Set", Class: "date"}, {Label: "State", Class: "name"}},
		Row: func(r *http.Request, p reminder.Plan) []string {
			return []string{reminder.PlanName(p), web.Day(r, p.CreatedAt), planState(r, p)}
		},
		Empty: "Without a plan, you send each reminder yourself. With one, those that are due are sent every hour.",
	})
	web.Show(m, web.RecordPage[reminder.Plan]{
		Summary: "One plan of automatic reminders.",
		Facts: func(r *http.Request, p reminder.Plan) []templates.Fact {
			return []templates.Fact{
				{Label: reminder.LevelName(1), Value: daysAfter(p.FirstAfter, "the due date")},
				{Label: reminder.LevelName(2), Value: daysAfter(p.SecondAfter, "the payment reminder")},
				{Label: reminder.LevelName(3), Value: daysAfter(p.FinalAfter, "the second reminder")},
				{Label: "State", Value: planState(r, p)},
			}
		},
		Actions: func(p reminder.Plan) []string {
			if !p.RemovedAt.IsZero() {
				return nil
			}
			return []string{"remove"}
		},
	})
	web.Create(m, "Send reminders automatically. The plan replaces the earlier one.", reminder.SetPlan, draft, nil)
	web.Transition(m, "remove", "removed", "Remove a plan: reminders aren't sent automatically any more.", reminder.RemovePlan,
		web.Nothing())
}

// daysAfter returns when a reminder is sent: "14 days after the due date", or "Not sent automatically".
func daysAfter(days int, event string) string {
	if days == 0 {
		return "Not sent automatically"
	}
	return party.DaysText(strconv.Itoa(days)) + " after " + event
}

// planState returns the state of a plan for people.
func planState(r *http.Request, p reminder.Plan) string {
	if p.RemovedAt.IsZero() {
		return "In use"
	}
	return "Not in use since " + web.Day(r, p.RemovedAt)
}

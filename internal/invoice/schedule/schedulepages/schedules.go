// Package schedulepages has the pages and the API of schedules and their periods.
package schedulepages

import (
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"

	"onlyonce/internal/customer"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/excerpt"
	"onlyonce/internal/invoice/invoiceform"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/record"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// pages has the dependencies of the pages.
type pages struct {
	site      *web.Site
	schedules *web.Mounted[schedule.Schedule]
}

// Mount mounts schedules, and below them their periods.
func Mount(on *web.Site) {
	s := &pages{site: on}
	m := web.Resource[schedule.Schedule]{
		One: "schedule", Path: "/schedules", Table: schedule.Table, Name: schedule.Name, View: showSchedule,
	}.Mount(s.site)
	s.schedules = m
	web.Enter(m, web.Form[schedule.Schedule]{
		Fields: scheduleFields(), References: map[string]record.Names{"customer_id": customer.Names.Names},
		Page: s.scheduleForm, Fill: fillSchedule, Facts: typedSchedule, Control: invoiceform.Control, Lines: invoiceform.LineTable(),
		Example: schedule.Input{
			CustomerID: "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80", Currency: "EUR", Every: "1", Unit: schedule.Month, FirstDay: "2026-12-01",
			BillAs: schedule.AsIssued, Missed: schedule.Each,
			Lines: []invoice.LineInput{{Description: "Support", Quantity: "1", UnitPrice: "90.00", TaxRate: "23"}},
		},
	})
	draft := web.NewCommand(scheduleOfForm, schedule.Input.Draft)
	web.List(m, web.Listing[schedule.Schedule]{
		Summary: "Schedules, newest first.", View: showSchedule,
		Query: []web.Parameter{
			{Name: templates.ArchivedField, Meaning: "Archived schedules instead of the active ones.", Values: []string{"1"}},
		},
		Read: func(r *http.Request, page record.Page) (record.List[schedule.Schedule], error) {
			return schedule.List(r.Context(), s.site.Pool, web.Principal(r).Tenant, web.ArchivedOnly(r), page)
		},
		Columns: []templates.Column{
			{Label: "Schedule", Class: "name"}, {Label: "Total", Class: "num"}, {Label: "Next", Class: "date"},
		},
		Row: func(r *http.Request, s schedule.Schedule) []string {
			return []string{schedule.Name(s), scheduleTotal(s), nextText(s)}
		},
		Empty: "Open an invoice and choose More, Make it recurring. Each period is billed once.",
	})
	web.Show(m, web.RecordPage[schedule.Schedule]{
		Summary: "One schedule.", Facts: scheduleFacts, Page: s.schedulePage,
		Actions: func(s schedule.Schedule) []string {
			if s.PausedAt.IsZero() {
				return []string{"pause"}
			}
			return []string{"resume"}
		},
		Archived:    func(s schedule.Schedule) time.Time { return s.ArchivedAt },
		ArchiveHint: "Archived schedules bill nothing.",
	})
	web.Create(m, "Create a schedule. The first period is billed on its first day.", schedule.Create,
		invoiceform.AskAbout(draft, "/first_day", s.pastPeriods), s.freshSchedule, &customer.Erased)
	web.Change(m, http.MethodPut, "Replace what the schedule bills from its next period.", schedule.Edit,
		invoiceform.AskAbout(draft, "/first_day", s.morePeriods), &schedule.RhythmKept, &customer.Erased)
	web.Transition(m, "pause", "paused", "Bill nothing until the schedule is resumed.", schedule.Pause, web.Nothing())
	web.Transition(m, "resume", "resumed", "Bill a paused schedule again, including the periods it missed.", schedule.Resume, web.Nothing())
	web.Transition(m, "archive", "archived", "Hide a schedule from the list, and stop billing it.", schedule.Archive, web.Nothing())
	web.Transition(m, "restore", "restored", "Bring an archived schedule back.", schedule.Restore, web.Nothing(),
		&customer.Erased)
	web.Redisplay(m, invoiceform.EditLines)
	s.mountPeriods()
}

// mountPeriods mounts the periods of schedules, which are shown by their invoices.
func (s *pages) mountPeriods() {
	m := web.Under(s.schedules, s.site, web.Resource[schedule.Period]{
		One: "period", Path: "/periods", Table: schedule.Periods, Name: schedule.PeriodName, Rules: schedule.Rules(),
		ShownAt: func(p schedule.Period) string { return "/invoices/" + p.InvoiceID.String() },
	})
	command := web.NewFormUnder(s.schedules, m, schedule.BillInput.Billing, web.Form[schedule.Period]{
		Fields: []templates.Field{{Name: "period", Value: "Period"}}, Page: s.periodForm,
		Example: schedule.BillInput{Period: "2026-12-01"},
		Words: &web.Wording{
			Title: "Bill a period", Submit: "Bill period", Did: "billed", Does: "bills", Again: "Bill another period",
			Idle: "Billed again: the invoice was kept", Created: "Period billed.",
			Reused:   "Already billed: %s already exists and was reused. Nothing was changed.",
			Replayed: "Period billed. We ignored the duplicate submission and kept your first request.",
		},
	})
	web.List(m, web.Listing[schedule.Period]{
		Summary: "The billed periods of a schedule, latest first.",
		Read:    web.ListUnder(s.schedules, schedule.PeriodsOf),
	})
	web.Show(m, web.RecordPage[schedule.Period]{Summary: "A billed period, with the ID of its invoice."})
	web.Create(m, "Bill a period now, or get the invoice it was already billed with (200).", schedule.Bill, command,
		s.freshPeriod, &schedule.Stopped, &invoice.PeriodClosed)
	web.Own(m, schedule.BillDue, web.Wording{
		Title: "Bill a due period", Did: "billed by the clock", Idle: "Billed again by the clock: the invoice was kept",
	})
}

// scheduleTotal returns the total of each invoice, with its currency.
func scheduleTotal(s schedule.Schedule) string {
	return invoice.PreviewOf(s.Currency, s.Lines).Total + " " + s.Currency.String()
}

// nextText returns when a schedule is billed next, in one or two words.
func nextText(s schedule.Schedule) string {
	switch {
	case !s.PausedAt.IsZero():
		return "Paused"
	case s.Over(s.NextDay):
		return "Over"
	default:
		return web.DateText(s.NextDay)
	}
}

// shownNext is the number of upcoming days on the page of a schedule.
const shownNext = 3

func scheduleFacts(r *http.Request, s schedule.Schedule) []templates.Fact {
	var days []string
	for day := s.NextDay; len(days) < shownNext && !s.Over(day); day = s.After(day) {
		days = append(days, web.DateText(day))
	}
	next := templates.Fact{Label: "Next", Value: strings.Join(days, ", ")}
	if !s.PausedAt.IsZero() {
		next.Value = "Paused since " + web.Day(r, s.PausedAt)
	}
	due := ""
	if _, is := s.Due(web.Principal(r).Today()); is && s.Failure == "" { // see schedule.Tick
		due = "Billed within a minute or two"
	}
	return web.KnownFacts(templates.Fact{Label: "Customer", Value: s.Customer.Name, Href: "/customers/" + s.Customer.ID.String()},
		templates.Fact{Label: "Total", Value: scheduleTotal(s)}, templates.Fact{Label: "How often", Value: web.Capital(s.Often())}, next,
		templates.Fact{Label: "Due periods", Value: due},
		templates.Fact{Label: "First day", Value: web.DateText(s.FirstDay)},
		templates.Fact{Label: "Last day", Value: web.DateText(s.LastDay)},
		templates.Fact{Label: "Each invoice is", Value: web.Capital(choiceText("bill_as", s.BillAs, ""))},
		templates.Fact{Label: "Missed periods", Value: web.Capital(choiceText("missed", s.Missed, ""))},
		templates.Fact{Label: "Reason for the exemption", Value: s.Exemption}, templates.Fact{Label: "Notes", Value: s.Notes})
}

func (s *pages) schedulePage(r *http.Request, p templates.Page, found schedule.Schedule) (templ.Component, error) {
	periods, err := web.PageOf(r, func(r *http.Request, page record.Page) (record.List[schedule.Period], error) {
		return schedule.PeriodsOf(r.Context(), s.site.Pool, web.Principal(r).Tenant, found.ID, page)
	})
	if err != nil {
		return nil, excerpt.MissingPage(err)
	}
	view := web.RecordView(s.schedules, r, found)
	if !found.Stopped() && !found.Over(found.NextDay) {
		view.New = templates.Link{Text: "Bill now", Href: web.FormHref(r, s.schedules.URL(found.ID)+"/periods/new")}
	}
	shown := invoiceviews.Schedule{
		Failure: found.Failure, Failed: web.DateText(found.NextDay) + " could not be billed.", Pager: web.PagerOf(r, periods),
	}
	for _, typed := range found.Lines {
		line, err := typed.Line(found.Currency)
		if err != nil {
			return nil, err
		}
		shown.Lines = append(shown.Lines, excerpt.LineView(line, found.Currency))
	}
	for _, period := range periods.Rows {
		shown.Periods = append(shown.Periods, invoiceviews.SchedulePeriod{
			Day: web.DateText(period.Day), Number: period.Number, Href: "/invoices/" + period.InvoiceID.String(), Status: period.Status,
		})
	}
	return templates.RecordPageWith(p, view, []templ.Component{invoiceviews.ScheduleSection(shown)}), nil
}

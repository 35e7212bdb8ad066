package site_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"
)

// TestUnusualDates: a form asks once about a date that is probably mistyped, and the API doesn't.
func TestUnusualDates(t *testing.T) {
	b := setup(t)
	program, person := b.program(b.replica, b.acme), b.person(b.serve(func(c *config) { c.Today = nil }), b.acme)
	day := func(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }
	shown := func(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format("2 Jan 2006") }
	pay, back := payments(), refunds()
	pay.parent.id = b.prepared(b.acme, "invoice", invoices(), change(invoices().command, "line_unit_price", "1000.00"), "issue").ID
	back.parent.id = decode[created](b, program.create(pay, "ahead", change(pay.command, "date", day(1), "amount", "500.00"))).ID
	b.prepared(b.acme, "schedule", schedules(), schedules().command)
	drawn := b.prepared(b.acme, "drawn", invoices(), change(invoices().command, "line_unit_price", "2000.00"))
	weekly := change(schedules().command, "unit", "week", "first_day", day(20))
	later := b.prepared(b.acme, "later", schedules(), change(weekly, "line_quantity", "5"))
	ended := b.prepared(b.acme, "ended", schedules(), change(weekly, "line_quantity", "6", "first_day", day(-15), "last_day", day(-9)))
	for name, c := range map[string]struct {
		at          string
		command     url.Values
		says, press string
	}{
		"invoice": {
			invoices().list(), change(invoices().command, "issue_date", day(400), "due_date", ""),
			"The issue date, " + shown(400) + ", is more than a year from now.", "Save with this date",
		},
		"invoice of long ago": {
			invoices().list(), change(invoices().command, "issue_date", day(-400), "due_date", "", "line_quantity", "7"),
			"The issue date, " + shown(-400) + ", is more than a year ago.", "Save with this date",
		},
		"draft": {
			"/invoices/" + drawn.ID + "/edit", change(invoices().command, "version", "1", "issue_date", day(-400), "due_date", ""),
			"The issue date, " + shown(-400) + ", is more than a year ago.", "Save with this date",
		},
		"payment of long ago": {
			pay.list(), change(pay.command, "date", day(-400), "reference", "TX 8"),
			"The payment is dated " + shown(-400) + ", which is more than a year ago.", "Record with this date",
		},
		"payment": {
			pay.list(), change(pay.command, "date", day(3), "reference", "TX 9"),
			"The payment is dated " + shown(3) + ", which is in the future.", "Record with this date",
		},
		"refund": {
			back.list(), change(back.command, "date", day(0)),
			"The refund is dated " + shown(0) + ", before its payment on " + shown(1) + ".", "Record with this date",
		},
		"refund in the future": {
			back.list(), change(back.command, "date", day(2)), "The refund is dated " + shown(2) + ", which is in the future.",
			"Record with this date",
		},
		"schedule": {
			schedules().list(), change(schedules().command, "unit", "week", "first_day", day(-15), "line_quantity", "7"),
			"This schedule bills 3 invoices at once, dated " + shown(-15) + ", " + shown(-8) + ", " + shown(-1) + ".", "Save and bill them",
		},
		"schedule, latest": {
			schedules().list(),
			change(schedules().command, "unit", "week", "first_day", day(-15), "line_quantity", "8", "missed", "latest"),
			"This schedule bills an invoice at once, dated " + shown(-1) + ".", "Save and bill them",
		},
		"schedule moved": {
			"/schedules/" + later.ID + "/edit", change(weekly, "version", "1", "first_day", day(-8)),
			"This schedule bills 2 invoices at once, dated " + shown(-8) + ", " + shown(-1) + ".", "Save and bill them",
		},
		"schedule that goes on": {
			"/schedules/" + ended.ID + "/edit", change(weekly, "version", "1", "first_day", day(-15), "last_day", day(-2)),
			"This schedule bills 2 invoices at once, dated " + shown(-15) + ", " + shown(-8) + ".", "Save and bill them",
		},
	} {
		asked := person.submit(c.at, change(c.command, "idempotency_key", "unusual "+name))
		if asked.status != http.StatusConflict {
			t.Errorf("%s: %v", name, asked)
			continue
		}
		if a := person.press(b.page(asked).says(c.says, "Check this date."), c.press); a.status != http.StatusSeeOther {
			t.Errorf("%s, confirmed: %v", name, a)
		}
	}
	for name, c := range map[string]struct {
		at      string
		command url.Values
	}{
		"today": {pay.list(), change(pay.command, "date", day(0), "reference", "TX 10")},
		"a draft's own date": {
			"/invoices/" + drawn.ID + "/edit",
			change(invoices().command, "version", "2", "issue_date", day(-400), "due_date", "", "notes", "New"),
		},
		"a schedule's own periods": {
			"/schedules/" + ended.ID + "/edit",
			change(weekly, "version", "2", "first_day", day(-15), "last_day", day(-2), "notes", "New"),
		},
	} {
		if a := person.submit(c.at, change(c.command, "idempotency_key", name)); a.status != http.StatusSeeOther {
			t.Errorf("%s: %v", name, a)
		}
	}
}

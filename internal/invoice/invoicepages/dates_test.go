package invoicepages_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitetest"
	"onlyonce/internal/value/date"
)

// TestUnusualDates: a form asks once about a date that is probably mistyped, and the API doesn't.
func TestUnusualDates(t *testing.T) {
	b := sitetest.Setup(t)
	program, person := b.Program(b.Replica, b.Acme), b.Person(b.Serve(func(c *sitetest.Config) { c.Day = nil }), b.Acme)
	day := func(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }
	shown := func(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format("2 Jan 2006") }
	pay, back := invoicecases.Payments(), invoicecases.Refunds()
	pay.Parent.ID = b.Prepared(b.Acme, "invoice", invoicecases.Invoices(),
		sitetest.Change(invoicecases.Invoices().Command, "line_unit_price", "1000.00", "issue_date", day(-8), "due_date", ""), "issue").ID
	back.Parent.ID = sitetest.Decode[sitetest.Created](b,
		program.Create(pay, "ahead", sitetest.Change(pay.Command, "date", day(1), "amount", "500.00"))).ID
	off := invoicecases.WriteOffs()
	off.Parent.ID = pay.Parent.ID
	b.Prepared(b.Acme, "schedule", invoicecases.Schedules(), invoicecases.Schedules().Command)
	drawn := b.Prepared(b.Acme, "drawn", invoicecases.Invoices(),
		sitetest.Change(invoicecases.Invoices().Command, "line_unit_price", "2000.00"))
	weekly := sitetest.Change(invoicecases.Schedules().Command, "unit", "week", "first_day", day(20))
	later := b.Prepared(b.Acme, "later", invoicecases.Schedules(), sitetest.Change(weekly, "line_quantity", "5"))
	ended := b.Prepared(b.Acme, "ended", invoicecases.Schedules(),
		sitetest.Change(weekly, "line_quantity", "6", "first_day", day(-15), "last_day", day(-9)))
	for name, c := range map[string]struct {
		at          string
		command     url.Values
		says, press string
	}{
		"invoice": {
			invoicecases.Invoices().List(), sitetest.Change(invoicecases.Invoices().Command, "issue_date", day(400), "due_date", ""),
			"The issue date, " + shown(400) + ", is more than a year from now.", "Save with this date",
		},
		"invoice of long ago": {
			invoicecases.Invoices().List(), sitetest.Change(invoicecases.Invoices().Command, "issue_date", day(-400), "due_date", "",
				"line_quantity", "7"),
			"The issue date, " + shown(-400) + ", is more than a year ago.", "Save with this date",
		},
		"draft": {
			"/invoices/" + drawn.ID + "/edit", sitetest.Change(invoicecases.Invoices().Command, "version", "1", "issue_date", day(-400),
				"due_date", ""),
			"The issue date, " + shown(-400) + ", is more than a year ago.", "Save with this date",
		},
		"payment of long ago": {
			pay.List(), sitetest.Change(pay.Command, "date", day(-400), "reference", "TX 8"),
			"The payment is dated " + shown(-400) + ", which is more than a year ago.", "Record with this date",
		},
		"payment": {
			pay.List(), sitetest.Change(pay.Command, "date", day(3), "reference", "TX 9"),
			"The payment is dated " + shown(3) + ", which is in the future.", "Record with this date",
		},
		"payment before the invoice": {
			pay.List(), sitetest.Change(pay.Command, "date", day(-9), "reference", "TX 11"),
			"The payment is dated " + shown(-9) + ", which is before the date of the invoice.", "Record with this date",
		},
		"refund": {
			back.List(), sitetest.Change(back.Command, "date", day(0)),
			"The refund is dated " + shown(0) + ", before its payment on " + shown(1) + ".", "Record with this date",
		},
		"refund in the future": {
			back.List(), sitetest.Change(back.Command, "date", day(2)), "The refund is dated " + shown(2) + ", which is in the future.",
			"Record with this date",
		},
		"write-off, with an amount as typed": {
			off.List(), sitetest.Change(off.Command, "date", day(4), "amount", "1,03"),
			"The write-off is dated " + shown(4) + ", which is in the future.", "Record with this date",
		},
		"schedule": {
			invoicecases.Schedules().List(), sitetest.Change(invoicecases.Schedules().Command, "unit", "week", "first_day", day(-15),
				"line_quantity", "7"),
			"This schedule bills 3 invoices at once, dated " + shown(-15) + ", " + shown(-8) + ", " + shown(-1) + ".", "Save and bill them",
		},
		"schedule, latest": {
			invoicecases.Schedules().List(),
			sitetest.Change(invoicecases.Schedules().Command, "unit", "week", "first_day", day(-15), "line_quantity", "8", "missed",
				"latest"),
			"This schedule bills an invoice at once, dated " + shown(-1) + ".", "Save and bill them",
		},
		"schedule moved": {
			"/schedules/" + later.ID + "/edit", sitetest.Change(weekly, "version", "1", "first_day", day(-8)),
			"This schedule bills 2 invoices at once, dated " + shown(-8) + ", " + shown(-1) + ".", "Save and bill them",
		},
		"schedule that goes on": {
			"/schedules/" + ended.ID + "/edit", sitetest.Change(weekly, "version", "1", "first_day", day(-15), "last_day", day(-2)),
			"This schedule bills 2 invoices at once, dated " + shown(-15) + ", " + shown(-8) + ".", "Save and bill them",
		},
	} {
		asked := person.Submit(c.at, sitetest.Change(c.command, "idempotency_key", "unusual "+name))
		if asked.Status != http.StatusConflict {
			t.Errorf("%s: %v", name, asked)
			continue
		}
		done := person.Press(b.Page(asked).Says(c.says, "Check this date."), c.press)
		done.Want(t, http.StatusSeeOther, name, "confirmed")
		if c.press == "Save and bill them" {
			b.Page(person.Get(done.Location())).Says("Due periods Billed within a minute or two")
		}
	}
	for name, c := range map[string]struct {
		at      string
		command url.Values
	}{
		"today": {pay.List(), sitetest.Change(pay.Command, "date", day(0), "reference", "TX 10")},
		"a draft's own date": {
			"/invoices/" + drawn.ID + "/edit",
			sitetest.Change(invoicecases.Invoices().Command, "version", "2", "issue_date", day(-400), "due_date", "", "notes", "New"),
		},
		"a schedule's own periods": {
			"/schedules/" + ended.ID + "/edit",
			sitetest.Change(weekly, "version", "2", "first_day", day(-15), "last_day", day(-2), "notes", "New"),
		},
	} {
		person.Submit(c.at, sitetest.Change(c.command, "idempotency_key", name)).Want(t, http.StatusSeeOther, name)
	}
}

// TestFormsBeginToday checks that the form of a new invoice begins with the day of the business, in time zones that never have the same.
func TestFormsBeginToday(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Serve(func(c *sitetest.Config) { c.Day = nil }), b.Acme)
	for _, zone := range []string{"Pacific/Kiritimati", "Pacific/Pago_Pago"} {
		b.Exec(`UPDATE settings SET time_zone = $1 WHERE tenant_id = $2`, zone, b.Acme.ID)
		form := b.Page(person.Get(person.Get("/invoices/new").Location())).Typed()
		assert.Equal(t, form.Get("issue_date"), date.TodayIn(date.Zone(zone)).String(), zone)
	}
}

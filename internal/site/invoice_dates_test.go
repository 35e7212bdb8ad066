package site_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"
)

// TestUnusualDates: a person is asked once about a date that is probably mistyped, and a program is not.
func TestUnusualDates(t *testing.T) {
	b := setup(t)
	program, person := b.program(b.replica, b.acme), b.person(b.replica, b.acme)
	day := func(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }
	shown := func(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format("2 Jan 2006") }
	pay, back := payments(), refunds()
	pay.parent.id = b.prepared(b.acme, "invoice", invoices(), change(invoices().command, "line_unit_price", "1000.00"), "issue").ID
	back.parent.id = decode[created](b, program.create(pay, "ahead", change(pay.command, "date", day(1), "amount", "500.00"))).ID
	b.prepared(b.acme, "schedule", schedules(), schedules().command)
	for name, c := range map[string]struct {
		of          resource
		command     url.Values
		says, press string
	}{
		"invoice": {
			invoices(), change(invoices().command, "issue_date", day(400), "due_date", ""),
			"The issue date, " + shown(400) + ", is more than a year from now.", "Save with this date",
		},
		"payment": {
			pay, change(pay.command, "date", day(3), "reference", "TX 9"),
			"The payment is dated " + shown(3) + ", which is in the future.", "Record with this date",
		},
		"refund": {
			back, change(back.command, "date", day(0)),
			"The refund is dated " + shown(0) + ", before its payment on " + shown(1) + ".", "Record with this date",
		},
		"refund in the future": {
			back, change(back.command, "date", day(2)), "The refund is dated " + shown(2) + ", which is in the future.",
			"Record with this date",
		},
		"schedule": {
			schedules(), change(schedules().command, "unit", "week", "first_day", day(-15), "line_quantity", "7"),
			"This schedule bills 3 invoices at once, dated " + shown(-15) + ", " + shown(-8) + ", " + shown(-1) + ".", "Save and bill them",
		},
		"schedule, latest": {
			schedules(), change(schedules().command, "unit", "week", "first_day", day(-15), "line_quantity", "8", "missed", "latest"),
			"This schedule bills an invoice at once, dated " + shown(-1) + ".", "Save and bill them",
		},
	} {
		asked := person.submit(c.of.list(), change(c.command, "idempotency_key", "unusual "+name))
		if asked.status != http.StatusConflict {
			t.Errorf("%s: %v", name, asked)
			continue
		}
		if a := person.press(b.page(asked).says(c.says), c.press); a.status != http.StatusSeeOther {
			t.Errorf("%s, confirmed: %v", name, a)
		}
	}
	usual := person.submit(pay.list(), change(pay.command, "date", day(0), "reference", "TX 10", "idempotency_key", "today"))
	if usual.status != http.StatusSeeOther {
		t.Errorf("today: %v", usual)
	}
}

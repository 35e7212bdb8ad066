package reminder_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/reminder"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
)

// plan sets the plan: 3 days after the due date, then after 2 days and after 4.
func (b *bundle) plan(key string) reminder.Plan {
	b.Helper()
	d, err := reminder.PlanInput{FirstAfter: "3", SecondAfter: "2", FinalAfter: "4"}.Draft()
	must.OK(b, err)
	set, err := reminder.SetPlan.Do(b.Context(), b.Store, b.Intent(key), d)
	must.OK(b, err)
	return set.Value
}

// sent returns the numbers of the invoices with reminders, each with their levels: "2026-0001: 1 2".
func (b *bundle) sent() string {
	b.Helper()
	return storetest.Value[string](b, `
		SELECT COALESCE(string_agg(number || ': ' || levels, ', ' ORDER BY number), '') FROM (
			SELECT i.number, string_agg(m.level::text, ' ' ORDER BY m.level) AS levels
			FROM invoice_reminders m JOIN invoices i ON (i.tenant_id, i.id) = (m.tenant_id, m.invoice_id) GROUP BY i.number) AS each`)
}

// TestDaysOfTheBusiness checks reminders in two time zones that never have the same day.
func TestDaysOfTheBusiness(t *testing.T) {
	b := setup(t)
	b.plan("plan")
	for _, zone := range []string{"Pacific/Kiritimati", "Pacific/Pago_Pago"} {
		b.Exec(`UPDATE tenants SET time_zone = $1 WHERE id = $2`, zone, b.Tenant)
		today := date.TodayIn(date.Zone(zone))
		late, timely := b.due("late "+zone, today.AddDays(-1), "ada@example.com"), b.due("timely "+zone, today, "jean@example.com")
		_, err := b.send(b.Store, "timely "+zone, b.draft(timely, "1"))
		assert.Thatf(t, storetest.IsConflict(err, &reminder.NotOverdue), "%s: reminded of an invoice that is due today: %v", zone, err)
		sent, err := b.send(b.Store, "late "+zone, b.draft(late, "1"))
		must.OK(t, err)
		assert.Equal(t, sent.Value.SentOn, today, zone)
	}
}

// TestDueReminders sends reminders by a plan, day by day: each once, in order, with the days of the plan between them. Invoices that can't
// be reminded don't keep the following ones from it.
func TestDueReminders(t *testing.T) {
	b := setup(t)
	today := date.Today()
	b.erase(b.due("erased", today.AddDays(-99), "ada@example.com"))
	b.due("no address", today.AddDays(-98), "")
	old, part := b.due("old", today.AddDays(-90), "ada@example.com"), b.due("part", today.AddDays(-3), "jean@example.com")
	_, err := b.Pay("part", part, "30")
	must.OK(t, err)
	b.due("young", today.AddDays(-2), "grace@example.com")
	paid := b.due("paid", today.AddDays(-90), "mary@example.com")
	_, err = b.Pay("paid", paid, "100")
	must.OK(t, err)
	byHand := b.due("by hand", today.AddDays(-90), "edith@example.com")
	for _, level := range []string{"1", "2", "3"} {
		_, err := b.send(b.Store, "by hand "+level, b.draft(byHand, level))
		must.OK(t, err)
		b.nextDay()
	}
	want := func(levels string) {
		t.Helper()
		must.OK(t, reminder.SendDue(t.Context(), b.Store, b.Tenant))
		all := byHand.Number + ": 1 2 3"
		if levels != "" {
			all = old.Number + ": " + levels + ", " + part.Number + ": " + levels + ", " + all
		}
		assert.Equal(t, b.sent(), all)
	}
	want("") // no plan
	plan := b.plan("plan")
	for _, levels := range []string{"1", "1", "1 2", "1 2", "1 2", "1 2", "1 2 3", "1 2 3"} { // each day
		want(levels)
		want(levels)
		b.nextDay()
	}
	if _, err := reminder.RemovePlan.Do(t.Context(), b.Store, b.Of("remove", plan.ID, 0), struct{}{}); err != nil {
		t.Fatal(err)
	}
	b.due("later", today.AddDays(-90), "ada@example.com")
	want("1 2 3")
}

// TestSendersAtOnce sends due reminders by two schedulers several times at once, while people send the same ones. There are more than fit
// into one round.
func TestSendersAtOnce(t *testing.T) {
	b := setup(t)
	const invoices = 120
	var some []invoice.Invoice
	for i := range invoices {
		some = append(some, b.due(fmt.Sprint(i), date.Today().AddDays(-4), "ada@example.com"))
	}
	b.plan("plan")
	stores := []*idempotency.Store{b.Store, b.Replica()}
	for _, err := range storetest.Together(8, func(i int) error {
		if i < 4 {
			return reminder.SendDue(context.Background(), stores[i%2], b.Tenant)
		}
		_, err := b.send(stores[i%2], fmt.Sprint("by hand ", i), b.draft(some[i*15], "1"))
		return err
	}) {
		must.OK(t, err)
	}
	for _, table := range []string{"invoice_reminders", "mails"} {
		assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM `+table), invoices, table)
	}
}

// TestPlansReplaceEachOther sets plans at once. One is in use afterwards, and a replaced one can't be removed with effect.
func TestPlansReplaceEachOther(t *testing.T) {
	b := setup(t)
	first := b.plan("first")
	d, err := reminder.PlanInput{FirstAfter: "1"}.Draft()
	must.OK(t, err)
	for _, err := range storetest.Together(8, func(i int) error {
		_, err := reminder.SetPlan.Do(context.Background(), b.Store, b.Intent(fmt.Sprint(i)), d)
		return err
	}) {
		assert.Thatf(t, err == nil || errors.Is(err, record.ErrNotFound), "%v", err)
	}
	removed, err := reminder.RemovePlan.Do(t.Context(), b.Store, b.Of("remove the first", first.ID, 0), struct{}{})
	must.OK(t, err)
	n := storetest.Value[int](b, `SELECT count(*) FROM reminder_plans WHERE removed_at IS NULL`)
	assert.Thatf(t, n == 1 && removed.Outcome == idempotency.Unchanged, "%d in use, %v", n, removed.Outcome)
}

// TestPlanInput checks that a plan has a first reminder, no gap, and at least a day between reminders.
func TestPlanInput(t *testing.T) {
	t.Parallel()
	for pointer, in := range map[string]reminder.PlanInput{
		"/first_after": {SecondAfter: "1"}, "/second_after": {FirstAfter: "1", FinalAfter: "1"},
		"/final_after": {FirstAfter: "1", SecondAfter: "365", FinalAfter: "0"},
	} {
		_, err := in.Draft()
		wrong, ok := errors.AsType[*invalid.Error](err)
		assert.Thatf(t, ok && len(wrong.Fields) == 1 && wrong.Fields[0].Pointer == pointer, "%+v: %v", in, err)
	}
}

package schedule_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice/closing"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/must"
	"onlyonce/internal/value/date"
)

// TestBillsOnceAPeriod checks that a period is billed on its day and not before, and never again, even if the clock jumps.
func TestBillsOnceAPeriod(t *testing.T) {
	b := setup(t)
	b.create("one", b.monthly())
	b.run("2090-01-30")
	b.wantPeriods()
	b.run("2090-01-31")
	b.wantPeriods("2090-01-31")
	for _, back := range []string{"2090-01-31", "2089-12-31", "2090-02-27", "2090-01-31"} {
		b.run(back)
	}
	b.wantPeriods("2090-01-31")
	b.run("2090-04-30") // forward, too far
	caughtUp := []string{"2090-01-31", "2090-02-28", "2090-03-31", "2090-04-30"}
	b.wantPeriods(caughtUp...)
	b.run("2090-02-28") // and back again
	b.wantPeriods(caughtUp...)
	b.wantMails(4)
}

// TestDayOfTheBusiness checks that a period is due when its day begins in the time zone of the business.
func TestDayOfTheBusiness(t *testing.T) {
	b := setup(t)
	b.Exec(`UPDATE tenants SET time_zone = 'Europe/Berlin' WHERE id = $1`, b.Tenant)
	b.create("one", b.monthly())
	midnight := day(b, "2090-01-31").Time().Add(-time.Hour)
	for _, now := range []time.Time{midnight.Add(-time.Second), midnight} {
		b.wantPeriods()
		must.OK(t, schedule.Clockwork{Store: b.Store, Now: func() time.Time { return now }}.Run(t.Context(), b.Tenant))
	}
	b.wantPeriods("2090-01-31")
}

// TestDowntime checks that of the weeks of a downtime, each is billed, or only the latest.
func TestDowntime(t *testing.T) {
	for missed, want := range map[string]string{
		schedule.Each: "2090-06-05 2090-06-12 2090-06-19 2090-06-26 2090-07-03", schedule.Latest: "2090-06-05 2090-06-26 2090-07-03",
	} {
		t.Run(missed, func(t *testing.T) {
			b := setup(t)
			in := b.monthly()
			in.Unit, in.FirstDay, in.Missed, in.BillAs = schedule.Week, "2090-06-05", missed, schedule.AsDraft
			b.create("one", in)
			b.run("2090-06-05")
			b.run("2090-07-01")
			b.run("2090-07-03")
			b.wantPeriods(strings.Fields(want)...)
			b.wantMails(0)
		})
	}
}

// TestPausedIsNotBilled checks that a paused schedule is billed neither by the clock nor by hand. After it is resumed, missed periods
// follow according to the schedule.
func TestPausedIsNotBilled(t *testing.T) {
	for missed, want := range map[string]string{
		schedule.Each: "2090-01-31 2090-02-28 2090-03-31 2090-04-30", schedule.Latest: "2090-01-31 2090-04-30",
	} {
		t.Run(missed, func(t *testing.T) {
			b := setup(t)
			in := b.monthly()
			in.Missed = missed
			id := b.create("one", in).ID
			b.run("2090-01-31")
			b.bring("pause", id, schedule.Pause)
			b.run("2090-04-30")
			if _, err := b.byHand("by hand", id, "2090-02-28"); !storetest.IsConflict(err, &schedule.Stopped) {
				t.Error(err)
			}
			if done, err := b.byHand("again", id, "2090-01-31"); err != nil || done.Outcome != idempotency.Reused {
				t.Errorf("what was billed before: %v, %v", done, err)
			}
			b.wantPeriods("2090-01-31")
			b.bring("resume", id, schedule.Resume)
			b.run("2090-04-30")
			b.wantPeriods(strings.Fields(want)...)
			b.bring("archive", id, schedule.Archive)
			b.run("2090-06-30")
			b.wantPeriods(strings.Fields(want)...)
		})
	}
}

// TestEditedInTheMiddle checks that an edit applies to later periods, up to the new last day, and that the days stay.
func TestEditedInTheMiddle(t *testing.T) {
	b := setup(t)
	id := b.create("one", b.monthly()).ID
	changed := b.monthly()
	changed.Every = "2"
	must.OK(t, b.edit("before the first", id, changed))
	must.OK(t, b.edit("and back", id, b.monthly()))
	b.run("2090-02-28")
	for what, moved := range map[string]func(*schedule.Input){
		"every": func(in *schedule.Input) { in.Every = "2" }, "unit": func(in *schedule.Input) { in.Unit = schedule.Week },
		"first day": func(in *schedule.Input) { in.FirstDay = "2090-01-30" },
	} {
		in := b.monthly()
		moved(&in)
		err := b.edit(what, id, in)
		assert.Thatf(t, storetest.IsConflict(err, &schedule.RhythmKept), "%s: %v", what, err)
	}
	changed = b.monthly()
	changed.Lines[0].UnitPrice, changed.LastDay, changed.BillAs = "95.00", "2090-04-29", schedule.AsDraft
	must.OK(t, b.edit("dearer", id, changed))
	b.run("2090-05-31")
	changed.LastDay = "2090-04-30" // one more day
	must.OK(t, b.edit("longer", id, changed))
	b.run("2090-05-31")
	b.wantPeriods("2090-01-31", "2090-02-28", "2090-03-31", "2090-04-30")
	b.wantMails(2)
	got := storetest.Value[string](b, `
		SELECT string_agg(status || ' ' || subtotal, ', ' ORDER BY issue_date) FROM invoices`)
	assert.Thatf(t, got ==
		"issued 9000, issued 9000, draft 9500, draft 9500", "%v", got)
	b.Refuses(map[string][]string{
		"schedules_rhythm_kept": {`UPDATE schedules SET first_day = first_day + 1`, `UPDATE schedules SET unit = 'week'`},
		"schedule_periods_once": {`
			INSERT INTO schedule_periods SELECT tenant_id, gen_random_uuid(), schedule_id, period FROM schedule_periods`},
		"schedule_periods_invoice": {`
			INSERT INTO schedule_periods SELECT tenant_id, gen_random_uuid(), schedule_id, '2099-01-01' FROM schedule_periods LIMIT 1`},
	})
}

// TestSchedulersAtOnce bills each period on two replicas and by two users, concurrently.
func TestSchedulersAtOnce(t *testing.T) {
	b := setup(t)
	var ids []uuid.UUID
	for i := range 3 {
		ids = append(ids, b.create(fmt.Sprint(i), b.monthly()).ID)
	}
	others := []*idempotency.Store{b.Store, b.Replica()}
	for i, err := range storetest.Together(10, func(i int) error {
		if i < 4 {
			return b.clockwork(others[i%2], "2090-03-31").Run(context.Background(), b.Tenant)
		}
		done, err := b.byHand(fmt.Sprint("by hand ", i), ids[i%3], "2090-01-31")
		if err == nil && (done.Value.Day.String() != "2090-01-31" || done.Value.ScheduleID != ids[i%3]) {
			err = fmt.Errorf("got %+v", done.Value)
		}
		return err
	}) {
		assert.Thatf(t, err == nil, "%d: %v", i, err)
	}
	b.wantPeriods(strings.Fields(strings.Repeat("2090-01-31 ", 3) + strings.Repeat("2090-02-28 ", 3) + strings.Repeat("2090-03-31 ", 3))...)
	b.wantMails(9)
}

// TestKilledBetweenInvoiceAndMail cuts the connection between the invoice and its mail, as the death of the process would. Nothing is
// kept, and the next run bills once.
func TestKilledBetweenInvoiceAndMail(t *testing.T) {
	b := setup(t)
	b.create("one", b.monthly())
	b.DB.Spoil(t)
	b.Exec(`
		CREATE FUNCTION wait_in_test() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
			PERFORM pg_advisory_xact_lock(4242);
			RETURN NEW;
		END $$;
		CREATE TRIGGER a_wait BEFORE INSERT ON mails FOR EACH ROW EXECUTE FUNCTION wait_in_test()`)
	gate, err := b.Admin.Acquire(t.Context())
	must.OK(t, err)
	must.Exec(t, gate, `SELECT pg_advisory_lock(4242)`)
	killed, kill := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.clockwork(b.Replica(), "2090-01-31").Run(killed, b.Tenant) }()
	b.Waiting(1)
	kill()
	assert.Equal(t, storetest.Value[int](b, `
		SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event_type = 'Lock'`), 1, "connections that wait")
	must.Exec(t, gate, `SELECT pg_advisory_unlock(4242)`)
	gate.Release()
	t.Log(<-ended)
	b.run("2090-01-31")
	b.wantPeriods("2090-01-31")
	b.wantMails(1)
}

// TestOneFailureStopsNoOther checks that a failure is stored with its schedule, tried again an hour later, and cleared after a success.
func TestOneFailureStopsNoOther(t *testing.T) {
	b := setup(t)
	bad, good := b.create("bad", b.monthly()), b.create("good", b.monthly())
	b.Exec(`
		UPDATE schedules SET lines = '[{"description": "", "quantity": "1", "unit_price": "1.00", "tax_rate": "0"}]'
		WHERE id = $1`, bad.ID)
	b.run("2090-01-31")
	b.wantPeriods("2090-01-31")
	if s := b.find(bad.ID); s.Failure != "Describe what this line is for." || s.NextDay.String() != "2090-01-31" {
		t.Errorf("%+v", s)
	}
	if s := b.find(good.ID); s.Failure != "" || s.NextDay.String() != "2090-02-28" {
		t.Errorf("%+v", s)
	}
	b.DB.Spoil(t)
	b.Exec(`ALTER TABLE schedules DISABLE TRIGGER set_clock`) // corrected without resetting the clock, which still waits
	b.Exec(`UPDATE schedules SET lines = $1`, `[{"description": "A", "quantity": "1", "unit_price": "1.00", "tax_rate": "0"}]`)
	b.run("2090-01-31")
	b.wantPeriods("2090-01-31")
	b.run("2090-01-30") // after the clock was set back, the schedule waits for its day, not for the retry
	b.wantPeriods("2090-01-31")
	b.run("2090-02-01")
	b.wantPeriods("2090-01-31", "2090-01-31")
	if s := b.find(bad.ID); s.Failure != "" || s.NextDay.String() != "2090-02-28" {
		t.Errorf("%+v", s)
	}
}

// TestPeriodOfAClosedDay checks that a period of a closed day isn't issued, with the reason at its schedule, but billed as a draft.
func TestPeriodOfAClosedDay(t *testing.T) {
	b := setup(t)
	first, last := date.Today().Month()
	in := b.monthly()
	in.FirstDay = first.AddDays(-1).String()
	issued := b.create("issued", in)
	in.BillAs = schedule.AsDraft
	draft := b.create("draft", in)
	d, err := closing.Input{Through: in.FirstDay}.Draft()
	must.OK(t, err)
	b.OK(closing.Create.Do(t.Context(), b.Store, b.Intent("close"), d))
	b.run(last.AddDays(-1).String())
	b.wantPeriods(in.FirstDay)
	assert.Equal(t, b.find(draft.ID).Failure, "")
	failure := b.find(issued.ID).Failure
	assert.Thatf(t, strings.Contains(failure, "The books are closed through "+d.Through.Display()+"."), "%s", failure)
}

// TestKeyOfTheClockIsNoClients checks that a client can't block the clock by billing another period with the clock's key. If the clock's
// own key was used nevertheless, the run returns an error, after billing the other schedules.
func TestKeyOfTheClockIsNoClients(t *testing.T) {
	b := setup(t)
	one, bad, good := b.create("one", b.monthly()), b.create("bad", b.monthly()), b.create("good", b.monthly())
	b.OK(b.byHand(fmt.Sprintf("schedule %s 2090-02-28", one.ID), one.ID, "2090-01-31"))
	b.Exec(`
		INSERT INTO intents (tenant_id, operation, key, fingerprint, attempt_id, record_id, outcome, actor, expires_at)
		SELECT tenant_id, 'schedule.bill_due', format('schedule %s 2090-02-28', $1::uuid), fingerprint, new_id(), record_id, outcome, actor,
			expires_at FROM intents WHERE operation = 'schedule.bill'`, bad.ID)
	err := b.clockwork(b.Store, "2090-02-28").Run(t.Context(), b.Tenant)
	assert.Thatf(t, errors.As(err, new(*idempotency.MismatchError)), "%v", err)
	b.wantPeriods("2090-01-31", "2090-01-31", "2090-01-31", "2090-02-28", "2090-02-28")
	for _, s := range []schedule.Schedule{one, good} {
		assert.Equal(t, b.find(s.ID).Failure, "")
	}
	failure := b.find(bad.ID).Failure
	assert.Thatf(t, strings.Contains(failure, "log"), "%v", failure)
}

// TestByHand checks that any period of the schedule can be billed by hand, even before its day, and that the clock then leaves it out.
func TestByHand(t *testing.T) {
	b := setup(t)
	id := b.create("one", b.monthly()).ID
	ahead, err := b.byHand("ahead", id, "2090-03-31")
	must.Thatf(t, err == nil && ahead.Outcome == idempotency.Created, "%v %v", ahead, err)
	for _, period := range []string{"2091-02-28", "2090-02-27", "2089-12-31"} {
		done, err := b.byHand(period, id, period)
		assert.Thatf(t, err != nil && strings.Contains(err.Error(), "/period"), "%s: %+v, %v", period, done, err)
	}
	again, err := b.byHand("again", id, "2090-03-31")
	assert.Thatf(t, err == nil && again.Outcome == idempotency.Reused && again.Value == ahead.Value,
		"%+v, and not %+v: %v", again, ahead, err)
	b.run("2090-02-28")
	b.wantPeriods("2090-01-31", "2090-02-28", "2090-03-31")
	assert.Equal(t, b.find(id).NextDay.String(), "2090-04-30", "the next day")
	b.run("2090-04-30")
	b.wantPeriods("2090-01-31", "2090-02-28", "2090-03-31", "2090-04-30")
}

// TestAnyOrderOfClocks checks that with any schedule, clocks and users, no period is billed twice. With catch up, each period is billed
// whose day a clock has reached, and with skip, the latest one that a clock finds, besides the periods billed by hand.
func TestAnyOrderOfClocks(t *testing.T) {
	b := setup(t)
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		in := b.monthly()
		in.BillAs, in.Every = schedule.AsDraft, fmt.Sprint(rapid.IntRange(1, 4).Draw(t, "every"))
		in.Unit = rapid.SampledFrom([]string{schedule.Week, schedule.Month, schedule.Year}).Draw(t, "unit")
		in.Missed = rapid.SampledFrom([]string{schedule.Each, schedule.Latest}).Draw(t, "missed")
		first := day(t, "2090-01-01").AddDays(rapid.IntRange(0, 60).Draw(t, "first"))
		in.FirstDay = first.String()
		s := b.create(fmt.Sprint("schedule ", round), in)
		billed := map[int]bool{}
		next := 0 // the first day that is neither billed nor skipped
		bill := func(n int) {
			billed[n] = true
			if in.Missed == schedule.Latest && n >= next {
				next = n + 1
			}
			for billed[next] {
				next++
			}
		}
		for step := range rapid.IntRange(1, 6).Draw(t, "steps") {
			if n := next + rapid.IntRange(-3, 8).Draw(t, "by hand"); n >= next && s.Day(n).Year() < 2100 {
				if _, err := b.byHand(fmt.Sprint("by hand ", round, step), s.ID, s.Day(n).String()); err == nil {
					bill(n)
				} else if !strings.Contains(err.Error(), "one of the year behind it") {
					t.Fatal(err)
				}
			}
			today := first.AddDays(rapid.IntRange(-10, 130).Draw(t, "today"))
			for range 2 { // one run bills at most ten periods of a schedule
				b.run(today.String())
			}
			for !today.Before(s.Day(next)) {
				if in.Missed == schedule.Each || today.Before(s.Day(next+1)) {
					bill(next)
				} else {
					next++
				}
			}
		}
		var want []string
		for _, n := range slices.Sorted(maps.Keys(billed)) {
			want = append(want, s.Day(n).String())
		}
		assert.Equal(t, storetest.Value[string](b, `
			SELECT COALESCE(string_agg(period::text, ' ' ORDER BY period), '') FROM schedule_periods
			WHERE schedule_id = $1`, s.ID), strings.Join(want, " "), "billed")
		b.bring(fmt.Sprint("archive ", round), s.ID, schedule.Archive)
	})
	assert.Equal(t, storetest.Value[int](b, `
		SELECT (SELECT count(*) FROM invoices) - (SELECT count(*) FROM schedule_periods)`), 0, "invoices more than periods")
}

// TestBilledMailAttachesAsBefore checks that the email about a billed invoice has the e-invoice attached if the customer's last one had it.
func TestBilledMailAttachesAsBefore(t *testing.T) {
	b := setup(t)
	b.create("monthly", b.monthly())
	b.run("2090-01-31")
	must.Exec(t, b.DB.Admin(), `UPDATE mails SET e_invoice = true`)
	b.run("2090-02-28")
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM mails WHERE e_invoice`), 2, "mails have the e-invoice attached")
}

package torture

import (
	"context"
	"net/http"
)

// remind sends the first reminder of an overdue invoice singly under two keys and in a batch at once, each from two senders, while the jobs
// of both replicas send it by a plan. In every other turn, the invoice is paid meanwhile. The next reminder is refused on the same day.
func (t turn) remind(ctx context.Context) {
	if t.n%10 == 0 {
		plan := map[string]any{"first_after": "7", "second_after": "1"}
		t.twice(ctx, t.wish("reminder_plan.set", "", "/api/v1/reminder-plans", plan))
	}
	billed := t.issuedOn(ctx, "", "2026-01-05", "2026-02-04")
	if billed == "" {
		return
	}
	at := invoicesPath + "/" + billed
	remind := func(key, level string, refusals ...string) reply {
		body := map[string]any{"level": level}
		return t.twice(ctx, t.wish("reminder.send", key, at+"/reminders", body, append(refusals, "not-overdue")...))
	}
	batch := map[string]any{"reminders": []map[string]string{{"invoice_id": billed, "level": "1"}}}
	var one, other reply
	atOnce(func() { one = remind("-a", "1") }, func() { other = remind("-b", "1") }, func() {
		t.twice(ctx, t.wish("reminder.send_batch", "", "/api/v1/reminder-batches", batch))
	}, func() {
		if t.n%2 == 1 {
			t.twice(ctx, t.wish("payment.create", "", at+"/payments", paymentBody(24_60)))
		}
	})
	if one.ok() && other.ok() && one.ID != other.ID {
		t.reportf("one reminder of each level", "%s: %s and %s", t.name, one.ID, other.ID)
	}
	if next := remind("-next", "2", "reminder-not-next"); next.status == http.StatusCreated {
		t.reportf("reminders in order, one a day", "%s: %s", t.name, next.ID)
	}
}

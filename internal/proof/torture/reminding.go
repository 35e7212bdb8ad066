package torture

import (
	"context"
	"net/http"
)

// remind sends the first reminder of an overdue invoice singly under two keys and in a batch at once, each from two senders, while the jobs
// of both replicas send it by a plan. In every other round, the invoice is paid meanwhile. The next reminder is refused on the same day.
func (p *programs) remind(ctx context.Context, tenant, n int) {
	name := p.named("remind", n)
	if n%10 == 0 {
		p.twice(ctx, wish{
			tenant: tenant, operation: "reminder_plan.set", key: name, path: "/api/v1/reminder-plans",
			body: map[string]any{"first_after": "7", "second_after": "1"},
		})
	}
	billed := p.issuedOn(ctx, tenant, name, n, "2026-01-05", "2026-02-04")
	if billed == "" {
		return
	}
	at := invoicesPath + "/" + billed
	remind := func(key, level string, refusals ...string) reply {
		return p.twice(ctx, wish{
			tenant: tenant, operation: "reminder.send", key: name + key, path: at + "/reminders", body: map[string]any{"level": level},
			refusals: append(refusals, "not-overdue"),
		})
	}
	var one, other reply
	atOnce(func() { one = remind("-a", "1") }, func() { other = remind("-b", "1") }, func() {
		p.twice(ctx, wish{
			tenant: tenant, operation: "reminder.send_batch", key: name, path: "/api/v1/reminder-batches",
			body: map[string]any{"reminders": []map[string]string{{"invoice_id": billed, "level": "1"}}},
		})
	}, func() {
		if n%2 == 1 {
			p.twice(ctx, wish{tenant: tenant, operation: "payment.create", key: name, path: at + "/payments", body: map[string]any{
				"amount": "24.60", "date": "2026-03-01", "method": "other",
			}})
		}
	})
	if one.ok() && other.ok() && one.ID != other.ID {
		p.reportf("one reminder of each level", "%s: %s and %s", name, one.ID, other.ID)
	}
	if next := remind("-next", "2", "reminder-not-next"); next.status == http.StatusCreated {
		p.reportf("reminders in order, one a day", "%s: %s", name, next.ID)
	}
}

// reminderRules are about the reminders of invoices.
func reminderRules() []rule {
	return []rule{
		{"one reminder of each level", `
			SELECT format('invoice %s: %s times level %s', invoice_id, count(*), level)
			FROM invoice_reminders GROUP BY tenant_id, invoice_id, level HAVING count(*) > 1`},
		{"reminders in order, one a day", `
			SELECT format('invoice %s: level %s on %s', r.invoice_id, r.level, r.sent_on)
			FROM invoice_reminders r WHERE level > 1 AND NOT EXISTS (
				SELECT FROM invoice_reminders b
				WHERE b.tenant_id = r.tenant_id AND b.invoice_id = r.invoice_id AND b.level = r.level - 1 AND b.sent_on < r.sent_on)`},
		{"a reminder has its mail, and a mail of a reminder its reminder", `
			SELECT format('reminder %s, mail %s', r.id, m.id)
			FROM invoice_reminders r FULL JOIN (SELECT * FROM mails WHERE kind LIKE 'reminder%') AS m
				ON (m.tenant_id, m.id, m.invoice_id, m.kind) = (r.tenant_id, r.id, r.invoice_id, 'reminder_' || r.level)
			WHERE r.id IS NULL OR m.id IS NULL`},
	}
}

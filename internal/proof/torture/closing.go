package torture

import (
	"context"
	"time"
)

// close closes the books through a day under two keys at once, each from two senders, while an invoice of that day is issued and another
// one is paid. What the books have when the closing is acknowledged is what they keep. In every other turn they are reopened.
func (t turn) close(ctx context.Context) {
	day := time.Date(2001, 1, 1+t.n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	paid := t.issuedOn(ctx, "", day, day)
	body := oneLine(map[string]any{"customer_id": t.customer(ctx, "-draft").ID})
	body["issue_date"], body["due_date"] = day, day
	draft := t.send(ctx, t.wish("invoice.create", "-draft", invoicesPath, body), t.n).ID
	if paid == "" || draft == "" {
		return
	}
	read := func() (versions [2]int) {
		for i, id := range []string{paid, draft} {
			versions[i] = t.read(ctx, invoicesPath+"/"+id).Version
		}
		return versions
	}
	closed := map[string]any{"through": day}
	var made [2]reply
	var seen [2][2]int
	shut := func(i int, key string) {
		made[i] = t.twice(ctx, t.wish("closing.create", key, "/api/v1/closings", closed, "already-closed"))
		if made[i].ok() {
			seen[i] = read()
		}
	}
	payment := paymentBody(10_00)
	payment["date"] = day
	atOnce(func() { shut(0, "-a") }, func() { shut(1, "-b") }, func() {
		t.twice(ctx, t.wish("invoice.issue", "-draft", invoicesPath+"/"+draft+"/issue", nil, "period-closed"))
	}, func() {
		t.twice(ctx, t.wish("payment.create", "-pay", invoicesPath+"/"+paid+"/payments", payment, "period-closed"))
	})
	after := read()
	for i, closing := range made {
		switch {
		case !closing.ok() || ctx.Err() != nil:
		case made[1-i].ok():
			t.reportf("a day is closed once", "%s: %s and %s", t.name, made[0].ID, made[1].ID)
		case seen[i] != after:
			t.reportf("closed books stay", "%s: versions %d, and later %d", t.name, seen[i], after)
		case t.n%2 == 1:
			t.twice(ctx, t.wish("closing.reopen", "", "/api/v1/closings/"+closing.ID+"/reopen", nil))
		}
	}
}

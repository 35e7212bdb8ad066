package site_test

import (
	"testing"
)

// Behavior of a single format, and behavior that both formats must share.

// TestHeaderBesideTheField: in a form the key is the field's, because a browser may send another one in a header.
func TestHeaderBesideTheField(t *testing.T) {
	b := setup(t)
	x := b.caseRun(customers(), htmlFormat{})
	form := change(x.command, "idempotency_key", key)
	first := x.caller.with("Idempotency-Key", "one").submit("/customers", form)
	x.format.done(x, first)
	x.format.replayed(x, x.caller.with("Idempotency-Key", "another").submit("/customers", form), first)
}

// TestQuotedKeyIsTheSame: the draft standard quotes keys, most programs do not.
func TestQuotedKeyIsTheSame(t *testing.T) {
	b := setup(t)
	x := b.caseRun(customers(), jsonFormat{})
	first := x.ask(x.command)
	again := x.under(`"`+key+`"`, x.command)
	x.format.replayed(x, again, first)
}

// TestForbidden: a form on another site can't post here, and uses up no key. TestRefusedRequestsChangeNothing checks this for
// each operation.
func TestForbidden(t *testing.T) {
	x := setup(t).caseRun(customers(), htmlFormat{})
	x.format.refused(x, x.askAs(x.caller.with("Sec-Fetch-Site", "cross-site"), x.command), "forbidden", nil)
	x.format.refused(x, x.askAs(x.caller.with("Sec-Fetch-Site", "same-site"), x.command), "forbidden", nil)
	old := x.caller.with("Origin", "https://elsewhere.example")
	old.header.Del("Sec-Fetch-Site") // browsers before 2023 don't send it
	x.format.refused(x, x.askAs(old, x.command), "forbidden", nil)
	x.wantRows(rows{})
	x.format.done(x, x.ask(x.command))
}

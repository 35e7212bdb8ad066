package site_test

import (
	"testing"

	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/site/sitetest"
)

// Behavior of a single format, and behavior that both formats must share.

// TestHeaderBesideTheField: in a form the key is the field's, because a browser may send another one in a header.
func TestHeaderBesideTheField(t *testing.T) {
	b := setup(t)
	x := b.Case(customercases.Customers(), sitetest.HTML{})
	form := sitetest.Change(x.Command, "idempotency_key", sitetest.Key)
	first := x.Caller.With("Idempotency-Key", "one").Submit("/customers", form)
	x.Format.Done(x, first)
	x.Format.Replayed(x, x.Caller.With("Idempotency-Key", "another").Submit("/customers", form), first)
}

// TestQuotedKeyIsTheSame: the draft standard quotes keys, most programs do not.
func TestQuotedKeyIsTheSame(t *testing.T) {
	b := setup(t)
	x := b.Case(customercases.Customers(), sitetest.JSON{})
	first := x.Ask(x.Command)
	again := x.Under(`"`+sitetest.Key+`"`, x.Command)
	x.Format.Replayed(x, again, first)
}

// TestForbidden: a form on another site can't post here, and uses up no key. TestRefusedRequestsChangeNothing checks this for
// each operation.
func TestForbidden(t *testing.T) {
	x := setup(t).Case(customercases.Customers(), sitetest.HTML{})
	x.Format.Refused(x, x.AskAs(x.Caller.With("Sec-Fetch-Site", "cross-site"), x.Command), "forbidden", nil)
	x.Format.Refused(x, x.AskAs(x.Caller.With("Sec-Fetch-Site", "same-site"), x.Command), "forbidden", nil)
	old := x.Caller.With("Origin", "https://elsewhere.example")
	old.Header.Del("Sec-Fetch-Site") // browsers before 2023 don't send it
	x.Format.Refused(x, x.AskAs(old, x.Command), "forbidden", nil)
	x.WantRows(sitetest.Rows{})
	x.Format.Done(x, x.Ask(x.Command))
}

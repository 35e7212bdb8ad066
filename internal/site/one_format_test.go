package site_test

import (
	"testing"

	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/site/sitetest"
)

// Behavior of a single format, and behavior that both formats must share.

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

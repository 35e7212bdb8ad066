package site_test

import (
	"net/http"
	"testing"
)

// TestExpiredFormCreatesAgainOnPurpose, under a fresh key, in one click.
func TestExpiredFormCreatesAgainOnPurpose(t *testing.T) {
	x := setup(t).caseRun(invoices(), htmlFormat{})
	x.ask(x.command)
	x.expire(x.acme)
	late := x.ask(x.other)
	x.label = "2026-0002"
	x.format.done(x, x.caller.press(x.page(late), "Create as a new invoice"))
	x.wantOutcomes(did, "mismatch", did)
}

// TestExpiredAndNumberTaken: a late retry gets its own invoice, regardless of the order in which the constraints are checked.
func TestExpiredAndNumberTaken(t *testing.T) {
	x, first := forInvoices(setup(t), jsonFormat{})
	x.expire(x.acme)
	late := x.ask(x.command)
	if late.status != http.StatusOK || late.location() != first.location() {
		t.Errorf("%v", late)
	}
}

package invoicepages_test

import (
	"net/http"
	"testing"

	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

// TestExpiredFormCreatesAgainOnPurpose, under a fresh key, in one click.
func TestExpiredFormCreatesAgainOnPurpose(t *testing.T) {
	x := sitetest.Setup(t).Case(invoicecases.Invoices(), sitetest.HTML{})
	x.Ask(x.Command)
	x.Expire(x.Acme)
	late := x.Ask(x.Other)
	x.Label = "2026-0002"
	x.Format.Done(x, x.Caller.Press(x.Page(late), "Create as a new invoice"))
	x.WantOutcomes(sitetest.Did, "mismatch", sitetest.Did)
}

// TestExpiredAndNumberTaken: a late retry gets its own invoice, regardless of the order in which the constraints are checked.
func TestExpiredAndNumberTaken(t *testing.T) {
	x, first := forInvoices(sitetest.Setup(t), sitetest.JSON{})
	x.Expire(x.Acme)
	late := x.Ask(x.Command)
	must.Holdf(t, late.Status == http.StatusOK && late.Location() == first.Location(), "%v", late)
}

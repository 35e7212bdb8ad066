package e2e

import "testing"

// TestVoidDuplicateInvoice: the invoice of the demo that is there twice is found, and voided by five clicks once, as a duplicate of the
// other one, which says so.
func TestVoidDuplicateInvoice(t *testing.T) {
	onlyHere(t, "it voids an invoice of the demo")
	t.Parallel()
	s := start(t, withoutJavaScript)
	s.login()
	var kept, twice string
	const ofDemo = `SELECT number FROM invoices WHERE state = 'draft' AND tenant_id = (
		SELECT tenant_id FROM users WHERE email = 'acme@onlyonce.test') ORDER BY id DESC LIMIT 1`
	s.query(&twice, ofDemo)
	s.query(&kept, ofDemo+` OFFSET 1`)
	s.open("/customers")
	s.follow("Duplicate invoices")
	s.sees("same lines and total, on the same day")
	s.log.forget()
	s.follow("Void " + twice + " as duplicate of " + kept)
	s.sees("It is voided as a duplicate of " + kept + ", which stays.")
	s.pointAt(buttonVoidInvoice)
	s.tap(5)
	s.seesHeading("Invoice " + twice)
	s.sees("Void: duplicate of " + kept + ".")
	if n := s.count(`SELECT count(*) FROM intents WHERE operation = 'invoice.void' AND actor <> 'demo'`); n != 1 {
		t.Errorf("voided %d times", n)
	}
	s.follow(kept)
	s.seesHeading("Invoice " + kept)
	s.sees(twice + " was voided as its duplicate.")
	s.open("/duplicate-invoices")
	s.sees("No duplicates")
}

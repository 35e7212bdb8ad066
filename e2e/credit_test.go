package e2e

import (
	"fmt"
	"testing"
)

// Money that goes back is counted once as well, whatever a hand repeats: pay all,
// refund a part of it, and credit what is open then, each clicked five times.
func TestPayRefundAndCreditClickedFiveTimes(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withIssued(t, javaScript)
			invoice := s.page.URL()

			s.pay()
			s.clickFiveTimes("Record payment", "payments", name)
			s.sees("Nothing is open.")

			s.follow("Refund 123.00 EUR of it")
			s.seesHeading("Record a refund")
			s.holds("Amount in EUR", "123.00")
			s.fill("Amount in EUR", "61.50")
			s.clickFiveTimes("Record refund", "refunds", name)
			s.sees("61.50 of 123.00 paid.")

			s.follow("Credit")
			s.seesHeading("New credit note")
			s.holds("Quantity", "2")
			s.fill("Quantity", "1")
			s.clickFiveTimes("Create credit note", "credit_notes", name)
			s.seesHeading("Credit note " + s.lastCreditNote()) // the demo data has some too
			s.sees("EUR 61.50")

			s.open(invoice)
			s.sees("61.50 credited. Nothing is open.")
			if n := s.count(`
				SELECT count(*) FROM invoices
				WHERE number = '2026-7001' AND state = 'paid' AND (paid, credited, open_amount) = (6150, 6150, 0)
					AND (SELECT array_agg(amount ORDER BY position) FROM postings WHERE invoice_id = id) = '{12300,-6150,6150}'`); n != 1 {
				t.Error("the books say something else")
			}
			if n := s.count(`SELECT count(*) FROM refunds r JOIN invoices i ON i.id = r.invoice_id WHERE number = '2026-7001'`); n != 1 {
				t.Errorf("%d refunds", n)
			}
		})
	}
}

// lastCreditNote is the number that the series of this year ends with.
func (s *session) lastCreditNote() string {
	s.t.Helper()
	return fmt.Sprintf("CN-%d-%04d", s.count(`SELECT extract(year FROM now() AT TIME ZONE 'UTC')::int`), s.count(`
		SELECT count(*) FROM credit_notes WHERE tenant_id = (SELECT tenant_id FROM invoices WHERE number = '2026-7001')`))
}

// clickFiveTimes clicks a button while nobody can write to the table. With JavaScript one attempt is sent, without
// five, of which one does it.
func (s *session) clickFiveTimes(button, table, circumstance string) {
	s.t.Helper()
	s.log.forget()
	release := s.lock(table)
	s.pointAt(button)
	if circumstance == "with JavaScript" {
		s.tap(5)
		s.waiting(1)
	} else {
		for click := range 5 {
			s.tap(1)
			s.waiting(click + 1)
		}
	}
	release()
	want := []string{"created"}
	if circumstance != "with JavaScript" {
		want = append(want, "replayed", "replayed", "replayed", "replayed")
	}
	s.attempts(want...)
}

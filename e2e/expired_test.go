package e2e

import "testing"

// A form that stays open until the first answer can no longer be replayed: nothing is created even so, and whether it
// is a new wish, only the person can say.
func TestSendAgainWhenTheAnswerHasExpired(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, javaScript)
			s.login()
			s.newInvoice()
			s.fillInvoice("2026-7001")
			other := s.tab(s.page.URL())
			other.fillInvoice("2026-7001")
			s.create()
			s.seesInvoice("2026-7001", created("2026-7001"))

			_, err := s.db.Exec(t.Context(), `UPDATE intents SET result = NULL`)
			s.check(err, "let all answers expire")
			other.create()
			other.sees("This form already created 2026-7001.")
			other.holds("Number", "2026-7001")
			s.hasOneNew("2026-7001")

			other.fill("Number", "2026-7002")
			other.fill("Description", "Something else")
			other.click("Create as a new invoice")
			other.seesInvoice("2026-7002", created("2026-7002"))
			s.hasNew(2)
		})
	}
}

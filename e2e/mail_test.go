package e2e

import "testing"

// TestSlowDoubleClickOnSendAgain checks that a second click, which arrives on the next page, does not send the invoice again.
func TestSlowDoubleClickOnSendAgain(t *testing.T) {
	onlyHere(t, "it counts mails in the database, and lets a minute pass there")
	t.Parallel()
	for name, width := range widths {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withDraft(t, width)
			s.issue()
			s.sees(saysIssued)
			s.wasSent(1)
			s.clickSlowlyTwice(buttonSendAgain, "Email queued.")
			s.wasSent(2)
			s.follow(linkOutbox)
			s.seesHeading(headingOutbox)
			s.sees(s.number(1) + " to")
		})
	}
}

// TestFiveClicksOnSendAgain checks that five clicks send one mail, with and without the form lock.
func TestFiveClicksOnSendAgain(t *testing.T) {
	onlyHere(t, "it counts mails in the database, and lets a minute pass there")
	t.Parallel()
	for name, javaScript := range map[string]option{"with JavaScript": withJavaScript, "without JavaScript": withoutJavaScript} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withDraft(t, javaScript)
			s.issue()
			s.sees(saysIssued)
			s.wasSent(1)
			release := s.lock("mails")
			s.pointAt(buttonSendAgain)
			for range 5 {
				s.tap(1)
			}
			release()
			s.sees(saysEMailQueued)
			s.hasNoAlert()
			s.wasSent(2)
		})
	}
}

// wasSent waits until the outbox has n mails about the invoice, and then moves their times back by a minute.
func (s *session) wasSent(n int) {
	s.t.Helper()
	const mails = `FROM mails m JOIN invoices i ON i.tenant_id = m.tenant_id AND i.id = m.invoice_id WHERE i.number = $1`
	s.until("the mails are kept in the outbox", func() bool { return s.count(`SELECT count(*) `+mails+` AND kept`, s.number(1)) == n })
	if all := s.count(`SELECT count(*) `+mails, s.number(1)); all != n {
		s.t.Errorf("%d mails, want %d", all, n)
	}
	_, err := s.db.Exec(s.t.Context(), `UPDATE mails SET created_at = created_at - interval '1 minute'`)
	s.check(err, "let a minute pass")
	s.reopen()
}

package invoiceroom_test

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"onlyonce/internal/invoice/reminder"
	"onlyonce/internal/mailer"
	"onlyonce/internal/mailer/mailertest"
	"onlyonce/internal/value/date"
)

// TestReminderIsSent checks the subject and the text of a reminder, with the open amount when it is sent, and its attachment.
func TestReminderIsSent(t *testing.T) {
	s := mailertest.Start(t, nil, nil)
	b := mailing(t, s.URL)
	invoice := b.draftDue("one", "Ada", "2026-01-05", "2026-02-04")
	b.post(invoice+"/issue", "one", `{"email": "none"}`, http.StatusOK)
	b.post(invoice+"/payments", "one", `{"amount": "23", "date": "2026-02-01", "method": "cash"}`, http.StatusCreated)
	b.post(invoice+"/reminders", "one", `{"level": "1"}`, http.StatusCreated)
	sent := b.settled(1)[0]
	if sent.State != mailer.StateSent || sent.Recipient != "ada@example.com" ||
		sent.Subject != "Payment reminder: invoice 2026-0001 from Acme Studio" {
		t.Errorf("%+v", sent)
	}
	rest := sent.Text
	for _, want := range []string{
		"Hello Ada,", reminder.Message(1), "Invoice: 2026-0001 of 5 January 2026", "Due: 4 February 2026, ",
		"Total: 123.00 EUR", "Paid: 23.00 EUR", "Open: 100.00 EUR", "attached",
	} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("%q is not in its place in\n%s", want, sent.Text)
		}
		rest = after
	}
	due, err := date.Parse("2026-02-04")
	days := strconv.Itoa(due.DaysUntil(date.Of(sent.CreatedAt.UTC())))
	if err != nil || !strings.Contains(sent.Text, ", "+days+" days overdue") {
		t.Errorf("not %s days overdue: %s, %v", days, sent.Text, err)
	}
}

// TestReminderOfAPaidInvoice is not sent any more.
func TestReminderOfAPaidInvoice(t *testing.T) {
	offered, answer := make(chan struct{}), make(chan struct{})
	s := mailertest.Start(t, func(before int) error {
		if before == 0 {
			close(offered)
			<-answer
			return errors.New("451 4.3.2 Come back later")
		}
		return nil
	}, nil)
	b := mailing(t, s.URL)
	invoice := b.draftDue("one", "Ada", "2026-01-05", "2026-02-04")
	b.post(invoice+"/issue", "one", `{"email": "none"}`, http.StatusOK)
	b.post(invoice+"/reminders", "one", `{"level": "1"}`, http.StatusCreated)
	<-offered
	b.post(invoice+"/payments", "one", `{"amount": "123", "date": "2026-02-05", "method": "cash"}`, http.StatusCreated)
	close(answer)
	failed := b.settled(1)[0]
	if failed.State != mailer.StateFailed || failed.Reason != "Nothing is open on the invoice any more." || len(s.Messages()) != 0 {
		t.Errorf("%+v", failed)
	}
}

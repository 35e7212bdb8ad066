package invoiceroom_test

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/assert"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/reminder"
	"onlyonce/internal/mailer"
	"onlyonce/internal/mailer/mailertest"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/value/date"
)

// TestReminderIsSent checks the subject and the text of a reminder, with the open amount when it is sent, and its attachment.
func TestReminderIsSent(t *testing.T) {
	s := mailertest.Start(t, nil, nil)
	b := mailing(t, s.URL)
	invoice := b.draftDue("one", "Ada", "2026-01-05", "2026-02-04")
	must.Exec(t, b.DB.Admin(), `UPDATE customers SET contact = 'Ms Byron'`)
	must.Exec(t, b.DB.Admin(), `UPDATE settings SET account_number = 'IE29AIBK93115212345678'`)
	b.post(invoice+"/issue", "one", `{"email": "none"}`, http.StatusOK)
	b.post(invoice+"/payments", "one", `{"amount": "23", "date": "2026-02-01", "method": "cash"}`, http.StatusCreated)
	b.post(invoice+"/credit-notes", "one", `{"amount": "10"}`, http.StatusCreated)
	b.post(invoice+"/reminders", "one", `{"level": "1"}`, http.StatusCreated)
	sent := b.settled(1)[0]
	assert.Thatf(t, sent.State == mailer.StateSent && sent.Recipient == "ada@example.com" &&
		sent.Subject == "Payment reminder: invoice 2026-0001 from Acme Studio", "%+v", sent)
	rest := sent.Text
	for _, want := range []string{
		"Hello Ms Byron,", "This invoice isn't paid in full yet.", "Invoice: 2026-0001 of 5 January 2026", "Due: 4 February 2026, ",
		"Total: 123.00 EUR", "Paid: 23.00 EUR\nCredited: 10.00 EUR\nOpen: 90.00 EUR",
		"Please pay to:\nAccount holder: Acme Studio\nIBAN: IE29 AIBK 9311 5212 3456 78\nReference: 2026-0001\n\n", "attached",
	} {
		_, after, found := strings.Cut(rest, want)
		must.Thatf(t, found, "%q is not in its place in\n%s", want, sent.Text)
		rest = after
	}
	due, err := date.Parse("2026-02-04")
	days := strconv.Itoa(due.DaysUntil(date.Of(sent.CreatedAt.UTC())))
	assert.Thatf(t, err == nil && strings.Contains(sent.Text, ", "+days+" days overdue"),
		"not %s days overdue: %s, %v", days, sent.Text, err)
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

// TestDueRemindersOfTwoReplicas checks that reminders that fell due while no app ran are sent once when two start.
func TestDueRemindersOfTwoReplicas(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	b := &bundle{apptest.On(t, pgtest.New(t))}
	b.FoundCompany("Acme Studio")
	store := &idempotency.Store{Pool: b.DB.Pool, Wait: 10 * time.Second, Timeout: 20 * time.Second}
	intent := func(name string) idempotency.Intent {
		key, err := idempotency.ParseKey(name)
		must.OK(t, err)
		return idempotency.Intent{Tenant: uuid.MustParse(apptest.Company), Key: key, Actor: "test"}
	}
	d, err := invoice.Input{
		Customer: &customer.Input{Email: "ada@example.com", Name: "Ada"}, IssueDate: "2026-01-05", DueDate: "2026-02-04", Currency: "EUR",
		Lines: []invoice.LineInput{{Description: "Design", Quantity: "1", UnitPrice: "50.00", TaxRate: "23"}},
	}.Draft()
	must.OK(t, err)
	const overdue = 3
	for i := range overdue {
		made, err := invoice.Create.Do(t.Context(), store, intent(strconv.Itoa(i)), d)
		must.OK(t, err)
		issue := intent(strconv.Itoa(i))
		issue.Record = made.Value.ID
		_, err = invoice.Issue.Do(t.Context(), store, issue, invoice.IssueDraft{NoEmail: true})
		must.OK(t, err)
	}
	_, err = reminder.SetPlan.Do(t.Context(), store, intent("plan"), reminder.PlanDraft{FirstAfter: 7})
	must.OK(t, err)

	withoutDemo := func(c *app.Config) { c.Demo = false }
	b.App = b.Start(withoutDemo)
	apptest.On(t, b.DB).Start(withoutDemo)
	b.settled(overdue)
	for _, table := range []string{"invoice_reminders", "mails"} {
		assert.Equal(t, b.Number(`SELECT count(*) FROM `+table), overdue, table)
	}
}

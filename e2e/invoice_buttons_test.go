package e2e

import (
	"slices"
	"strings"
	"time"

	"onlyonce/internal/assert"
)

// Rows about invoices.

func invoiceButtons() map[string]func(*session) button {
	return map[string]func(*session) button{
		"create invoice": createInvoice, "issue": issueInvoice, "void a draft": voidDraft, "void": voidIssued, "send again": sendAgain,
		"remind": sendReminder, "remind chosen": sendReminders,
		"record payment": recordPayment, "pay in full": payInFull, "refund": refundPayment, "credit note": creditInvoice,
		"write off": writeOffInvoice,
		"schedule":  createSchedule, "bill period": billPeriod, "webhook source": addWebhookSource, "apply event": applyEvent,
	}
}

func createInvoice(s *session) button {
	return button{
		press: buttonCreateInvoice, enter: fieldNumber, writes: "invoices", open: s.newInvoice,
		fill:  func(s *session) { s.fillInvoice(s.number(1)) },
		first: "created", done: created(s.number(1)), again: ignoredDuplicate,
		proves: func(n int) { s.hasNew(n); s.hasInvoices(s.number(1), 1) },
		used:   alreadyCreated(s.number(1)), refused: []string{alreadyCreated(s.number(1)) + " " + changesNotSaved},
		other:  map[string]string{fieldNumber: s.number(2), fieldDescription: "Something else", fieldNotes: "Thank you."},
		anyway: buttonCreateAsANewInvoice,
	}
}

func issueInvoice(s *session) button {
	open := func(message bool) func() {
		return func() { s.openDraft(); s.saveNothing(message); s.follow(linkIssueInvoice) }
	}
	return button{
		press: buttonIssueAndEmail, writes: "invoices", open: open(false), after: open(true), fill: nothing,
		first: "changed", done: issued(s.number(1)), again: ignoredSecondEdit,
		second: "unchanged", elsewhere: s.number(1) + " was already issued.", slowly: true,
		proves: func(n int) {
			s.hasLived(slices.Repeat([]string{"invoice.issue"}, n)...)
			s.counts(n, `SELECT count(*) FROM mails JOIN invoices i ON i.id = invoice_id WHERE i.number = $1`, s.number(1))
		},
	}
}

func voidDraft(s *session) button {
	open := func(message bool) func() {
		return func() { s.openDraft(); s.saveNothing(message); s.follow(linkVoid) }
	}
	return button{
		press: buttonVoidInvoice, writes: "invoices", open: open(false), after: open(true), fill: nothing,
		first: "changed", done: voided(s.number(1)), again: ignoredSecondEdit,
		second: "unchanged", elsewhere: s.number(1) + " was already voided.", slowly: true,
		proves: func(n int) { s.hasLived(slices.Repeat([]string{"invoice.void"}, n)...) },
	}
}

func voidIssued(s *session) button {
	return button{
		press: buttonVoidInvoice, writes: "invoices", fill: nothing,
		open:  func() { s.openIssued(); s.follow(linkVoid) },
		after: func() { s.openDraft(); s.issue(); s.sees(saysIssued); s.follow(linkVoid) },
		first: "changed", done: voided(s.number(1)), again: ignoredSecondEdit,
		second: "unchanged", elsewhere: s.number(1) + " was already voided.", slowly: true,
		proves: func(n int) {
			s.hasLived(append([]string{"invoice.issue"}, slices.Repeat([]string{"invoice.void"}, n)...)...)
		},
	}
}

func sendAgain(s *session) button {
	onlyHere(s.t, "it counts mails in the database, and lets a minute pass there")
	return button{
		press: buttonSendAgain, writes: "mails", fill: nothing,
		open:  func() { s.openDraft(); s.issue(); s.sees(saysIssued); s.wasSent(1) },
		first: "created", done: saysEMailQueued, again: saysEMailQueued, slowly: true,
		proves: func(n int) {
			s.wasSent(1 + n)
			s.follow(linkOutbox)
			s.seesHeading(headingOutbox)
			s.sees(s.number(1) + " to")
		},
	}
}

func sendReminder(s *session) button {
	onlyHere(s.t, "it counts mails in the database")
	return button{
		press: buttonSendReminder, enter: fieldTo, writes: "invoice_reminders", fill: nothing,
		open: func() {
			s.open(s.overdueByAPI())
			s.follow(buttonSendReminder)
			s.seesHeading(headingReminder)
		},
		first: "created", done: saysReminderQueued, again: ignoredAgain, slowly: true,
		second: "reused", elsewhere: "This reminder was sent before. Nothing was sent again.",
		proves: s.hasReminders,
	}
}

func sendReminders(s *session) button {
	onlyHere(s.t, "it counts mails in the database")
	return button{
		press: buttonSendReminders, writes: "invoice_reminder_batches", fill: nothing,
		open: func() {
			s.open("/reminder-batches/new?invoice_id=" + strings.TrimPrefix(s.overdueByAPI(), "/invoices/"))
			s.sees(s.number(1))
		},
		first: "created", done: "1 of 1 reminders queued.", again: ignoredAgain, slowly: true,
		proves: s.hasReminders,
	}
}

// overdueByAPI creates an issued invoice that was due two days ago, and returns the path of its page.
func (s *session) overdueByAPI() string {
	s.t.Helper()
	path := s.draftByAPI(s.number(1), time.Now().AddDate(0, 0, -2))
	s.post(path+"/issue", "issue "+s.number(1), map[string]string{"email": "none"})
	return path
}

// hasReminders checks the number of reminders of the invoice.
func (s *session) hasReminders(n int) {
	s.t.Helper()
	s.counts(n, `
		SELECT count(*) FROM invoice_reminders r JOIN mails m ON m.id = r.id JOIN invoices i ON i.id = r.invoice_id
		WHERE i.number = $1`, s.number(1))
}

// recordPayment pays a part: two such payments would still be within the open amount.
func recordPayment(s *session) button {
	return button{
		press: buttonRecordPayment, enter: fieldAmountInEUR, writes: "payments",
		open:  func() { s.openIssued(); s.pay() },
		after: func() { s.openDraft(); s.issue(); s.sees(saysIssued); s.pay() },
		fill:  func(s *session) { s.fill(fieldAmountInEUR, "23") },
		first: "created", done: saysPaymentRecorded, again: ignoredSecondPayment, slowly: true,
		proves: func(n int) { s.hasPaid(s.number(1), []int{23, 50}[:n]...) },
		used:   "This form already recorded 23.00 EUR", refused: []string{"This form already recorded 23.00 EUR"},
		now:   s.number(1) + ": 100.00 EUR",
		other: map[string]string{fieldAmountInEUR: "50"}, anyway: buttonRecordAnotherPayment,
	}
}

// payInFull leaves nothing open for the repeat.
func payInFull(s *session) button {
	return button{
		press: buttonRecordPayment, enter: fieldAmountInEUR, writes: "payments", fill: nothing,
		open:  func() { s.openIssued(); s.pay() },
		first: "created", done: saysPaymentRecorded, again: ignoredSecondPayment, second: "conflict", elsewhere: openHasChanged,
		proves: func(n int) { s.hasPaid(s.number(1), slices.Repeat([]int{123}, n)...) },
	}
}

// refundPayment is Dolibarr issue 7721: a payment was refunded twice, from two tabs.
func refundPayment(s *session) button {
	return button{
		press: buttonRecordRefund, enter: fieldAmountInEUR, writes: "refunds", fill: nothing,
		open: func() {
			s.openIssued()
			s.payByAPI(s.page.URL()[len(s.origin):], "123.00", "")
			s.refresh()
			s.follow(linkRefund("123.00"))
			s.seesHeading(headingRecordARefund)
			s.holds(fieldAmountInEUR, "123.00")
		},
		first: "created", done: "Refund recorded.", again: "Refund recorded. " + ignoredAgain, second: "conflict",
		elsewhere: "The refundable amount has changed since you opened this form. The refund wasn't recorded.",
		proves:    func(n int) { s.hasBooks(s.number(1), booksText("issued", "0.00", "0.00", "123.00", n, 0)) },
	}
}

// creditInvoice is Invoice Ninja issue 4411: a credit note was created twice.
func creditInvoice(s *session) button {
	return button{
		press: buttonCreateCreditNote, enter: fieldQuantity, writes: "credit_notes", fill: nothing,
		open:  func() { s.openIssued(); s.follow(linkCredit); s.seesHeading(headingNewCreditNote) },
		first: "created", done: headingCreditNote, again: ignoredAgain, second: "conflict", elsewhere: "wasn't created",
		proves: func(n int) { s.hasBooks(s.number(1), booksText("credited", "0.00", "123.00", "0.00", 0, n)) },
	}
}

// writeOffInvoice leaves nothing open for the repeat.
func writeOffInvoice(s *session) button {
	return button{
		press: buttonWriteOff, enter: fieldAmountInEUR, writes: "write_offs", fill: nothing,
		open:  func() { s.openIssued(); s.follow(linkWriteOff); s.seesHeading(headingWriteOff) },
		first: "created", done: "Written off.", again: "Written off. " + ignoredAgain, second: "conflict",
		elsewhere: "The open amount has changed since you opened this form. Nothing was written off.",
		proves: func(n int) {
			s.hasBooks(s.number(1), booksText("written_off", "0.00", "0.00", "0.00", 0, 0))
			s.counts(n, `SELECT count(*) FROM write_offs JOIN invoices i ON i.id = invoice_id WHERE i.number = $1`, s.number(1))
		},
	}
}

func createSchedule(s *session) button {
	onlyHere(s.t, wouldBill)
	return button{
		press: buttonCreateSchedule, enter: fieldEvery, writes: "schedules", fill: nothing,
		open:  func() { s.openIssued(); s.follow(linkRepeat); s.seesHeading(headingNewSchedule) },
		first: "created", done: s.named("Ada Byron") + ", every month", again: ignoredAgain,
		proves: func(n int) { s.sees("123.00 EUR"); s.hasSchedules(n) },
	}
}

func billPeriod(s *session) button {
	onlyHere(s.t, wouldBill)
	return button{
		press: buttonBillPeriod, writes: "invoices", fill: nothing,
		open:  func() { s.openSchedule(); s.follow(linkBillNow) },
		first: "created", done: "Period billed.", again: "Period billed.", second: "reused",
		elsewhere: "already exists and was reused. Nothing was changed.",
		proves:    s.hasBilled,
	}
}

// addWebhookSource adds a source, whose secret is not shown again.
func addWebhookSource(s *session) button {
	onlyHere(s.t, wouldDeliver)
	return button{
		press: buttonAddWebhookSource, enter: fieldName, writes: "webhook_sources",
		open:  func() { s.open("/webhooks/new") },
		fill:  func(s *session) { s.fill(fieldName, s.named("Bank")); s.fill(fieldSigningSecret, webhookSecret) },
		first: "created", done: s.named("Bank"), again: ignoredAgain,
		proves: func(n int) {
			s.counts(n, `SELECT count(*) FROM webhook_sources WHERE name = $1`, s.named("Bank"))
			page, err := s.page.Content()
			s.check(err, "read the page")
			assert.Thatf(s.t, !strings.Contains(page, webhookSecret), "the secret is shown")
		},
	}
}

// applyEvent applies an event over more than the open amount, which first waits for a refund.
func applyEvent(s *session) button {
	onlyHere(s.t, wouldDeliver)
	return button{
		press: buttonApply, writes: "payments", fill: nothing,
		open: func() {
			event := undecided(s)
			s.click(buttonApply)
			s.seesHeading("The payment is larger than what is open on the invoice.")
			s.sees("Nothing was recorded.")
			s.hasBooks(s.number(1), booksText("partially_paid", "100.00", "0.00", "23.00", 0, 0))
			s.giveBack()
			s.open(event)
		},
		first: "changed", done: linkOpenTheInvoice, again: linkOpenTheInvoice, second: "unchanged", elsewhere: "was already applied.",
		proves: func(n int) {
			s.hasBooks(s.number(1), booksText("paid", "123.00", "0.00", "0.00", n, 0))
			s.hasPayments(1 + n)
		},
	}
}

// wasSent waits until the outbox has n mails about the invoice, and then moves their times back by a minute.
func (s *session) wasSent(n int) {
	s.t.Helper()
	const mails = `FROM mails m JOIN invoices i ON i.tenant_id = m.tenant_id AND i.id = m.invoice_id WHERE i.number = $1`
	s.until("the mails are kept in the outbox", func() bool { return s.count(`SELECT count(*) `+mails+` AND kept`, s.number(1)) == n })
	all := s.count(`SELECT count(*) `+mails, s.number(1))
	assert.Thatf(s.t, all == n, "%d mails, want %d", all, n)
	_, err := s.db.Exec(s.t.Context(), `UPDATE mails SET created_at = created_at - interval '1 minute'`)
	s.check(err, "let a minute pass")
	s.reopen()
}

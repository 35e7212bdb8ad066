package e2e

import "time"

// visitMails visits the form that sends an invoice, the list of mails and one mail.
func (s *session) visitMails(look func(*session, string)) {
	s.t.Helper()
	invoice := s.issuedByAPI(s.number(220))
	s.open(invoice + "/send/new")
	look(s, "a form that sends an invoice")
	s.fill(fieldTo, "nobody")
	s.click(buttonSendEMail)
	s.sees(saysProblem)
	look(s, "a form that sends an invoice to nobody")
	s.until("no mail waits", func() bool { return s.count(`SELECT count(*) FROM mails WHERE state = 'queued'`) == 0 })
	s.open("/outbox")
	look(s, "the outbox")
	s.follow(s.number(220) + " to " + s.email("ada"))
	look(s, "a mail")
	s.open(invoice)
	look(s, "an invoice that was sent")
}

func (s *session) visitInvoiceForms(look func(*session, string)) {
	s.t.Helper()
	s.newInvoice()
	s.create()
	s.sees(saysProblem)
	look(s, "a form with errors")

	s.newInvoice()
	form := s.page.URL()
	s.fillInvoice(s.number(1))
	s.create()
	s.seesInvoice(s.number(1), created(s.number(1)))
	look(s, "an invoice, just created")

	s.open(form)
	look(s, "a form that was used")
	s.newInvoice()
	s.fillInvoice(s.number(1))
	s.fill(fieldDescription, "Something else")
	s.create()
	s.sees(keptOriginal)
	look(s, "a form whose number is taken")
	s.fillInvoice(s.number(2))
	s.fill(fieldDescription, "Design of "+s.number(1))
	s.create()
	s.sees("Looks like " + s.number(1) + ", created")
	look(s, "a form that looks like a repeat")
}

// visitInvoiceStates visits an invoice in each state, and the possible results of an edit.
func (s *session) visitInvoiceStates(look func(*session, string)) {
	s.t.Helper()
	overdue := s.draftByAPI(s.number(205), time.Now().AddDate(0, 0, -2))
	s.post(overdue+"/issue", "issue", struct{}{})
	part, paid, void := s.issuedByAPI(s.number(202)), s.issuedByAPI(s.number(203)), s.issuedByAPI(s.number(204))
	s.payByAPI(part, "23.00", "R-1")
	s.payByAPI(paid, "123.00", "")
	s.post(void+"/void", "void", struct{}{})
	for word, path := range map[string]string{
		"Draft": s.draftByAPI(s.number(200), nextYear()), "Issued": s.issuedByAPI(s.number(201)), "Partially paid": part,
		"Paid": paid, "Void": void, "Overdue": overdue,
	} {
		s.open(path)
		s.check(expect.Locator(s.page.Locator("h1 .badge")).ToHaveText(word), "read the state")
		look(s, "an invoice, "+word)
	}
	s.open("/invoices")
	look(s, "invoices in all states")
	s.open("/invoices?q=nothing&status=overdue")
	look(s, "a search that finds nothing")

	draft := s.draftByAPI(s.number(206), nextYear())
	s.open(draft)
	s.editInvoice()
	form := s.page.URL()
	other := s.tab(draft + "/edit")
	s.fill(fieldUnitPrice, "fifty")
	s.click(buttonSaveChanges)
	s.sees(saysProblem)
	look(s, "an edit of a draft, with errors")
	s.fill(fieldUnitPrice, "60.00")
	s.click(buttonSaveChanges)
	s.sees("Total changed from 123.00 EUR to 147.60 EUR")
	look(s, "a draft, just changed")
	s.open(form)
	look(s, "an edit of a draft that was used")
	other.fill(fieldNotes, "Thank you.")
	other.click(buttonSaveChanges)
	other.sees(s.number(206) + " was changed while you were editing.")
	look(other, "an edit of a draft that came too late")
	s.post(draft+"/issue", "issue too", struct{}{})
	other.click(buttonSaveChanges)
	other.sees(wasIssued)
	look(other, "an edit of what was issued meanwhile")
	s.open(draft + "/edit")
	look(s, "an edit of what was issued")
}

// visitPaymentForms visits the form of a payment with each possible message.
func (s *session) visitPaymentForms(look func(*session, string)) {
	s.t.Helper()
	s.payByAPI(s.issuedByAPI(s.number(210)), "23.00", "R-2")
	invoice := s.issuedByAPI(s.number(211))
	s.open(invoice)
	s.pay()
	form := s.page.URL()
	look(s, "a payment")
	refused := func(field, text, message string) {
		s.t.Helper()
		s.fill(field, text)
		s.click(buttonRecordPayment)
		s.sees(message)
		look(s, "a payment, "+message)
	}
	refused(fieldAmountInEUR, "all of it", "There is a problem")
	refused(fieldAmountInEUR, "1000", "The open amount is 123.00 EUR.")
	s.fill(fieldBankOrProvider, "bank")
	s.fill(fieldAmountInEUR, "23")
	refused(fieldReference, "R-2", "The payment R-2 of bank is already recorded.")
	s.payByAPI(invoice, "50.00", "R-3")
	refused(fieldReference, "R-4", openHasChanged)
	s.click(buttonRecordPayment)
	s.sees("73.00 of 123.00 paid.")
	look(s, "an invoice, just paid")
	s.open(form)
	look(s, "a payment form that was used")
	s.payByAPI(invoice, "50.00", "")
	s.open(invoice + "/payments/new")
	s.seesHeading(headingNothingIsOpen)
	look(s, "nothing to pay")
	s.visitCredits(look)

	unpaid := s.issuedByAPI(s.number(212))
	s.open(unpaid)
	other := s.tab(unpaid)
	other.pay()
	s.payByAPI(unpaid, "1.00", "")
	s.follow(linkVoid)
	s.seesHeading(headingCannotVoid)
	look(s, "a paid invoice that is not voided")
	s.click(buttonLogOut)
	s.loginAs("globex@onlyonce.test")
	other.click(buttonRecordPayment)
	other.seesHeading(headingOtherBusiness)
	look(other, "a payment of another business")
}

// visitWebhooks visits sources and events in their states; links lead to their lists and forms.
func (s *session) visitWebhooks(look func(*session, string)) {
	s.t.Helper()
	bank := s.addSource()
	look(s, "a source of events, just added")
	s.open("/webhooks/new")
	s.click(buttonAddWebhookSource)
	s.sees(saysProblem)
	look(s, "a source of events, with errors")
	s.issuedByAPI(s.number(230))
	for event, amount := range map[string]string{s.number(231): "23.00", s.number(232): "1000.00"} {
		<-bank.deliver(1, event, received(s.number(230), event, amount))
	}
	<-bank.deliver(1, s.number(231), received(s.number(230), s.number(231), "24.00"))
	s.open("/webhook-events")
	look(s, "events")
	for _, state := range []string{"applied", "undecided", "apart"} {
		s.open("/webhook-events?state=" + state)
		s.follow(map[bool]string{true: s.number(232), false: s.number(231)}[state == "undecided"])
		look(s, "an event, "+state)
	}
	s.open("/webhook-events?state=undecided")
	s.follow(s.number(232))
	s.click(buttonApply)
	s.sees("Nothing was recorded.")
	look(s, "an event that cannot be applied")
}

func (s *session) visitSchedules(look func(*session, string)) {
	s.t.Helper()
	s.open(s.issuedByAPI(s.number(240)))
	s.follow(linkRepeat)
	s.seesHeading(headingNewSchedule)
	form := s.page.URL()
	s.fill(fieldEvery, "often")
	s.click(buttonCreateSchedule)
	s.sees(saysProblem)
	look(s, "a schedule with errors")
	s.fill(fieldEvery, "2")
	s.click(buttonCreateSchedule)
	s.sees("No periods billed yet.")
	look(s, "a schedule, just created")
	schedule := s.page.URL()
	s.open(form)
	look(s, "the form of a schedule that was used")
	s.open(schedule)
	other := s.tab(schedule)
	other.follow(linkBillNow)
	s.follow(linkBillNow)
	s.click(buttonBillPeriod)
	s.sees("Period billed.")
	look(s, "an invoice of a schedule")
	s.open(schedule)
	s.click(buttonPause)
	s.sees("Paused since")
	look(s, "a schedule that was billed, and is paused")
	other.fill(fieldPeriod, "2027-01-01")
	other.click(buttonBillPeriod)
	other.sees("Nothing was billed.")
	look(other, "a period of a schedule that is paused")
}

func (s *session) visitCredits(look func(*session, string)) {
	s.t.Helper()
	invoice := s.issuedByAPI(s.number(213))
	s.payByAPI(invoice, "50.00", "R-5")
	s.open(invoice)
	s.follow(linkRefund("50.00"))
	look(s, "a refund")
	s.fill(fieldAmountInEUR, "60")
	s.click(buttonRecordRefund)
	s.sees("50.00 EUR of this payment is left.")
	look(s, "a refund of too much")
	s.fill(fieldAmountInEUR, "20")
	s.click(buttonRecordRefund)
	s.sees("30.00 of 123.00 paid.")
	s.follow(linkCredit)
	look(s, "a credit note form")
	s.fill(fieldQuantity, "3")
	s.click(buttonCreateCreditNote)
	s.sees("A quantity of 2 is left of line 1.")
	look(s, "a credit note of more than a line")
	s.fill(fieldQuantity, "1")
	s.click(buttonCreateCreditNote)
	s.seesHeading(headingCreditNote)
	look(s, "a credit note")
	s.open(invoice)
	look(s, "an invoice with payments and credits")
	s.follow(linkWriteOff)
	look(s, "a write-off")
	s.fill(fieldAmountInEUR, "60")
	s.click(buttonWriteOff)
	s.sees("The write-off is larger, and wasn't recorded.")
	look(s, "a write-off of too much")
	s.fill(fieldAmountInEUR, "")
	s.click(buttonWriteOff)
	s.sees("31.50 EUR is much for a small difference")
	look(s, "a write-off that is asked about")
	s.click(buttonWriteOffAnyway)
	s.sees("Nothing is open.")
	look(s, "an invoice whose rest was written off")
	s.follow("Take back write-off of 31.50 EUR")
	look(s, "a write-off to take back")
	s.click(buttonTakeBack)
	s.sees("Write-off taken back.")
	look(s, "an invoice with a write-off that was taken back")
}

// invoiceStarts returns the pages whose links are followed first. The newest invoice of the demo is a draft, which can be edited.
func invoiceStarts() []string { return []string{"/invoices"} }

// invoiceKinds returns the pages of invoices to which links lead.
func invoiceKinds() []string {
	return []string{
		"/invoices/{id}", "/invoices/{id}/edit", "/invoices/{id}/issue", "/invoices/{id}/void", "/invoices/new",
		"/invoices/{id}/attachments/new",
		"/payments", "/credit-notes", "/schedules", "/schedules/new", "/schedules/{id}",
		"/schedules/{id}/edit", "/schedules/{id}/periods/new", "/webhooks", "/webhooks/new", "/webhooks/{id}",
		"/webhooks/{id}/webhook-secrets/new", "/webhook-events",
	}
}

package e2e

import "testing"

// What cannot be taken back asks on a page of its own, which says who will be told, and what.

// TestIssueAsks: the page that asks changes nothing. The email says what was typed there, and without a mail server it is not sent,
// which the page says before, and the invoice and the outbox say afterwards.
func TestIssueAsks(t *testing.T) {
	onlyHere(t, "it counts mails in the database")
	t.Parallel()
	for name, circumstances := range map[string]option{"wide": withJavaScript, "narrow": onPhone, "without JavaScript": withoutJavaScript} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withDraft(t, circumstances)
			s.follow(linkIssueInvoice)
			s.seesHeading("Issue invoice " + s.number(1))
			s.sees("can't be edited")
			s.sees("No mail server is set up.")
			s.hasLived()
			label := "Email to " + s.email("ada")
			s.holds(label, "Hello "+s.named("Ada Byron")+",\n\n"+
				"Acme Studio Ltd has sent you the invoice "+s.number(1)+" of 21 January 2026.")
			s.fill(label, "Dear Ada,\n\nhere is what we agreed on.")
			s.takePicture(s.page.URL())
			s.click(buttonIssueAndEmail)
			s.sees(issued(s.number(1)))
			s.wasSent(1)
			s.reopen()
			s.sees("Email to " + s.email("ada") + ": Not sent: no mail server is set up")
			s.takePicture(s.page.URL())
			s.follow("Email to " + s.email("ada"))
			s.sees("here is what we agreed on.")
			s.sees("Total: 123.00 EUR")
			s.hasLived("invoice.issue")
		})
	}
}

// TestIssueOnly queues no email.
func TestIssueOnly(t *testing.T) {
	onlyHere(t, "it counts mails in the database")
	t.Parallel()
	s := withDraft(t, withoutJavaScript)
	s.follow(linkIssueInvoice)
	s.click(buttonIssueOnly)
	s.sees(issued(s.number(1)))
	s.hasMails(0)
	s.hasLived("invoice.issue")
}

// TestIssueOfAnotherVersion: somebody edits the draft while the page asks, which then asks about the draft as it is, and keeps
// what was typed.
func TestIssueOfAnotherVersion(t *testing.T) {
	onlyHere(t, "it counts mails in the database")
	t.Parallel()
	s := withDraft(t)
	other := s.tab(s.page.URL())
	s.follow(linkIssueInvoice)
	label := "Email to " + s.email("ada")
	s.fill(label, "Dear Ada, here it is.")
	other.follow(linkEdit)
	other.fill(fieldNotes, "Thank you.")
	other.click(buttonSaveChanges)
	other.sees(saved(s.number(1)))
	s.click(buttonIssueAndEmail)
	s.sees(s.number(1) + " was changed since this page was opened.")
	s.holds(label, "Dear Ada, here it is.")
	s.hasMails(0)
	s.click(buttonIssueAndEmail)
	s.sees(issued(s.number(1)))
	s.hasMails(1)
	s.hasLived("invoice.edit", "invoice.issue")
}

// TestVoidTellsTheCustomer who got the invoice, if that is wanted, and offers it for no other.
func TestVoidTellsTheCustomer(t *testing.T) {
	onlyHere(t, "it counts mails in the database")
	t.Parallel()
	for name, circumstances := range map[string]option{"wide": withJavaScript, "narrow": onPhone, "without JavaScript": withoutJavaScript} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withDraft(t, circumstances)
			invoice := s.page.URL()
			s.follow(linkVoid)
			s.seesHeading("Void invoice " + s.number(1))
			tell := "Tell " + s.email("ada") + " by email that it's void"
			s.check(expect.Locator(s.field(tell)).ToHaveCount(0), "be offered no email about a draft")
			s.follow("Cancel")
			s.issue()
			s.sees(issued(s.number(1)))
			s.wasSent(1)
			s.open(invoice)
			s.follow(linkVoid)
			s.check(s.field(tell).Check(), "tick it")
			s.takePicture(s.page.URL())
			s.click(buttonVoidInvoice)
			s.sees(voided(s.number(1)))
			s.wasSent(2)
			s.follow(linkOutbox)
			s.follow(s.number(1) + " to " + s.email("ada"))
			s.sees("is void. Please do not pay it.")
			s.hasLived("invoice.issue", "invoice.void")
		})
	}
}

// TestMenuOfAnInvoice opens by keyboard and closes by Escape, where the focus goes back to its button; the technical details open likewise.
func TestMenuOfAnInvoice(t *testing.T) {
	t.Parallel()
	for name, circumstances := range map[string]option{"wide": withJavaScript, "narrow": onPhone, "without JavaScript": withoutJavaScript} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withDraft(t, circumstances)
			more := s.page.Locator("details.menu summary")
			s.check(expect.Locator(s.link(linkVoid)).ToBeHidden(), "see no menu before it is open")
			s.check(more.Press("Enter"), "open the menu")
			s.check(expect.Locator(s.link(linkVoid)).ToBeVisible(), "see what is in it")
			s.check(s.page.Locator("details.technical summary").Press("Enter"), "open the technical details")
			s.check(expect.Locator(s.page.Locator("details.technical").GetByText("Idempotency key")).ToBeVisible(), "see the key")
			if name == "without JavaScript" {
				s.follow(linkCopyAsNew)
				s.seesHeading(headingCopy(s.number(1)))
				return
			}
			s.check(expect.Locator(s.link(linkVoid)).ToBeHidden(), "find the menu closed, as the focus has left it")
			s.check(more.Press("Enter"), "open the menu")
			s.isAccessibleNow("the menu of an invoice")
			s.check(s.link(linkCopyAsNew).Focus(), "go to a link in it")
			s.check(s.link(linkCopyAsNew).Press("Escape"), "close the menu")
			s.check(expect.Locator(s.link(linkCopyAsNew)).ToBeHidden(), "see it closed")
			s.check(expect.Locator(more).ToBeFocused(), "be back at its button")
		})
	}
}

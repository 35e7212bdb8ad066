package e2e

import (
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// A person types an invoice, and the tab is gone before it is sent: it crashed, or was closed by mistake. The text is still there,
// under the key of that form, however the person comes back. It is offered, and filled in only on request.

func TestTypedTextIsRestoredInTheSameForm(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(s *session, form string){
		"crashed tab": func(s *session, form string) { s.crash(); s.open(form) },
		"closed tab":  func(s *session, form string) { s.closeTab(); s.open(form) },
		// Without the browser's page cache, Back shows the page as it was before any input.
		"Back": func(s *session, _ string) { s.follow(linkCustomers); s.seesHeading(headingCustomers); s.back() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := atForm(t)
			form := s.page.URL()
			s.fillTwoLines()
			leave(s, form)

			s.isOffered(saysNotSaved)
			s.holds(fieldNumber, "")
			s.check(expect.Locator(s.line(2)).ToBeHidden(), "have an empty form")
			s.click(buttonRestore)
			s.holdsTwoLines()
			s.isOfferedNothing()
			s.isOnForm(form)
			s.create()
			s.seesTwoLines()
			s.attempts("created")
		})
	}
}

// The address is lost with the tab. A new form offers a link to the old one, so that one wish stays one wish.
func TestNewFormOffersTheUnsavedOne(t *testing.T) {
	t.Parallel()
	s := atForm(t)
	form := s.page.URL()
	s.fillTwoLines()
	s.crash()

	s.newInvoice()
	must.Thatf(t, s.page.URL() != form, "the form is no new one")
	s.isOffered(saysUnsavedInvoice)
	s.follow(linkContinue)
	s.holdsTwoLines()
	s.isOnForm(form)
	url := s.page.URL()
	assert.Thatf(t, url == form, "the address is %s, which fills in again what may have changed since", url)
	s.create()
	s.seesTwoLines()
	s.newInvoice()
	s.isOfferedNothing()
	s.attempts("created")
}

func TestDiscardedTextIsGone(t *testing.T) {
	t.Parallel()
	s := atFilledForm(t)
	form := s.page.URL()
	s.refresh()
	s.isOffered(saysNotSaved)
	s.click(buttonDiscard)
	s.isOfferedNothing()
	s.isFocused(s.field(fieldBillTo))
	s.keeps(0)
	s.refresh()
	s.isOfferedNothing()

	s.fillInvoice(s.number(1))
	s.newInvoice()
	s.isOffered(saysUnsavedInvoice)
	s.click(buttonDiscard)
	s.isOfferedNothing()
	s.keeps(0)
	s.open(form)
	s.isOfferedNothing()
	s.hasNew(0)
}

// A form without input, or with its original content, is not offered.
func TestNothingTypedIsNothingToOffer(t *testing.T) {
	t.Parallel()
	s := atForm(t)
	s.keeps(0)
	s.fill(fieldNumber, s.number(1))
	s.keeps(1)
	s.fill(fieldNumber, "")
	s.keeps(0)
	s.click(buttonAddALine)
	s.keeps(1)
	s.click(buttonRemoveLine2)
	s.keeps(0)
	s.newInvoice()
	s.isOfferedNothing()
}

// A person who types without looking at the offer loses neither text.
func TestTypingBesideAnOffer(t *testing.T) {
	t.Parallel()
	s := atForm(t)
	s.fill(fieldNotes, "before")
	s.refresh()
	s.isOffered(saysNotSaved)
	s.fill(fieldNumber, s.number(2))
	s.refresh()
	s.click(buttonRestore) // the newest first
	s.holds(fieldNumber, s.number(2))
	s.holds(fieldNotes, "")
	s.isOffered(saysNotSaved)
	s.click(buttonRestore)
	s.holds(fieldNumber, "")
	s.holds(fieldNotes, "before")
	s.click(buttonRestore) // the replaced content
	s.holds(fieldNumber, s.number(2))
	s.click(buttonDiscard)
	s.holds(fieldNumber, s.number(2))
	s.isOfferedNothing()
	s.refresh()
	s.click(buttonRestore)
	s.holds(fieldNumber, s.number(2))
	s.isOfferedNothing()
}

// In two tabs with the same form, the last input is kept, and neither tab affects the other.
func TestTwoTabsKeepWhatWasTypedLast(t *testing.T) {
	t.Parallel()
	s := atForm(t)
	form := s.page.URL()
	other := s.tab(form)
	s.fill(fieldNumber, s.number(1))
	other.fill(fieldNumber, s.number(2))
	s.fill(fieldNotes, "Thank you.")
	other.closeTab()
	other.open(form)
	other.click(buttonRestore)
	other.holds(fieldNumber, s.number(1))
	other.holds(fieldNotes, "Thank you.")
	s.keeps(1)
}

// A refused form is shown again with its input. It does not offer that input, and a crash does not lose it.
func TestRefusedFormIsKept(t *testing.T) {
	t.Parallel()
	s := atFilledForm(t)
	form := s.page.URL()
	s.fill(fieldUnitPrice, "fifty")
	s.create()
	s.sees(saysProblem)
	s.isOfferedNothing()
	s.crash()
	s.open(form)
	s.click(buttonRestore)
	s.holds(fieldUnitPrice, "fifty")
	s.fill(fieldUnitPrice, "50.00")
	s.create()
	s.isDoneOnce(created(s.number(1)), "rejected", "created")
	s.keeps(0)
}

// An edit is restored with the version that the person had seen, so that a later edit by another person is not overwritten unseen.
func TestRestoredEditKnowsWhatItHasSeen(t *testing.T) {
	t.Parallel()
	s := withAda(t)
	ada := s.page.URL()
	s.edit()
	form := s.page.URL()
	s.fill(fieldEmail, s.email("countess"))
	s.crash()

	s.open(ada)
	s.edit()
	s.isOffered(saysUnsavedChanges)
	s.fill(fieldName, s.named("Ada King"))
	s.click(buttonSaveChanges)
	s.sees("Changes to " + s.named("Ada King") + " saved.")
	s.keeps(1)

	s.open(form)
	s.click(buttonRestore)
	s.holds(fieldEmail, s.email("countess"))
	s.holds(fieldName, s.named("Ada Byron"))
	s.click(buttonSaveChanges)
	s.sees(s.named("Ada King") + " was changed while you were editing. Your changes aren't saved yet.")
	s.isOfferedNothing() // the page has the typed input, merged with the saved record
	s.seesRow("Name", "Changed by them", s.named("Ada King"), s.named("Ada Byron"))
	s.hasChanged("customer.edit")
	s.click(buttonSaveBoth)
	s.seesHeading(s.named("Ada King"))
	s.keeps(0)
}

// Without the script for lines, the form gets the kept number of lines from the server. Without the server, it keeps the lines that
// it cannot show.
func TestLinesWithoutTheirScript(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.blockScript("form-lines")
	s.login()
	s.newInvoice()
	form := s.page.URL()
	s.fillInvoice(s.number(1))
	s.fill(fieldNotes, "Thank you.\nAda")
	s.click(buttonAddALine)
	s.check(expect.Locator(s.line(2)).ToBeVisible(), "have two lines")
	s.isOfferedNothing()
	s.fillLine(2, "Hosting", "1", "10.00", "23")
	s.crash()

	s.open(form)
	s.isOffered(saysNotSaved)
	s.storage(`() => { delete document.querySelector("[data-kept-lines-url]").dataset.keptLinesUrl }`)
	s.click(buttonRestore)
	s.isOffered("has another number of lines.")
	s.holds(fieldNumber, "")
	s.open(form)
	s.isOffered(saysNotSaved)
	s.click(buttonRestore)
	s.holdsTwoLines()
	s.isOfferedNothing()
	s.create()
	s.seesTwoLines()
	s.attempts("created")
}

// The answer is lost after the commit, so only the server can find out. A new form asks it, and offers no form that is done.
func TestSavedFormIsNotOffered(t *testing.T) {
	t.Parallel()
	s := atFilledForm(t, keepingPages) // the headless shell has no error page
	s.loseNextAnswer()
	s.pointAt(buttonCreateInvoice)
	s.tap(1)
	s.attempts("created")
	s.isOnBrowserError()
	s.closeTab()

	s.open("/invoices")
	s.keeps(1)
	s.newInvoice()
	s.keeps(0)
	s.isOfferedNothing()
	s.hasOneNew(s.number(1))
}

// A used form is not kept again, despite further input.
func TestUsedFormIsNotKept(t *testing.T) {
	t.Parallel()
	s := atFilledForm(t, keepingPages)
	form := s.page.URL()
	s.create()
	s.seesInvoice(s.number(1), created(s.number(1)))
	s.keeps(0)
	s.back()
	s.saysUsed(s.number(1))
	s.fill(fieldNotes, "Thank you.")
	s.keeps(0)

	other := s.tab("/invoices/new")
	other.storage(`(url) => localStorage.setItem("onlyonce form nobody " + url.split("key=")[1], JSON.stringify({
		person: "nobody", key: url.split("key=")[1], url, versions: [{ at: Date.now(), typed: [], seen: [] }] }))`, form)
	other.keeps(1)
	other.open(strings.TrimPrefix(form, s.origin))
	other.sees("This form already created " + s.number(1) + ".")
	other.keeps(0)
}

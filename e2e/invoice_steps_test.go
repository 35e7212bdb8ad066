package e2e

import "testing"

// Irreversible actions ask on a separate page, which names the recipient and the content of the mail.

// TestMenuOfAnInvoice opens the menu by keyboard and closes it by Escape, which returns the focus to its button. It opens the
// technical details in the same way.
func TestMenuOfAnInvoice(t *testing.T) {
	withFocus(t)
	for name, circumstances := range map[string]option{"wide": withJavaScript, "narrow": onPhone, "without JavaScript": withoutJavaScript} {
		t.Run(name, func(t *testing.T) {
			withFocus(t)
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
			s.isFocused(more)
		})
	}
}

package e2e

import (
	"testing"

	"onlyonce/internal/app"
)

// TestSignUp: a person without a login is impatient in every way, and begins one business: five clicks, Back, a reload, two tabs, the link
// opened again, and on another device.
func TestSignUp(t *testing.T) {
	onlyHere(t, "it creates businesses")
	t.Parallel()
	inEach(t, withAndWithoutJavaScript, func(v variant) {
		s := newSession(v.T)
		s.configure = func(c *app.Config) { c.SignUp = true }
		s.bootApp()
		s.openBrowser(v.in, inTokyo)
		look, zone := (*session).isAccessible, "Asia/Tokyo"
		if v.name == "without JavaScript" {
			look, zone = func(*session, string) {}, "UTC"
		}
		s.signUp(zone, look)
	})
}

// signUp wants the time zone of the business.
func (s *session) signUp(zone string, look func(*session, string)) {
	s.t.Helper()
	s.open("/login")
	s.follow(linkSignUp)
	look(s, "a sign-up")
	s.fill(fieldEmail, "ada at example")
	s.click(buttonEmailALink)
	s.isWrong(fieldEmail)
	s.open("/sign-ups/new") // without JavaScript, Back would lead to the refused form
	s.fill(fieldEmail, "Ada@example.test")
	s.pointAt(buttonEmailALink)
	s.tap(5)
	s.seesHeading(headingInbox)
	look(s, "a sign-up that was asked for")
	s.back()
	s.sees("This form already began your sign-up.")
	s.refresh()
	s.sees("This form already began your sign-up.")
	s.follow("Open your sign-up")
	s.seesHeading(headingInbox) // the reload follows the navigation
	s.refresh()
	s.counts(1, `SELECT count(*) FROM sign_ups WHERE email = $1`, "ada@example.test")
	s.counts(1, `SELECT count(*) FROM sign_up_mails m JOIN sign_ups s ON s.id = m.sign_up_id WHERE s.email = $1`, "ada@example.test")

	link, err := s.link(linkDemoMail).GetAttribute("href")
	s.check(err, "read the link")
	s.follow(linkDemoMail)
	s.fill(fieldBusiness, "Lovelace Ltd")
	s.fill(fieldPassword, "too short")
	s.click(buttonCreateBusiness)
	s.isWrong(fieldPassword)
	look(s, "a business with a short password")
	s.open(link)
	s.fill(fieldBusiness, "Lovelace Ltd")
	s.fill(fieldPassword, "a long passphrase")
	other := s.tab(link)
	other.fill(fieldBusiness, "Lovelace & Sons")
	other.fill(fieldPassword, "another passphrase")
	s.pointAt(buttonCreateBusiness)
	s.tap(5)
	s.sees(saysBusinessIsReady)
	other.press("Enter")
	other.sees(saysBusinessIsReady)
	s.back()
	s.sees("This form already started your sign-up.")
	s.refresh()
	s.sees("This form already started your sign-up.")
	phone := s.elsewhere(onPhone)
	for _, again := range []*session{s, other, phone} {
		again.open(link)
		again.seesHeading("Your business is ready")
	}
	look(phone, "a link that was used")
	s.counts(1, `SELECT count(*) FROM tenants t JOIN users u ON u.tenant_id = t.id WHERE u.email = $1`, "ada@example.test")
	s.counts(0, `SELECT count(*) FROM tenants WHERE name = $1`, "Lovelace & Sons")
	s.counts(1, `SELECT count(*) FROM tenants WHERE name = 'Lovelace Ltd' AND time_zone = $1`, zone)

	s.follow(buttonLogIn)
	s.fill(fieldEmail, "ada@example.test")
	s.fill(fieldPassword, "a long passphrase")
	s.click(buttonLogIn)
	s.isLoggedIn()
}

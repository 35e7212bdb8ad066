package e2e

import (
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"strings"
	"testing"

	"onlyonce/internal/app"
	"onlyonce/internal/assert"
	"onlyonce/internal/mailer"
	"onlyonce/internal/mailer/mailertest"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	"onlyonce/internal/value/email"
)

// TestPasswordsByMail invites a person by email, once, who chooses a password with the link. Then the person forgets it, and
// requests a link to choose another one. A used link is refused.
func TestPasswordsByMail(t *testing.T) {
	onlyHere(t, "it reads the mails, and adds a business")
	t.Parallel()
	s, mails := startMailing(t)
	s.open("/people/new")
	s.loginAs("owner@example.test")
	s.isAccessible("a new person who can be mailed")
	s.fill(fieldEmail, "grace@example.test")
	s.fill(fieldPersonName, "Grace Hopper")
	s.pointAt(buttonAddAndEmail)
	s.tap(2)
	s.seesHeading("Grace Hopper")
	invitation := s.linkIn(mails, 1)
	s.refresh()
	s.sees("Emailed to grace@example.test on ")
	s.isAccessible("a person who was mailed")

	grace := s.elsewhere()
	grace.open(invitation)
	grace.sees("You will log in to Byron & Sons as grace@example.test.")
	grace.fill(fieldPassword, "too short")
	grace.click(buttonChoosePassword)
	grace.isWrong(fieldPassword)
	grace.fill(fieldPassword, "a long passphrase")
	grace.pointAt(buttonChoosePassword)
	grace.tap(2)
	grace.isLoggedIn()
	grace.click(buttonLogOut)
	grace.open(invitation)
	grace.sees(saysLinkDoesNotWork)

	grace.follow(linkForgot)
	grace.isAccessible("a forgotten password")
	grace.fill(fieldEmail, "grace at example")
	grace.click(buttonEmailALink)
	grace.isWrong(fieldEmail)
	grace.fill(fieldEmail, "Grace@example.test")
	grace.pointAt(buttonEmailALink)
	grace.tap(2)
	grace.sees(saysIfThereIsAnAccount)
	grace.isAccessible("a link that was asked for")
	grace.open(s.linkIn(mails, 2))
	grace.fill(fieldPassword, "another passphrase")
	grace.click(buttonChoosePassword)
	grace.isLoggedIn()
	grace.click(buttonLogOut)
	grace.fill(fieldEmail, "grace@example.test")
	grace.fill(fieldPassword, "a long passphrase")
	grace.click(buttonLogIn)
	grace.sees("Email or password is incorrect.")
	grace.fill(fieldPassword, "another passphrase")
	grace.click(buttonLogIn)
	grace.isLoggedIn()
	phone := s.elsewhere()
	phone.open("/account")
	phone.fill(fieldEmail, "grace@example.test")
	phone.fill(fieldPassword, "another passphrase")
	phone.click(buttonLogIn)
	phone.sees("This browser")
	phone.isAccessible("an account with another login")
	phone.pointAt(buttonLogOutElsewhere)
	phone.tap(2)
	phone.check(expect.Locator(phone.page.Locator(".flash")).ToHaveText("You are logged out everywhere else."), "see the message")
	grace.follow(linkCustomers)
	grace.seesHeading(headingLogIn)
	s.open("/people")
	s.follow("Grace Hopper")
	s.isAccessible("a person who has a password")
	s.click(buttonEmailANewLink)
	s.linkIn(mails, 3)
	n := s.count(`SELECT count(*) FROM link_mails`)
	assert.Thatf(t, n == 3, "%d mails", n)
}

// startMailing is start with a mail server, and a business outside the demo, whose owner has the demo's password.
func startMailing(t *testing.T, options ...option) (*session, *mailertest.Sink) {
	t.Helper()
	mails := mailertest.Start(t, nil, nil)
	server, err := mailer.ParseServer(mails.URL)
	must.OK(t, err)
	s := newSession(t)
	s.configure = func(c *app.Config) { c.MailServer, c.MailSender = &server, "mail@example.test" }
	s.bootApp()
	business, _, err := account.CreateTenant(t.Context(), s.db, "Byron & Sons")
	s.check(err, "create a business")
	_, _, err = account.CreateUser(t.Context(), s.db, business.ID, email.Address("owner@example.test"), demoPassword, "")
	s.check(err, "create its owner")
	s.openBrowser(options...)
	return s, mails
}

// linkIn waits until n mails have arrived and the app has recorded it, and returns the path of the link in the last one.
func (s *session) linkIn(mails *mailertest.Sink, n int) string {
	s.t.Helper()
	s.until("a mail has come", func() bool { return len(mails.Messages()) == n })
	s.until("no mail waits", func() bool { return s.count(`SELECT count(*) FROM link_mails WHERE state = 'queued'`) == 0 })
	message := mails.Messages()[n-1]
	_, parameters, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	s.check(err, "read the mail")
	part, err := multipart.NewReader(message.Body, parameters["boundary"]).NextRawPart()
	s.check(err, "read the mail")
	text, err := io.ReadAll(quotedprintable.NewReader(part))
	s.check(err, "read the mail")
	_, link, ok := strings.Cut(string(text), s.origin)
	must.Thatf(s.t, ok, "no link in\n%s", text)
	link, _, _ = strings.Cut(link, "\r\n")
	s.tellf(byServer, "mails a link to %s", message.Header.Get("To"))
	return link
}

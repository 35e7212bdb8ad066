package e2e

import "strings"

// elsewhere opens another person's browser, in front of the same app.
func (s *session) elsewhere(options ...option) *session {
	s.t.Helper()
	other := *s
	other.who = "somebody else"
	other.openBrowser(options...)
	return &other
}

// secret returns the secret that the page shows.
func (s *session) secret() string {
	s.t.Helper()
	shown, err := s.page.Locator(".secret code").TextContent()
	s.check(err, "read the secret")
	return shown
}

// visitPeople visits people and tokens in all states, and the form for choosing a password.
func (s *session) visitPeople(look func(*session, string)) {
	s.t.Helper()
	s.open("/people/new")
	s.fill(fieldEmail, "kim@onlyonce.test")
	s.click(buttonAddPerson)
	s.sees(saysPersonTaken)
	look(s, "a person who is there")
	s.fill(fieldEmail, "globex@onlyonce.test")
	s.click(buttonAddPerson)
	s.sees(saysEmailUnusable)
	look(s, "a person of another business")
	s.fill(fieldEmail, "grace@example.test")
	s.click(buttonAddPerson)
	s.seesHeading("grace@example.test")
	look(s, "a person, just added")
	link := s.secret()
	s.click(buttonWithdrawLink)
	s.sees("Person grace@example.test uninvited.")
	look(s, "a person without a link")
	s.click(buttonNewLink)
	s.sees("Person grace@example.test invited.")
	newer := s.secret()
	s.click(buttonDisable)
	s.sees("Disabled on ")
	look(s, "a person, just disabled")
	s.click(buttonEnable)
	s.click(buttonNewLink)
	newest := s.secret()
	for what, address := range map[string]string{"a link": newest, "a link that is over": link, "another link that is over": newer} {
		s.open(strings.TrimPrefix(address, s.origin))
		look(s, what)
	}
	s.open("/forgot")
	look(s, "a forgotten password, without mail")
	s.open("/tokens/new")
	s.fill(fieldName, "demo")
	s.click(buttonCreateToken)
	s.sees(saysTokenTaken)
	look(s, "a token of a name that is taken")
	s.fill(fieldName, "shop")
	s.click(buttonCreateToken)
	s.seesHeading("shop")
	look(s, "a token, just created")
	// Without a copy button, one click selects the whole secret.
	s.check(s.page.Locator(".secret code").Click(), "click on the secret")
	selected, err := s.page.Evaluate(`() => getSelection().toString()`)
	if s.check(err, "read the selection"); selected != s.secret() {
		s.t.Errorf("a click selects %q", selected)
	}
	s.click(buttonRevoke)
	s.sees("Token shop revoked.")
	look(s, "a token, just revoked")
	s.open("/account")
	s.fill(fieldCurrentPassword, "wrong")
	s.fill(fieldNewPassword, "a long passphrase")
	s.click(buttonChangePassword)
	s.sees(saysDemoPasswordsStay)
	look(s, "an account")
	member := s.elsewhere()
	member.open("/login")
	member.loginAs("kim@onlyonce.test")
	member.open("/people")
	look(member, "what is for owners only")
}

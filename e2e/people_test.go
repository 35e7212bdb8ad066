package e2e

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// elsewhere opens another person's browser, in front of the same app.
func (s *session) elsewhere(options ...option) *session {
	s.t.Helper()
	other := *s
	other.who = "somebody else"
	other.openBrowser(withoutPageCache, options)
	return &other
}

// secret returns the secret that the page shows.
func (s *session) secret() string {
	s.t.Helper()
	shown, err := s.page.Locator(".secret code").TextContent()
	s.check(err, "read the secret")
	return shown
}

// TestPeople adds a person as an owner. The person opens the link elsewhere, chooses a password and works as a member, until the
// owner disables them.
func TestPeople(t *testing.T) {
	onlyHere(t, "it adds a person, who would stay")
	t.Parallel()
	s := start(t, withoutJavaScript)
	s.login()
	s.open("/")
	s.follow(linkSettings)
	s.follow(linkPeople)
	s.seesHeading(headingPeople)
	s.follow(linkNewPerson)
	s.fill(fieldEmail, "grace@example.test")
	s.fill(fieldPersonName, "Grace Hopper")
	s.click(buttonAddPerson)
	s.seesHeading("Grace Hopper")
	s.sees(saysInvited)
	link := s.secret()
	if !strings.HasPrefix(link, s.origin+"/join?link=") {
		t.Errorf("the link is %s", link)
	}

	grace := s.elsewhere(withoutJavaScript)
	grace.open(strings.TrimPrefix(link, s.origin))
	grace.sees("You will log in to Acme Studio as grace@example.test.")
	grace.fill(fieldPassword, "too short")
	grace.click(buttonChoosePassword)
	grace.isWrong(fieldPassword)
	grace.fill(fieldPassword, "a long passphrase")
	grace.pointAt(buttonChoosePassword)
	grace.tap(2)
	grace.isLoggedIn()
	grace.follow(linkSettings)
	if n, err := grace.page.GetByRole("link", playwright.PageGetByRoleOptions{Name: "People"}).Count(); err != nil || n != 0 {
		t.Errorf("%d links lead a member to people, %v", n, err)
	}
	grace.open("/people")
	grace.seesHeading(headingForOwnersOnly)

	grace.click(buttonLogOut)
	grace.fill(fieldEmail, "grace@example.test")
	grace.fill(fieldPassword, "a long passphrase")
	grace.click(buttonLogIn)
	grace.isLoggedIn()

	s.refresh()
	s.sees(saysCanLogIn)
	s.click(buttonDisable)
	s.sees("Person Grace Hopper disabled.")
	grace.follow(linkCustomers)
	grace.seesHeading(headingLogIn)
	s.click(buttonEnable)
	s.sees("Person Grace Hopper enabled.")
}

// TestToken creates a token and shows its secret, which works until it is revoked.
func TestToken(t *testing.T) {
	onlyHere(t, "it makes a token, which would stay")
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, javaScript)
			s.login()
			s.open("/tokens/new")
			s.fill(fieldName, "shop")
			s.click(buttonCreateToken)
			s.seesHeading("shop")
			secret := s.secret()
			if !regexp.MustCompile(`^oo_[\w-]{43}$`).MatchString(secret) || s.api(secret) != http.StatusOK {
				t.Errorf("%q gets %d", secret, s.api(secret))
			}
			s.refresh()
			if again := s.secret(); again != secret {
				t.Errorf("%q, and after a refresh %q", secret, again)
			}
			// Without a copy button, one click selects the whole secret.
			s.check(s.page.Locator(".secret code").Click(), "click on the secret")
			if javaScript := name == "with JavaScript"; javaScript {
				selected, err := s.page.Evaluate(`() => getSelection().toString()`)
				if s.check(err, "read the selection"); selected != secret {
					t.Errorf("a click selects %q", selected)
				}
			}
			s.click(buttonRevoke)
			s.sees("Token shop revoked.")
			if status := s.api(secret); status != http.StatusUnauthorized {
				t.Errorf("a revoked token gets %d", status)
			}
		})
	}
}

// api sends a request to the API like curl, and returns the status.
func (s *session) api(token string) int {
	s.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.origin+"/api/v1/customers", http.NoBody)
	s.check(err, "ask the API")
	r.Header.Set("Authorization", "Bearer "+token)
	a, err := http.DefaultClient.Do(r)
	s.check(err, "ask the API")
	s.check(a.Body.Close(), "hang up")
	return a.StatusCode
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

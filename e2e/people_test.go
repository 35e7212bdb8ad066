package e2e

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// elsewhere is another person at a browser of their own, in front of the same app.
func (s *session) elsewhere(options ...option) *session {
	s.t.Helper()
	other := *s
	other.openBrowser(chromium, options)
	return &other
}

// secret is the one that the page shows.
func (s *session) secret() string {
	s.t.Helper()
	shown, err := s.page.Locator(".secret code").TextContent()
	s.check(err, "read the secret")
	return shown
}

// TestPeople: an owner adds a person, who opens the link elsewhere, chooses a password and works as a member, until the
// owner disables them.
func TestPeople(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, javaScript)
			s.login()
			s.follow("Settings")
			s.follow("People")
			s.seesHeading("People")
			s.follow("New person")
			s.fill("Email", "grace@example.test")
			s.fill("Name (optional)", "Grace Hopper")
			s.pointAt("Add person")
			s.tap(2)
			s.seesHeading("Grace Hopper")
			s.sees("Invited, has not chosen a password yet")
			if n := s.count(`SELECT count(*) FROM users WHERE email = 'grace@example.test'`); n != 1 {
				t.Errorf("%d people", n)
			}
			link := s.secret()
			if !strings.HasPrefix(link, s.origin+"/join?link=") {
				t.Errorf("the link is %s", link)
			}

			grace := s.elsewhere(javaScript)
			grace.open(strings.TrimPrefix(link, s.origin))
			grace.sees("You will log in to Acme Studio as grace@example.test.")
			grace.fill("Password", "too short")
			grace.click("Choose password")
			grace.isWrong("Password")
			grace.fill("Password", "a long passphrase")
			grace.pointAt("Choose password")
			grace.tap(2)
			grace.seesHeading("Invoices")
			grace.follow("Settings")
			if n, err := grace.page.GetByRole("link", playwright.PageGetByRoleOptions{Name: "People"}).Count(); err != nil || n != 0 {
				t.Errorf("%d links lead a member to people, %v", n, err)
			}
			grace.open("/people")
			grace.seesHeading("For owners only")

			grace.click("Log out")
			grace.fill("Email", "grace@example.test")
			grace.fill("Password", "a long passphrase")
			grace.click("Log in")
			grace.seesHeading("Invoices")

			s.refresh()
			s.sees("Can log in")
			s.click("Disable")
			s.sees("Person Grace Hopper disabled.")
			grace.follow("Customers")
			grace.seesHeading("Log in")
			s.click("Enable")
			s.sees("Person Grace Hopper enabled.")
		})
	}
}

// TestToken: a double click makes one token and shows its secret, which works until it is revoked.
func TestToken(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, javaScript)
			s.login()
			s.open("/tokens/new")
			s.fill("Name", "shop")
			s.pointAt("Create token")
			s.tap(2)
			s.seesHeading("shop")
			if n := s.count(`SELECT count(*) FROM api_tokens WHERE name = 'shop'`); n != 1 {
				t.Errorf("%d tokens", n)
			}
			secret := s.secret()
			if !regexp.MustCompile(`^oo_[\w-]{43}$`).MatchString(secret) || s.api(secret) != http.StatusOK {
				t.Errorf("%q gets %d", secret, s.api(secret))
			}
			s.refresh()
			if again := s.secret(); again != secret {
				t.Errorf("%q, and after a refresh %q", secret, again)
			}
			// Without a button, one click selects all of it.
			s.check(s.page.Locator(".secret code").Click(), "click on the secret")
			if javaScript := name == "with JavaScript"; javaScript {
				selected, err := s.page.Evaluate(`() => getSelection().toString()`)
				if s.check(err, "read the selection"); selected != secret {
					t.Errorf("a click selects %q", selected)
				}
			}
			s.click("Revoke")
			s.sees("Token shop revoked.")
			if status := s.api(secret); status != http.StatusUnauthorized {
				t.Errorf("a revoked token gets %d", status)
			}
		})
	}
}

// api asks the API for something, as curl does, and gives the status.
func (s *session) api(token string) int {
	s.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.origin+"/api/v1/invoices", http.NoBody)
	s.check(err, "ask the API")
	r.Header.Set("Authorization", "Bearer "+token)
	a, err := http.DefaultClient.Do(r)
	s.check(err, "ask the API")
	s.check(a.Body.Close(), "hang up")
	return a.StatusCode
}

// visitPeople looks at people and tokens in all states, and at where somebody chooses a password.
func (s *session) visitPeople(look func(*session, string)) {
	s.t.Helper()
	s.open("/people/new")
	s.fill("Email", "kim@onlyonce.test")
	s.click("Add person")
	s.sees("There is one person per address")
	look(s, "a person who is there")
	s.fill("Email", "globex@onlyonce.test")
	s.click("Add person")
	s.sees("This email address cannot be used.")
	look(s, "a person of another business")
	s.fill("Email", "grace@example.test")
	s.click("Add person")
	s.seesHeading("grace@example.test")
	look(s, "a person, just added")
	link := s.secret()
	s.click("Withdraw link")
	s.sees("Person grace@example.test uninvited.")
	look(s, "a person without a link")
	s.click("New link")
	s.sees("Person grace@example.test invited.")
	newer := s.secret()
	s.click("Disable")
	s.sees("Disabled on ")
	look(s, "a person, just disabled")
	s.click("Enable")
	s.click("New link")
	newest := s.secret()
	for what, address := range map[string]string{"a link": newest, "a link that is over": link, "another link that is over": newer} {
		s.open(strings.TrimPrefix(address, s.origin))
		look(s, what)
	}
	s.open("/tokens/new")
	s.fill("Name", "demo")
	s.click("Create token")
	s.sees("There is a token named demo.")
	look(s, "a token of a name that is taken")
	s.fill("Name", "shop")
	s.click("Create token")
	s.seesHeading("shop")
	look(s, "a token, just created")
	s.click("Revoke")
	s.sees("Token shop revoked.")
	look(s, "a token, just revoked")
	s.open("/account")
	s.fill("Current password", "wrong")
	s.fill("New password", "a long passphrase")
	s.click("Change password")
	s.sees("The passwords of the demo stay as they are.")
	look(s, "an account")
	member := s.elsewhere()
	member.open("/login")
	member.loginAs("kim@onlyonce.test")
	member.open("/people")
	look(member, "what is for owners only")
}

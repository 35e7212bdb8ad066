package e2e

import "testing"

// TestSessions lists a person's logins, ends one, and then all others with a double click.
func TestSessions(t *testing.T) {
	onlyHere(t, "it ends logins that others share")
	t.Parallel()
	s := start(t)
	_, err := s.db.Exec(t.Context(), `UPDATE tenants SET demo = false`) // visitors of the demo share a login
	s.check(err, "have a login of one's own")
	s.logInByForm()
	phone, tablet := s.elsewhere(), s.elsewhere()
	phone.logInByForm()
	s.open("/account")
	s.sees("This browser")
	s.sees("Chrome on Linux")
	s.isAccessible("an account with another login")
	s.click(buttonLogOutThere)
	s.sees("That browser is logged out.")
	phone.follow(linkCustomers)
	phone.seesHeading(headingLogIn)

	phone.logInByForm()
	tablet.logInByForm()
	s.refresh()
	s.pointAt(buttonLogOutElsewhere)
	s.tap(2)
	s.sees("You are logged out everywhere else.")
	phone.follow(linkCustomers)
	phone.seesHeading(headingLogIn)
	tablet.follow(linkCustomers)
	tablet.seesHeading(headingLogIn)
	s.follow(linkCustomers)
	s.isLoggedIn()
	if n := s.count(`SELECT count(*) FROM sessions`); n != 1 {
		t.Errorf("%d sessions are left", n)
	}
}

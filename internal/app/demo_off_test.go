package app_test

import (
	"net/http"
	"net/http/cookiejar"
	"testing"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/must"
)

func withoutDemo(c *app.Config) { c.Demo = false }

// visitor returns a client with cookies that doesn't follow redirects.
func (b *bundle) visitor() *http.Client {
	b.Helper()
	jar, err := cookiejar.New(nil)
	must.OK(b, err)
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// accepted tries every demo credential: the password with a new browser, the token, and a session that may exist already. It
// returns whether each was accepted.
func (b *bundle) accepted(at string, session *http.Client) (password, token, running bool) {
	b.Helper()
	status := func(response *http.Response, err error) int {
		b.Helper()
		must.OK(b, err)
		_ = response.Body.Close()
		return response.StatusCode
	}
	login := apptest.DemoLogin()
	password = status(b.visitor().PostForm(at+"/login", login)) == http.StatusSeeOther
	ask, err := http.NewRequestWithContext(b.Context(), http.MethodGet, at+"/api/v1/customers", nil)
	must.OK(b, err)
	ask.Header.Set("Authorization", "Bearer "+apptest.DemoToken)
	token = status(http.DefaultClient.Do(ask)) == http.StatusOK
	running = status(session.Get(at+"/customers")) == http.StatusOK
	return password, token, running
}

// TestDemoLoginsAreRefusedWithoutTheDemo checks that an app without the demo refuses the credentials that an earlier start with it has
// created, at any address. A replica with the demo still accepts them.
func TestDemoLoginsAreRefusedWithoutTheDemo(t *testing.T) {
	b := setup(t)
	session := b.visitor()
	response, err := session.PostForm(b.URL()+"/login", apptest.DemoLogin())
	must.OK(t, err)
	_ = response.Body.Close()
	check := func(name, at string, want bool) {
		t.Helper()
		for range 2 { // the second token comes from the cache
			password, token, running := b.accepted(at, session)
			if password != want || token != want || running != want {
				t.Errorf("%s: password %v, token %v, running session %v, want %v", name, password, token, running, want)
			}
		}
	}
	check("with the demo", b.URL(), true)

	// Cookies are shared by all ports, so the session is sent to the other replica too.
	beside := b.Start(withoutDemo)
	check("a replica without the demo", beside.URL(), false)
	check("the one with the demo, still", b.URL(), true)

	public := b.Start(withoutDemo, func(c *app.Config) { c.Addr = "0.0.0.0:0" })
	check("on a public address", public.URL(), false)

	must.OK(t, b.Close(t.Context()))
	check("restarted without the demo", b.Start(withoutDemo).URL(), false)
	check("restarted with the demo", b.Start().URL(), true)
}

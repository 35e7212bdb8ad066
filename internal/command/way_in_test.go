package command

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"onlyonce/internal/app/apptest"
	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

// serve runs the app, without demo data unless the environment sets DEMO, and returns its address and its output.
func (b *bundle) serve(env ...string) (address string, banner string) {
	b.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(b.Context()))
	ended := make(chan int, 1)
	var stdout, stderr apptest.Buffer
	environ := b.environ(append(env, "ADDR=127.0.0.1:0", "METRICS_ADDR=off", "DEMO=0")...)
	go func() { ended <- run(ctx, nil, environ, strings.NewReader(""), &stdout, &stderr, apptest.Site()) }()
	b.Cleanup(func() {
		stop()
		if code := <-ended; code != done {
			b.Errorf("code %d: %s", code, stderr.String())
		}
	})
	where := regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	must.Until(b, "serving", func() bool { return strings.HasSuffix(stdout.String(), "\n\n") && where.MatchString(stdout.String()) })
	return where.FindString(stdout.String()), stdout.String()
}

func (b *bundle) do(client *http.Client, r *http.Request) (status int, body string) {
	b.Helper()
	response, err := client.Do(r)
	must.OK(b, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must.OK(b, err)
	return response.StatusCode, string(text)
}

func (b *bundle) request(method, url, kind, token, body string) *http.Request {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), method, url, strings.NewReader(body))
	must.OK(b, err)
	r.Header.Set("Content-Type", kind)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Idempotency-Key", "the-first-customer")
	}
	return r
}

// TestWayIn goes from an empty database to a customer, and out again.
func TestWayIn(t *testing.T) {
	pgtest.Long(t)
	b := setup(t)
	at, banner := b.serve()
	const hint, form, asJSON = " user create you@example.com", "application/x-www-form-urlencoded", "application/json"
	jar, err := cookiejar.New(nil)
	must.OK(t, err)
	person := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	page := func(path string) (int, string) {
		t.Helper()
		return b.do(person, b.request(http.MethodGet, at+path, "", "", ""))
	}
	if _, body := page("/login"); !strings.Contains(banner, hint) || !strings.Contains(body, hint) {
		t.Errorf("neither the banner nor the page has the next step: %s\n%s", banner, body)
	}
	open, signUp := b.serve("SIGN_UP=1", "SMTP_URL=smtp://127.0.0.1:1", "MAIL_FROM=app@example.com",
		"SECRET_KEY="+strings.Repeat("a", 43)+"=")
	_, body := b.do(person, b.request(http.MethodGet, open+"/login", "", "", ""))
	assert.Thatf(t, strings.Contains(signUp, "/sign-ups/new") && !strings.Contains(signUp, hint) && !strings.Contains(body, hint),
		"where strangers may sign up, the banner or the page has commands: %s\n%s", signUp, body)

	b.want(done, "", "tenant", "create", "Acme Studio")
	b.want(done, password, "user", "create", "ada@example.com", "--tenant", "Acme Studio")
	token := strings.TrimSpace(b.want(done, "", "token", "create", "sync", "--tenant", "Acme Studio"))
	if _, body := page("/login"); strings.Contains(body, hint) {
		t.Error("the login page goes on about the first user")
	}

	logIn := func(password string) int {
		t.Helper()
		login := url.Values{"email": {"ada@example.com"}, "password": {password}}
		status, _ := b.do(person, b.request(http.MethodPost, at+"/login", form, "", login.Encode()))
		return status
	}
	const customer = `{"email": "bob@example.com", "name": "Bob"}`
	create := func() int {
		t.Helper()
		status, body := b.do(http.DefaultClient, b.request(http.MethodPost, at+"/api/v1/customers", asJSON, token, customer))
		if status != http.StatusCreated {
			t.Log(body)
		}
		return status
	}
	if status := logIn(password); status != http.StatusSeeOther {
		t.Fatalf("log in: %d", status)
	}
	for range 2 {
		status := create()
		assert.Thatf(t, status == http.StatusCreated, "create a customer: %d", status)
	}
	if status, body := page("/customers"); status != http.StatusOK || !strings.Contains(body, "Bob") {
		t.Errorf("the list: %d", status)
	}

	loggedIn := func(want bool, after string) {
		t.Helper()
		status, _ := page("/customers")
		assert.Thatf(t, (status == http.StatusOK) == want, "after %s: %d", after, status)
	}
	b.want(done, "another password", "user", "password", "ada@example.com")
	loggedIn(false, "another password")
	logIn("another password")
	loggedIn(true, "the login with it")
	b.want(done, password, "user", "create", "grace@example.com", "--tenant", "Acme Studio", "--role", "owner")
	b.want(done, "", "user", "disable", "ada@example.com")
	loggedIn(false, "being disabled")
	logIn("another password")
	loggedIn(false, "the login of somebody disabled")
	b.want(done, "", "user", "enable", "ada@example.com")
	loggedIn(false, "being enabled, with an old session")
	logIn("another password")
	loggedIn(true, "being enabled")

	b.want(done, "", "token", "revoke", "sync", "--tenant", "Acme Studio")
	must.Until(b, "refusing the token", func() bool { return create() == http.StatusUnauthorized })
}

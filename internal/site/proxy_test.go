package site_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	"onlyonce/internal/people/peoplecases"
	"onlyonce/internal/site/sitetest"
	"onlyonce/internal/web"
)

// behindProxy serves behind a real reverse proxy on loopback, which changes the Host header like many proxies, and returns the
// site with its public address.
func behindProxy(b *sitetest.Bundle, settings ...func(*sitetest.Config)) *sitetest.Replica {
	b.Helper()
	inside := b.Serve(settings...)
	target, err := url.Parse(inside.URL)
	must.OK(b, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"] // a chain, to which the proxy adds its peer
		r.SetXForwarded()
	}}
	return &sitetest.Replica{Server: inside.Server, URL: b.Listen(proxy), Pool: inside.Pool, Store: inside.Store}
}

func trusting(networks ...string) func(*sitetest.Config) {
	return func(c *sitetest.Config) {
		for _, network := range networks {
			c.TrustedProxies = append(c.TrustedProxies, netip.MustParsePrefix(network))
		}
	}
}

// guesses makes 31 login attempts, one more than the limit of an address, and returns the status of the last.
func guesses(c *sitetest.Client, from string) (status int) {
	c.B.Helper()
	guesser := c
	if from != "" {
		guesser = c.With("X-Forwarded-For", from)
	}
	long := strings.Repeat("x", account.MaxPassword+1) // refused without the cost of verifying a password
	for i := range 31 {
		guess := url.Values{"email": {fmt.Sprint(i, "@example.com")}, "password": {long}}
		status = guesser.Submit("/login", guess).Status
	}
	return status
}

// TestLoginThrottleSeesPeopleBehindAProxy: the address of the guesses is throttled, and other addresses behind the proxy are
// not. A forged X-Forwarded-For has no effect.
func TestLoginThrottleSeesPeopleBehindAProxy(t *testing.T) {
	b := setup(t)
	// The clients are on loopback, too: a second proxy in front of the first.
	guesser := b.Browser(behindProxy(b, trusting("127.0.0.1/32", "10.0.0.0/8")))
	status := guesses(guesser, "203.0.113.7")
	assert.Thatf(t, status == http.StatusTooManyRequests, "31 guesses from one address: %d", status)
	for name, from := range map[string]string{
		"the same with another claim": "198.51.100.1, 203.0.113.7", "the same over one more proxy": "203.0.113.7, 10.1.2.3",
		"the same as IPv6": "::ffff:203.0.113.7",
	} {
		a := guesser.With("X-Forwarded-For", from).LogIn(b.Acme, sitetest.Password)
		assert.Thatf(t, a.Status == http.StatusTooManyRequests, "%s: %v", name, a)
	}
	if a := guesser.With("X-Forwarded-For", "203.0.113.7, 203.0.113.8").LogIn(b.Acme, sitetest.Password); a.Status != http.StatusSeeOther {
		t.Errorf("another user: %v", a)
	}
}

// TestForwardedHeadersOfStrangers: forwarded headers are ignored unless they come from a trusted proxy.
func TestForwardedHeadersOfStrangers(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string][]func(*sitetest.Config){
		"no proxy": nil, "a proxy elsewhere": {trusting("10.0.0.0/8")},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			stranger := b.Browser(b.Serve(settings...))
			status := guesses(stranger, "")
			must.Thatf(t, status == http.StatusTooManyRequests, "%v", status)
			a := stranger.With("X-Forwarded-For", "203.0.113.7").With("X-Real-IP", "203.0.113.7").
				With("Forwarded", "for=203.0.113.7;proto=https").With("X-Forwarded-Proto", "https").LogIn(b.Acme, sitetest.Password)
			assert.Thatf(t, a.Status == http.StatusTooManyRequests && a.Header.Get("Strict-Transport-Security") == "", "believed: %v", a)
		})
	}
}

// TestFormsBehindAProxy: the proxy is reached by HTTPS, and forwards to the app under another name.
func TestFormsBehindAProxy(t *testing.T) {
	b := setup(t)
	const outside = "https://invoices.example.com"
	at := behindProxy(b, func(c *sitetest.Config) { c.Secure, c.Origin = true, outside })
	// An older browser sends Origin and no Sec-Fetch-Site.
	person := b.Stranger(at).With("Origin", outside)
	a := person.LogIn(b.Acme, sitetest.Password)
	must.Thatf(t, a.Status == http.StatusSeeOther && a.Location() == "/", "%v", a)
	sitetest.CheckCookie(t, sitetest.CookieOf(t, a, sitetest.SecureCookie), true)
	assert.Thatf(t, a.Header.Get("Strict-Transport-Security") != "", "browsers do not learn to come by HTTPS only")
	// WebKit 2.50 refreshes a form in this way.
	if a := person.With("Sec-Fetch-Site", "cross-site").LogIn(b.Acme, sitetest.Password); a.Status != http.StatusSeeOther {
		t.Errorf("a refreshed form: %v", a)
	}
	for name, c := range map[string]*sitetest.Client{
		"another site":                b.Stranger(at).With("Origin", "https://evil.example"),
		"another scheme":              b.Stranger(at).With("Origin", "http://invoices.example.com"),
		"another site, newer browser": b.Stranger(at).With("Origin", "https://evil.example").With("Sec-Fetch-Site", "cross-site"),
		"another site, and a claim":   b.Stranger(at).With("Origin", "https://evil.example").With("X-Forwarded-Host", "evil.example"),
	} {
		a := c.LogIn(b.Acme, sitetest.Password)
		assert.Thatf(t, a.Status == http.StatusForbidden, "%s: %v", name, a)
	}
}

// TestLoginWithoutHTTPS: browsers drop Secure cookies that come over plain HTTP, except on localhost, where they send
// Sec-Fetch-Site.
func TestLoginWithoutHTTPS(t *testing.T) {
	b := setup(t)
	unnamed := b.Serve(func(c *sitetest.Config) { c.Secure = true })
	named := b.Serve(func(c *sitetest.Config) { c.Secure, c.Origin = true, "https://books.example" })
	made := b.Person(b.Replica, b.Acme).Submit("/people", sitetest.Change(peoplecases.Users().Command, "idempotency_key", sitetest.Key))
	link := sitetest.SecretIn(b.Page(b.Person(b.Replica, b.Acme).Get(made.Location())).SecretOn())
	form := url.Values{"email": {b.Acme.Email}, "password": {sitetest.Password}, "link": {link}}
	for name, c := range map[string]struct {
		client *sitetest.Client
		early  bool   // whether the problem is known before the form is sent
		told   string // the setting or address in the message; "" for a login that works
	}{
		"another machine":     {b.Stranger(unnamed), true, "PUBLIC_URL=" + unnamed.URL},
		"the wrong address":   {b.Stranger(named), true, "Open https://books.example instead."},
		"a proxy without TLS": {b.Stranger(unnamed).With("X-Forwarded-For", "203.0.113.7"), false, "PUBLIC_URL=" + unnamed.URL},
		"localhost":           {b.Browser(unnamed), false, ""},
		"not Secure":          {b.Stranger(b.Replica), false, ""},
		"an old browser": {
			b.Stranger(named).With("X-Forwarded-For", "203.0.113.7").With("Origin", "https://books.example"), false, "",
		},
	} {
		told := func(what string, a sitetest.Answer, want bool) {
			said := b.Page(a).Text()
			assert.Thatf(t, strings.Contains(said, "You can’t log in here.") == want && (!want || strings.Contains(said, c.told)),
				"%s: %s: %v", name, what, a)
		}
		told("login", c.client.Get("/login"), c.early)
		told("link", c.client.Get("/join?link="+link), c.early)
		if c.told == "" {
			a := c.client.Submit("/login", form)
			assert.Thatf(t, a.Status == http.StatusSeeOther, "%s: %v", name, a)
			continue
		}
		sending := c.client.With("Origin", c.client.URL)
		for _, path := range []string{"/login", "/join"} {
			a := sending.Submit(path, form)
			told(path, a, true)
			assert.Thatf(t, a.Status == http.StatusForbidden && a.Header.Get("Set-Cookie") == "", "%s: %s: %v", name, path, a)
		}
	}
}

// TestOtherOriginsAreLogged with the reason. If the form may be from this site, the page names the setting to change.
func TestOtherOriginsAreLogged(t *testing.T) {
	b := setup(t)
	var log bytes.Buffer
	at := b.Serve(func(c *sitetest.Config) {
		c.Origin, c.Log = "http://books.example", slog.New(web.WithRequestID(slog.NewTextHandler(&log, nil)))
	})
	host := strings.TrimPrefix(at.URL, "http://")
	for name, c := range map[string]struct {
		client       *sitetest.Client
		logged       string
		told, untold string
	}{
		"another site": {
			b.Stranger(at).With("Sec-Fetch-Site", "cross-site").With("Origin", "https://evil.example"),
			`header=Sec-Fetch-Site value=cross-site expected="same-origin or none"`, "The request came from another site", "PUBLIC_URL",
		},
		"a proxy that changes Host, without TLS": {
			b.Stranger(at).With("Origin", "http://books.lan"),
			`header=Origin value=http://books.lan expected="http://books.example or //` + host + `"`,
			"asked for as " + host + ". If you see http://books.lan in the address bar, whoever runs the app can set PUBLIC_URL=",
			"referrers",
		},
		"no referrers": {
			b.Stranger(at).With("Origin", "null"), `header=Origin value=null`, "Referrer-Policy: no-referrer", "PUBLIC_URL",
		},
	} {
		log.Reset()
		a := c.client.LogIn(b.Acme, sitetest.Password)
		want := `level=WARN msg="refused a request from another origin" method=POST path=/login ` + c.logged
		assert.Thatf(t, a.Status == http.StatusForbidden && strings.Contains(log.String(), want) &&
			strings.HasSuffix(log.String(), " request_id="+a.Header.Get("X-Request-ID")+"\n"), "%s: %v, logged %s", name, a, log.String())
		said := b.Page(a).Text()
		assert.Thatf(t, strings.Contains(said, c.told) && !strings.Contains(said, c.untold), "%s: %s", name, said)
	}
}

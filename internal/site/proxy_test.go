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

	"onlyonce/internal/people/account"
	"onlyonce/internal/web"
)

// behindProxy serves behind a real reverse proxy on loopback, which changes the Host header like many proxies, and returns the
// site with its public address.
func (b *bundle) behindProxy(settings ...func(*config)) *replica {
	b.Helper()
	inside := b.serve(settings...)
	target, err := url.Parse(inside.url)
	if err != nil {
		b.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"] // a chain, to which the proxy adds its peer
		r.SetXForwarded()
	}}
	return &replica{inside.Server, b.listen(proxy), inside.pool, inside.store}
}

func trusting(networks ...string) func(*config) {
	return func(c *config) {
		for _, network := range networks {
			c.TrustedProxies = append(c.TrustedProxies, netip.MustParsePrefix(network))
		}
	}
}

// guesses makes 31 login attempts, one more than the limit of an address, and returns the status of the last.
func (c *client) guesses(from string) (status int) {
	c.b.Helper()
	guesser := c
	if from != "" {
		guesser = c.with("X-Forwarded-For", from)
	}
	long := strings.Repeat("x", account.MaxPassword+1) // refused without the cost of verifying a password
	for i := range 31 {
		guess := url.Values{"email": {fmt.Sprint(i, "@example.com")}, "password": {long}}
		status = guesser.submit("/login", guess).status
	}
	return status
}

// TestLoginThrottleSeesPeopleBehindAProxy: the address of the guesses is throttled, and other addresses behind the proxy are
// not. A forged X-Forwarded-For has no effect.
func TestLoginThrottleSeesPeopleBehindAProxy(t *testing.T) {
	b := setup(t)
	// The clients are on loopback, too: a second proxy in front of the first.
	guesser := b.browser(b.behindProxy(trusting("127.0.0.1/32", "10.0.0.0/8")))
	if status := guesser.guesses("203.0.113.7"); status != http.StatusTooManyRequests {
		t.Errorf("31 guesses from one address: %d", status)
	}
	for name, from := range map[string]string{
		"the same with another claim": "198.51.100.1, 203.0.113.7", "the same over one more proxy": "203.0.113.7, 10.1.2.3",
		"the same as IPv6": "::ffff:203.0.113.7",
	} {
		if a := guesser.with("X-Forwarded-For", from).logIn(b.acme, password); a.status != http.StatusTooManyRequests {
			t.Errorf("%s: %v", name, a)
		}
	}
	if a := guesser.with("X-Forwarded-For", "203.0.113.7, 203.0.113.8").logIn(b.acme, password); a.status != http.StatusSeeOther {
		t.Errorf("another user: %v", a)
	}
}

// TestForwardedHeadersOfStrangers: forwarded headers are ignored unless they come from a trusted proxy.
func TestForwardedHeadersOfStrangers(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string][]func(*config){
		"no proxy": nil, "a proxy elsewhere": {trusting("10.0.0.0/8")},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			stranger := b.browser(b.serve(settings...))
			if status := stranger.guesses(""); status != http.StatusTooManyRequests {
				t.Fatal(status)
			}
			a := stranger.with("X-Forwarded-For", "203.0.113.7").with("X-Real-IP", "203.0.113.7").
				with("Forwarded", "for=203.0.113.7;proto=https").with("X-Forwarded-Proto", "https").logIn(b.acme, password)
			if a.status != http.StatusTooManyRequests || a.header.Get("Strict-Transport-Security") != "" {
				t.Errorf("believed: %v", a)
			}
		})
	}
}

// TestFormsBehindAProxy: the proxy is reached by HTTPS, and forwards to the app under another name.
func TestFormsBehindAProxy(t *testing.T) {
	b := setup(t)
	const outside = "https://invoices.example.com"
	at := b.behindProxy(func(c *config) { c.Secure, c.Origin = true, outside })
	// An older browser sends Origin and no Sec-Fetch-Site.
	person := b.stranger(at).with("Origin", outside)
	a := person.logIn(b.acme, password)
	if a.status != http.StatusSeeOther || a.location() != "/" {
		t.Fatalf("%v", a)
	}
	checkCookie(t, set(t, a, secureCookie), true)
	if a.header.Get("Strict-Transport-Security") == "" {
		t.Error("browsers do not learn to come by HTTPS only")
	}
	for name, c := range map[string]*client{
		"another site":                b.stranger(at).with("Origin", "https://evil.example"),
		"another scheme":              b.stranger(at).with("Origin", "http://invoices.example.com"),
		"another site, newer browser": b.stranger(at).with("Origin", "https://evil.example").with("Sec-Fetch-Site", "cross-site"),
		"another site, and a claim":   b.stranger(at).with("Origin", "https://evil.example").with("X-Forwarded-Host", "evil.example"),
	} {
		if a := c.logIn(b.acme, password); a.status != http.StatusForbidden {
			t.Errorf("%s: %v", name, a)
		}
	}
}

// TestLoginWithoutHTTPS: browsers drop Secure cookies that come over plain HTTP, except on localhost, where they send
// Sec-Fetch-Site.
func TestLoginWithoutHTTPS(t *testing.T) {
	b := setup(t)
	unnamed := b.serve(func(c *config) { c.Secure = true })
	named := b.serve(func(c *config) { c.Secure, c.Origin = true, "https://books.example" })
	made := b.person(b.replica, b.acme).submit("/people", change(users().command, "idempotency_key", key))
	link := secretIn(b.page(b.person(b.replica, b.acme).get(made.location())).secretOn())
	form := url.Values{"email": {b.acme.email}, "password": {password}, "link": {link}}
	for name, c := range map[string]struct {
		client *client
		early  bool   // whether the problem is known before the form is sent
		told   string // the setting or address in the message; "" for a login that works
	}{
		"another machine":     {b.stranger(unnamed), true, "PUBLIC_URL=" + unnamed.url},
		"the wrong address":   {b.stranger(named), true, "Open https://books.example instead."},
		"a proxy without TLS": {b.stranger(unnamed).with("X-Forwarded-For", "203.0.113.7"), false, "PUBLIC_URL=" + unnamed.url},
		"localhost":           {b.browser(unnamed), false, ""},
		"not Secure":          {b.stranger(b.replica), false, ""},
		"an old browser": {
			b.stranger(named).with("X-Forwarded-For", "203.0.113.7").with("Origin", "https://books.example"), false, "",
		},
	} {
		told := func(what string, a answer, want bool) {
			said := b.page(a).text()
			if strings.Contains(said, "You can’t log in here.") != want || want && !strings.Contains(said, c.told) {
				t.Errorf("%s: %s: %v", name, what, a)
			}
		}
		told("login", c.client.get("/login"), c.early)
		told("link", c.client.get("/join?link="+link), c.early)
		if c.told == "" {
			if a := c.client.submit("/login", form); a.status != http.StatusSeeOther {
				t.Errorf("%s: %v", name, a)
			}
			continue
		}
		sending := c.client.with("Origin", c.client.url)
		for _, path := range []string{"/login", "/join"} {
			a := sending.submit(path, form)
			told(path, a, true)
			if a.status != http.StatusForbidden || a.header.Get("Set-Cookie") != "" {
				t.Errorf("%s: %s: %v", name, path, a)
			}
		}
	}
}

// TestOtherOriginsAreLogged with the reason. If the form may be from this site, the page names the setting to change.
func TestOtherOriginsAreLogged(t *testing.T) {
	b := setup(t)
	var log bytes.Buffer
	at := b.serve(func(c *config) {
		c.Origin, c.Log = "http://books.example", slog.New(web.WithRequestID(slog.NewTextHandler(&log, nil)))
	})
	host := strings.TrimPrefix(at.url, "http://")
	for name, c := range map[string]struct {
		client       *client
		logged       string
		told, untold string
	}{
		"another site": {
			b.stranger(at).with("Sec-Fetch-Site", "cross-site").with("Origin", "https://evil.example"),
			`header=Sec-Fetch-Site value=cross-site expected="same-origin or none"`, "The request came from another site", "PUBLIC_URL",
		},
		"a proxy that changes Host, without TLS": {
			b.stranger(at).with("Origin", "http://books.lan"),
			`header=Origin value=http://books.lan expected="http://books.example or //` + host + `"`,
			"asked for as " + host + ". If you see http://books.lan in the address bar, whoever runs the app can set PUBLIC_URL=",
			"referrers",
		},
		"no referrers": {
			b.stranger(at).with("Origin", "null"), `header=Origin value=null`, "Referrer-Policy: no-referrer", "PUBLIC_URL",
		},
	} {
		log.Reset()
		a := c.client.logIn(b.acme, password)
		want := `level=WARN msg="refused a request from another origin" method=POST path=/login ` + c.logged
		if a.status != http.StatusForbidden || !strings.Contains(log.String(), want) ||
			!strings.HasSuffix(log.String(), " request_id="+a.header.Get("X-Request-ID")+"\n") {
			t.Errorf("%s: %v, logged %s", name, a, log.String())
		}
		if said := b.page(a).text(); !strings.Contains(said, c.told) || strings.Contains(said, c.untold) {
			t.Errorf("%s: %s", name, said)
		}
	}
}

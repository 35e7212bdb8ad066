package sitetest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// Client makes requests: a program with a token, or a person's browser with cookies.
type Client struct {
	B      *Bundle
	URL    string // of the server
	HTTP   *http.Client
	Header http.Header // of every request
	tenant Tenant      // the owner of the token, for a program
	chosen *sync.Map   // the files that were sent last, by their fields: a person chooses them again
}

// Stranger has no credentials. It keeps cookies and doesn't follow redirects.
func (b *Bundle) Stranger(at *Replica) *Client {
	jar, err := cookiejar.New(nil)
	must.OK(b, err)
	transport := &http.Transport{MaxIdleConnsPerHost: 256}
	b.Cleanup(transport.CloseIdleConnections)
	return &Client{B: b, URL: at.URL, Header: http.Header{}, chosen: &sync.Map{}, HTTP: &http.Client{
		Transport: transport, Jar: jar, Timeout: 60 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Program returns a client of a tenant's API.
func (b *Bundle) Program(at *Replica, t Tenant) *Client {
	c := b.Stranger(at)
	c.tenant = t
	c.Header.Set("Authorization", "Bearer "+t.Token)
	c.Header.Set("Content-Type", "application/json")
	return c
}

// Person returns a logged-in browser.
func (b *Bundle) Person(at *Replica, t Tenant) *Client {
	b.Helper()
	c := b.Browser(at)
	a := c.LogIn(t, Password)
	must.Thatf(b, a.Status == http.StatusSeeOther, "log in: %v", a)
	return c
}

// Browser returns a browser that isn't logged in.
func (b *Bundle) Browser(at *Replica) *Client {
	c := b.Stranger(at)
	c.Header.Set("Sec-Fetch-Site", "same-origin")
	return c
}

// LogIn sends the login form.
func (c *Client) LogIn(t Tenant, password string) Answer {
	return c.Submit("/login", url.Values{"email": {t.Email}, "password": {password}})
}

// Elsewhere returns the same client at another server.
func (c *Client) Elsewhere(url string) *Client {
	moved := *c
	moved.URL = url
	return &moved
}

// With returns the same client with one more header.
func (c *Client) With(name string, values ...string) *Client {
	more := *c
	more.Header = maps.Clone(c.Header)
	more.Header[http.CanonicalHeaderKey(name)] = values
	return &more
}

// Answer is a response whose body was read.
type Answer struct {
	Status int
	Header http.Header
	Body   string
	posted url.Values // the submitted form, or nil
}

// String is short enough for a test's message: the text of a page's main part, and the Location header.
func (a Answer) String() string {
	said := a.Body
	if root, err := html.Parse(strings.NewReader(a.Body)); err == nil && strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
		for _, main := range Elements(root, "main") {
			said = Text(main)
		}
	}
	if to := a.Location(); to != "" {
		said = "to " + to + " " + said
	}
	return fmt.Sprintf("%d %.600s", a.Status, said)
}

// Location returns the address of a redirect.
func (a Answer) Location() string { return a.Header.Get("Location") }

// Want reports an error unless the answer has the status, and returns the answer. The message begins with the description in what.
func (a Answer) Want(t assert.T, status int, what ...any) Answer {
	t.Helper()
	assert.Thatf(t, a.Status == status, "%v: want %d, got %v", what, status, a)
	return a
}

// Get sends a GET request.
func (c *Client) Get(path string) Answer {
	return c.Must(c.Send(c.B.Context(), http.MethodGet, path, ""))
}

// Post sends a body.
func (c *Client) Post(path, body string) Answer {
	return c.Must(c.Send(c.B.Context(), http.MethodPost, path, body))
}

// Submit posts a form.
func (c *Client) Submit(path string, form url.Values) Answer {
	return c.Must(c.sendForm(c.B.Context(), path, form))
}

func (c *Client) sendForm(ctx context.Context, path string, form url.Values) (Answer, error) {
	for name := range form {
		if _, _, ok := FileOf(form.Get(name)); ok {
			c.chosen.Store(name, form.Get(name))
		}
	}
	contentType, body := EncodeForm(form)
	return c.With("Content-Type", contentType).Send(ctx, http.MethodPost, path, body)
}

// choose puts the files that the person sent last into the fields of a form for files.
func (c *Client) choose(form *html.Node, values url.Values) {
	for _, n := range Elements(form, "input") {
		name, _ := Attr(n, "name")
		if kind, _ := Attr(n, "type"); kind == "file" {
			if file, ok := c.chosen.Load(name); ok {
				values.Set(name, file.(string))
			}
		}
	}
}

// Must ends the test on an error, and checks the forms of a page.
func (c *Client) Must(a Answer, err error) Answer {
	c.B.Helper()
	must.OK(c.B, err)
	if strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") && strings.Contains(a.Body, "<form") {
		c.B.Page(a).checkForms(a.posted)
	}
	return a
}

// Send sends a request, and checks an answer of the API against openapi.json.
func (c *Client) Send(ctx context.Context, method, path, body string) (Answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.URL+path, strings.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	r.Header = maps.Clone(c.Header)
	r.Host = r.Header.Get("Host") // of the URL if it is empty
	response, err := c.HTTP.Do(r)
	if err != nil {
		return Answer{}, err
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	a := Answer{Status: response.StatusCode, Header: response.Header, Body: string(read)}
	if err == nil {
		c.B.conforms(method, path, a)
	}
	if method == http.MethodPost && r.Header.Get("Content-Type") != "application/json" {
		a.posted = decodeForm(r.Header.Get("Content-Type"), body)
	}
	return a, err
}

// Decode reads a JSON body.
func Decode[T any](b *Bundle, a Answer) T {
	b.Helper()
	var v T
	err := json.Unmarshal([]byte(a.Body), &v)
	must.Thatf(b, err == nil, "status %d: %v in %q", a.Status, err, a.Body)
	return v
}

const (
	// SessionCookie is the name of the cookie of a session.
	SessionCookie = "onlyonce_session"
	// SecureCookie is the name of the cookie over HTTPS.
	SecureCookie = "__Host-onlyonce_session"
)

// Session returns the session cookie of the browser.
func (c *Client) Session() string {
	at, err := url.Parse(c.URL)
	must.OK(c.B, err)
	for _, cookie := range c.HTTP.Jar.Cookies(at) {
		if cookie.Name == SessionCookie {
			return cookie.Value
		}
	}
	return ""
}

// CookieOf returns a cookie that an answer sets.
func CookieOf(t *testing.T, a Answer, name string) *http.Cookie {
	t.Helper()
	for _, line := range a.Header.Values("Set-Cookie") {
		cookie, err := http.ParseSetCookie(line)
		must.OK(t, err)
		if cookie.Name == name {
			return cookie
		}
	}
	t.Fatalf("no cookie %s: %v", name, a)
	return nil
}

// CheckCookie checks the attributes of a cookie of a session.
func CheckCookie(t *testing.T, c *http.Cookie, secure bool) {
	t.Helper()
	assert.Thatf(t, c.HttpOnly && c.SameSite == http.SameSiteLaxMode && c.Secure == secure && c.Value != "", "%v", c)
}

// InDoubt sends bodies that are refused for the member each is listed with.
func (c *Client) InDoubt(path string, bodies map[string]string) {
	c.B.Helper()
	for body, member := range bodies {
		a := c.Post(path, body)
		if p := Decode[Problem](c.B, a); p.Type != "/problems/malformed" || !strings.Contains(p.Detail, member) || len(p.Detail) > 500 {
			c.B.Errorf("%s: %v", member, a)
		}
	}
}

// Must ends the test on an error.
func (b *Bundle) Must(a Answer, err error) Answer {
	b.Helper()
	must.OK(b, err)
	return a
}

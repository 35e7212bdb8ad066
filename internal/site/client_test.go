package site_test

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
	"time"

	"golang.org/x/net/html"
)

// client makes requests: a program with a token, or a person's browser with cookies.
type client struct {
	b      *bundle
	url    string // of the server
	http   *http.Client
	header http.Header // of every request
	tenant tenant      // the owner of the token, for a program
}

// stranger has no credentials. It keeps cookies and doesn't follow redirects.
func (b *bundle) stranger(at *replica) *client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		b.Fatal(err)
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 256}
	b.Cleanup(transport.CloseIdleConnections)
	return &client{b: b, url: at.url, header: http.Header{}, http: &http.Client{
		Transport: transport, Jar: jar, Timeout: 60 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// program returns a client of a tenant's API.
func (b *bundle) program(at *replica, t tenant) *client {
	c := b.stranger(at)
	c.tenant = t
	c.header.Set("Authorization", "Bearer "+t.token)
	c.header.Set("Content-Type", "application/json")
	return c
}

// person returns a logged-in browser.
func (b *bundle) person(at *replica, t tenant) *client {
	b.Helper()
	c := b.browser(at)
	if a := c.logIn(t, password); a.status != http.StatusSeeOther {
		b.Fatalf("log in: %v", a)
	}
	return c
}

// browser returns a browser that isn't logged in.
func (b *bundle) browser(at *replica) *client {
	c := b.stranger(at)
	c.header.Set("Sec-Fetch-Site", "same-origin")
	return c
}

func (c *client) logIn(t tenant, password string) answer {
	return c.submit("/login", url.Values{"email": {t.email}, "password": {password}})
}

// elsewhere returns the same client at another server.
func (c *client) elsewhere(url string) *client {
	moved := *c
	moved.url = url
	return &moved
}

// with returns the same client with one more header.
func (c *client) with(name string, values ...string) *client {
	more := *c
	more.header = maps.Clone(c.header)
	more.header[http.CanonicalHeaderKey(name)] = values
	return &more
}

// answer is a response whose body was read.
type answer struct {
	status int
	header http.Header
	body   string
	posted url.Values // the submitted form, or nil
}

// String is short enough for a test's message: the text of a page's main part, and the Location header.
func (a answer) String() string {
	said := a.body
	if root, err := html.Parse(strings.NewReader(a.body)); err == nil && strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
		for _, main := range all(root, "main") {
			said = text(main)
		}
	}
	if to := a.location(); to != "" {
		said = "to " + to + " " + said
	}
	return fmt.Sprintf("%d %.600s", a.status, said)
}

func (a answer) location() string { return a.header.Get("Location") }

func (c *client) get(path string) answer {
	return c.must(c.send(c.b.Context(), http.MethodGet, path, ""))
}

func (c *client) post(path, body string) answer {
	return c.must(c.send(c.b.Context(), http.MethodPost, path, body))
}

// submit posts a form.
func (c *client) submit(path string, form url.Values) answer {
	return c.with("Content-Type", "application/x-www-form-urlencoded").post(path, form.Encode())
}

func (c *client) must(a answer, err error) answer {
	c.b.Helper()
	if err != nil {
		c.b.Fatal(err)
	}
	if strings.HasPrefix(a.header.Get("Content-Type"), "text/html") && strings.Contains(a.body, "<form") {
		c.b.page(a).checkForms(a.posted)
	}
	return a
}

func (c *client) send(ctx context.Context, method, path, body string) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	r.Header = maps.Clone(c.header)
	response, err := c.http.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	a := answer{status: response.StatusCode, header: response.Header, body: string(read)}
	if err == nil {
		c.b.conforms(method, path, a)
	}
	if method == http.MethodPost && r.Header.Get("Content-Type") != "application/json" {
		a.posted, _ = url.ParseQuery(body)
	}
	return a, err
}

// decode reads a JSON body.
func decode[T any](b *bundle, a answer) T {
	b.Helper()
	var v T
	if err := json.Unmarshal([]byte(a.body), &v); err != nil {
		b.Fatalf("status %d: %v in %q", a.status, err, a.body)
	}
	return v
}

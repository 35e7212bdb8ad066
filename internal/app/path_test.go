package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"onlyonce/internal/app"
	"onlyonce/internal/assert"
	"onlyonce/internal/lab/labapp"
	"onlyonce/internal/must"
	"onlyonce/templates/viewtest"
)

// host has TLS, an app at /books, a neighbour at all other paths, and a visitor of both with one browser.
type host struct {
	*bundle

	root    *app.App // another replica, without a path
	url     string
	visitor *http.Client
	cookies []string // received by the neighbour
}

const books = "/books"

func setupHost(t *testing.T) *host {
	t.Helper()
	h := &host{}
	paths := http.NewServeMux()
	paths.HandleFunc("/", func(_ http.ResponseWriter, r *http.Request) { h.cookies = append(h.cookies, r.Header["Cookie"]...) })
	paths.Handle(books+"/", &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = "http", strings.TrimPrefix(h.URL(), "http://")
		r.SetXForwarded()
	}})
	front := httptest.NewTLSServer(paths)
	t.Cleanup(front.Close)
	h.url, h.visitor = front.URL, front.Client()
	h.visitor.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	var err error
	h.visitor.Jar, err = cookiejar.New(nil)
	must.OK(t, err)
	h.bundle = setup(t, func(c *app.Config) {
		c.PublicURL = h.url + books
		c.Site.Extras = []app.OpenExtra{labapp.Open("")}
	})
	h.root = h.Start()
	return h
}

// visit is a response to the visitor.
type visit struct {
	*http.Response

	body string
	page *html.Node
}

func (h *host) get(address string) visit {
	h.Helper()
	return h.do(http.MethodGet, address, nil)
}

func (h *host) do(method, address string, form url.Values) visit {
	h.Helper()
	r, err := http.NewRequestWithContext(h.Context(), method, address, strings.NewReader(form.Encode()))
	must.OK(h, err)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return h.send(r)
}

func (h *host) send(r *http.Request) visit {
	h.Helper()
	response, err := h.visitor.Do(r)
	must.OK(h, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	must.OK(h, err)
	a := visit{response, string(body), &html.Node{}}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") {
		a.page, err = html.Parse(strings.NewReader(a.body))
		must.OK(h, err)
	}
	return a
}

// location returns the address that a response redirects to.
func (h *host) location(a visit) string {
	h.Helper()
	to := h.inside(a, a.Header.Get("Location"))
	must.Thatf(h, to != "" && a.Header.Get("Location") != "", "%s leads nowhere: %s %s", a.Request.URL, a.Status, a.body)
	return to
}

// submit sends the form of a page with an action, with typed fields.
func (h *host) submit(a visit, action string, typed url.Values) visit {
	h.Helper()
	form := viewtest.FormTo(h.T, a.page, action)
	all := url.Values{}
	for _, field := range viewtest.Successful(form) {
		all.Add(field.Name, field.Value)
	}
	maps.Copy(all, typed)
	return h.do(http.MethodPost, h.url+action, all)
}

// leads returns the addresses in a response, and fails unless those of this host are below the path.
func (h *host) leads(a visit) (links, forms []string) {
	h.Helper()
	if a.Header.Get("Location") != "" {
		links = append(links, h.location(a))
	}
	for n := range a.page.Descendants() {
		for _, attribute := range n.Attr {
			relative := strings.HasPrefix(attribute.Val, "/") || strings.HasPrefix(attribute.Val, "?")
			if attribute.Key == "value" || !relative && attribute.Key != "href" {
				continue
			}
			to := h.inside(a, attribute.Val)
			switch posts := viewtest.Attr(n, "method") == "post"; {
			case attribute.Key == "action" && posts, attribute.Key == "formaction", attribute.Key == "data-kept-lines-url":
				forms = append(forms, to)
			case to != "":
				links = append(links, to)
			}
		}
	}
	return links, forms
}

// inside resolves a reference in a response. It returns "" for another host.
func (h *host) inside(a visit, reference string) string {
	h.Helper()
	to, err := a.Request.URL.Parse(reference)
	must.OK(h, err)
	if to.Host != a.Request.URL.Host {
		return ""
	}
	assert.Thatf(h, strings.HasPrefix(to.Path, books+"/"), "%s leads to %s", a.Request.URL, reference)
	to.Fragment = ""
	return to.String()
}

// idsAndValues matches the parts in which addresses of one kind of page differ.
var idsAndValues = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|=[^&]*`)

// walk requests one page of each kind, from the first one on.
func (h *host) walk(first string) (visited map[string]bool) {
	h.Helper()
	visited = map[string]bool{}
	for next := []string{first}; len(next) > 0; next = next[1:] {
		kind := idsAndValues.ReplaceAllString(next[0], "")
		if visited[kind] {
			continue
		}
		visited[kind] = true
		a := h.get(next[0])
		if a.StatusCode >= http.StatusBadRequest {
			h.Errorf("%s: %s", next[0], a.Status)
		}
		links, forms := h.leads(a)
		next = append(next, links...)
		for _, form := range forms {
			if kind := "form " + idsAndValues.ReplaceAllString(form, ""); !visited[kind] {
				visited[kind] = true
				a := h.do(http.MethodPatch, form, nil)
				assert.Thatf(h, a.StatusCode == http.StatusMethodNotAllowed, "%s: %s", form, a.Status)
			}
		}
	}
	return visited
}

// resend creates a record twice by one form, and twice by the API with one key.
func (h *host) resend(path string, typed url.Values, body string) {
	h.Helper()
	page := h.get(h.location(h.get(h.url + books + path + "/new")))
	first, second := h.submit(page, books+path, typed), h.submit(page, books+path, typed)
	if at := h.location(first); h.location(second) != at || !strings.Contains(h.get(at).body, "We ignored the duplicate submission") {
		h.Errorf("%s, then %s: %s", at, h.location(second), h.get(at).body)
	}
	send := func(address, body string) visit {
		r := request(address, path, body)
		r.URL.Path = strings.Replace(r.URL.Path, "/customers", path, 1)
		return h.send(r)
	}
	first, second = send(h.url+books, body), send(h.url+books, body)
	replayed := second.Header.Get("Idempotent-Replayed") == "true"
	assert.Thatf(h, h.location(first) == h.location(second) && replayed && second.StatusCode == http.StatusCreated,
		"%s: %s, %s, then %s, %s", path, first.Status, first.body, second.Status, second.body)
	elsewhere := send(h.root.URL(), body)
	if at := books + elsewhere.Header.Get("Location"); at != first.Header.Get("Location") || elsewhere.StatusCode != http.StatusCreated {
		h.Errorf("at the root: %s %s %s", elsewhere.Status, at, elsewhere.body)
	}
	refused := send(h.url+books, strings.Replace(body, "Ada", "Eve", 1))
	var problem struct {
		Type        string `json:"type"`
		ExistingURL string `json:"existing_url"`
	}
	must.OK(h, json.Unmarshal([]byte(refused.body), &problem))
	if problem.ExistingURL != first.Header.Get("Location") || h.get(h.inside(refused, problem.Type)).StatusCode != http.StatusOK {
		h.Errorf("%s: %+v", path, problem)
	}
}

// TestBelowAPath: all addresses of the app are below the path in PUBLIC_URL, nothing is created twice there, and a neighbour on the
// host gets no cookies.
func TestBelowAPath(t *testing.T) {
	h := setupHost(t)
	login := h.get(h.location(h.get(h.url + books + "/customers?q=nobody")))
	assert.Thatf(t, strings.Contains(login.body, `name="next" value="/customers?q=nobody"`), "%v", login.body)
	in := h.submit(login, books+"/login", url.Values{"next": {"/customers?q=nobody"}})
	if to := h.location(in); to != h.url+books+"/customers?q=nobody" {
		t.Errorf("the login leads to %s", to)
	}
	cookie := in.Cookies()[0]
	assert.Thatf(t, strings.HasPrefix(cookie.Name, "__Secure-") && cookie.Path == books && cookie.Secure, "%v", cookie)
	of := in.Header.Get("Strict-Transport-Security")
	assert.Thatf(t, of == "", "it decides for the whole host: %s", of)
	visited := h.walk(h.url + books)
	assert.Thatf(t, len(visited) >= 90, "only %d kinds of pages", len(visited))

	for path, has := range map[string]string{
		"/openapi.json": `"servers":[{"url":"/books"}]`, "/docs/api": h.url + books + "/api/v1/",
		"/problems/busy": "<code>/books/problems/busy</code>", "/docs/api/console": `data-spec-url="/books/openapi.json"`,
	} {
		if a := h.get(h.url + books + path); !strings.Contains(a.body, has) || strings.Contains(a.body, `"/problems/`) {
			t.Errorf("%s lacks %s, or has another path", path, has)
		}
	}

	before := h.Number(`SELECT count(*) FROM customers`)
	h.resend("/customers", url.Values{"email": {"grace@example.com"}, "name": {"Grace"}}, ada)
	made := h.Number(`SELECT count(*) FROM customers`) - before
	assert.Thatf(t, made == 2, "%d customers", made)
	h.resendInvoice()
	if h.get(h.url + "/"); len(h.cookies) > 0 {
		t.Errorf("the neighbour gets %q", h.cookies)
	}
	const refused = "404 This app is at "
	for path, want := range map[string]string{
		"/": refused, "/customers": refused, "/bookshop": refused, "/b%6Foks/login": "404 404 page not found",
		"/books": "303 ", "/books/readyz": "200 ", "/readyz": "200 ", "/healthz": "200 ", // which probes ask for
	} {
		if a := h.get(h.URL() + path); !strings.HasPrefix(fmt.Sprint(a.StatusCode, " ", a.body), want) {
			t.Errorf("asked from inside for %s: %s %s", path, a.Status, a.body)
		}
	}

	out := h.submit(h.get(h.url+books+"/account"), books+"/logout", nil)
	clears := out.Header.Get("Clear-Site-Data")
	assert.Thatf(t, clears == "", "the logout takes %s from the neighbours", clears)
	page := h.get(h.location(out))
	assert.Thatf(t, strings.Contains(page.body, `data-form-done="*"`) && !strings.Contains(h.get(h.location(out)).body, "data-form-done"),
		"the page after a logout doesn't end what is kept of forms, or each such page does")
	links, _ := h.leads(page)
	sheet := h.url + books + "/logged-out.css"
	assert.Thatf(t, slices.Contains(links, sheet) && h.get(sheet).StatusCode == http.StatusOK, "the page after a logout leads to %q", links)
	if to := h.location(h.get(h.url + books + "/customers")); to != h.url+books+"/login?next=%2Fcustomers" {
		t.Errorf("still logged in: %s", to)
	}
}

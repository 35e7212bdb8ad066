package web_test

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

func TestBodiesThatAreNotCommands(t *testing.T) {
	b := setup(t)
	program := b.program(b.site, b.acme).with("Idempotency-Key", key)
	good := invoices().json(invoices().command)
	big := strings.Replace(good, "Thank you", strings.Repeat("x", 1<<20), 1)
	for name, c := range map[string]struct {
		contentType, body string
		status            int
		slug              string
	}{
		"unknown field":             {"application/json", `{"colour": "red",` + good[1:], 400, "malformed"},
		"unknown field in a line":   {"application/json", strings.Replace(good, `"quantity"`, `"hue":"","quantity"`, 1), 400, "malformed"},
		"number where text belongs": {"application/json", strings.Replace(good, `"50.00"`, `50.00`, 1), 400, "malformed"},
		"data behind the end":       {"application/json", good + good, 400, "malformed"},
		"garbage behind the end":    {"application/json", good + "]", 400, "malformed"},
		"half a body":               {"application/json", good[:len(good)/2], 400, "malformed"},
		"no body":                   {"application/json", "", 400, "malformed"},
		"an array":                  {"application/json", "[" + good + "]", 400, "malformed"},
		"not JSON by its type":      {"text/plain", good, 415, "content-type"},
		"a form":                    {"application/x-www-form-urlencoded", invoices().command.Encode(), 415, "content-type"},
		"no type":                   {"", good, 415, "content-type"},
		"larger than 1 MiB":         {"application/json", big, 413, "too-large"},
	} {
		a := program.with("Content-Type", c.contentType).post("/api/v1/invoices", c.body)
		if p := decode[problem](b, a); a.status != c.status || p.Type != "/problems/"+c.slug || p.Status != c.status {
			t.Errorf("%s: %v", name, a)
		}
		b.wantRows(rows{})
	}
	if a := program.with("Content-Type", "application/json; charset=utf-8").post("/api/v1/invoices", good); a.status != http.StatusCreated {
		t.Errorf("the key was used up: %v", a)
	}
}

func TestFormLargerThanTheLimit(t *testing.T) {
	b := setup(t)
	person := b.person(b.site, b.acme)
	form := change(invoices().command, "notes", strings.Repeat("x", 1<<20), "idempotency_key", key)
	if a := person.submit("/invoices", form); a.status != http.StatusRequestEntityTooLarge {
		t.Errorf("%v", a)
	}
	b.wantRows(rows{})
}

// TestProblemTypesOpen: the type of a problem document is the address of a page about it.
func TestProblemTypesOpen(t *testing.T) {
	b := setup(t)
	stranger := b.stranger(b.site)
	index := b.page(stranger.get("/problems"))
	docs := b.page(stranger.get("/docs/api"))
	opened := 0
	for _, a := range all(index.root, "a") {
		href, _ := attr(a, "href")
		if !strings.HasPrefix(href, "/problems/") {
			continue
		}
		opened++
		b.page(stranger.get(href)).says(text(a), href, "What it means", "What to do")
		docs.leadsTo(href)
	}
	if opened < 19 {
		t.Errorf("only %d problems", opened)
	}
	if a := stranger.get("/problems/no-such-thing"); a.status != http.StatusNotFound {
		t.Errorf("%v", a)
	}
	docs.says("24 hours", "Idempotency-Key", "One invoice number per tenant per year of issue")
}

// TestSecurityHeaders on every answer there is, from pages to errors.
func TestSecurityHeaders(t *testing.T) {
	b := setup(t)
	person, program := b.person(b.site, b.acme), b.program(b.site, b.acme)
	for _, route := range b.walk() {
		method, path, _ := strings.Cut(route, " ")
		if path == "/logout" {
			continue
		}
		caller := person
		if strings.HasPrefix(path, "/api/") {
			caller = program
		}
		a := caller.must(caller.send(t.Context(), method, strings.ReplaceAll(path, "{id}", key), ""))
		checkSecurity(t, route, a)
	}
	for _, path := range []string{"/nowhere", "/api/v1/nowhere", "/invoices/not-an-id", "/problems/nowhere", "/login"} {
		checkSecurity(t, path, b.stranger(b.site).get(path))
	}
	checkSecurity(t, "method", b.must(person.send(t.Context(), http.MethodDelete, "/invoices", "")))
}

func (b *bundle) must(a answer, err error) answer {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
	return a
}

func checkSecurity(t *testing.T, what string, a answer) {
	t.Helper()
	policy := a.header.Get("Content-Security-Policy")
	for _, part := range []string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
	} {
		if !strings.Contains(policy, part) {
			t.Errorf("%s: policy %q lacks %s", what, policy, part)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") || strings.Contains(policy, "http") {
		t.Errorf("%s: policy %q", what, policy)
	}
	if a.header.Get("X-Content-Type-Options") != "nosniff" || a.header.Get("Referrer-Policy") == "" {
		t.Errorf("%s: %v", what, a)
	}
	if strings.HasPrefix(a.header.Get("Content-Type"), "text/html") && strings.Contains(a.body, "<main") {
		if cache := a.header.Get("Cache-Control"); !strings.Contains(cache, "private") {
			t.Errorf("%s: a page may be kept by others: %q", what, cache)
		}
		if strings.Contains(a.body, "<style") || strings.Contains(a.body, " style=") || strings.Contains(a.body, " onclick=") {
			t.Errorf("%s: style or script inside of the page", what)
		}
	}
}

func TestUnknownAddressesAndMethods(t *testing.T) {
	b := setup(t)
	person, program := b.person(b.site, b.acme), b.program(b.site, b.acme)
	for _, c := range []struct {
		caller       *client
		method, path string
		status       int
	}{
		{person, "GET", "/nowhere", 404},
		{person, "GET", "/invoices/" + key, 404},
		{person, "GET", "/invoices/not-an-id", 404},
		{person, "DELETE", "/invoices", 405},
		{person, "GET", "/logout", 405},
		{person, "POST", "/static/app.css", 405},
		{program, "GET", "/api/v1/nowhere", 404},
		{program, "GET", "/api/v1/invoices/" + key, 404},
		{program, "PUT", "/api/v1/invoices", 405},
		{program, "GET", "/api/v1/invoices?limit=0", 422},
		{program, "GET", "/api/v1/invoices?cursor=x", 422},
	} {
		a := b.must(c.caller.send(t.Context(), c.method, c.path, ""))
		if a.status != c.status {
			t.Errorf("%s %s: want %d, got %v", c.method, c.path, c.status, a)
		}
		if strings.HasPrefix(c.path, "/api/") && a.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s: not a problem document: %v", c.method, c.path, a)
		}
	}
	head := b.must(person.send(t.Context(), http.MethodHead, "/invoices", ""))
	if head.status != http.StatusOK || head.body != "" {
		t.Errorf("HEAD: %v", head)
	}
}

// TestHalfARequest: a client that goes away inside of its body has created nothing.
func TestHalfARequest(t *testing.T) {
	b := setup(t)
	of := invoices()
	body := of.json(of.command)
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(conn, "POST /api/v1/invoices HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer "+b.acme.token+
		"\r\nContent-Type: application/json\r\nIdempotency-Key: "+key+
		"\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body[:len(body)-1])
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	answered, _ := io.ReadAll(conn)
	_ = conn.Close()
	if strings.Contains(string(answered), "201") {
		t.Errorf("%s", answered)
	}
	b.wantOutcomes("rejected")
	b.wantRows(rows{})
}

package web_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestBodiesThatAreNotCommands(t *testing.T) {
	b := setup(t)
	program := b.program(b.site, b.acme).with("Idempotency-Key", key)
	good := invoices().json(invoices().command)
	big := strings.Replace(good, "Thank you", strings.Repeat("x", 1<<20), 1)
	line := decode[map[string]json.RawMessage](b, answer{body: good})["lines"]
	lines := func(n int) string {
		one := strings.Trim(string(line), "[]")
		return strings.Replace(good, string(line), "["+strings.TrimSuffix(strings.Repeat(one+",", n), ",")+"]", 1)
	}
	for name, c := range map[string]struct {
		contentType, body string
		status            int
		slug              string
	}{
		"one line more than allowed": {"application/json", lines(201), 422, "invalid"},
		"very many lines":            {"application/json", lines(501), 413, "too-large"},
		"blanks up to 1 MiB, and one more": {
			"application/json", good + strings.Repeat(" ", 1<<20-len(good)+1), 413, "too-large",
		},
		"garbage after 1 MiB of blanks": {"application/json", good + strings.Repeat(" ", 1<<20-len(good)) + "x", 413, "too-large"},
		"a text that is no Unicode":     {"application/json", strings.Replace(good, "Thank you", "\xff", 1), 400, "malformed"},
		"unknown field":                 {"application/json", `{"colour": "red",` + good[1:], 400, "malformed"},
		"unknown field in a line": {
			"application/json", strings.Replace(good, `"quantity"`, `"hue":"","quantity"`, 1), 400, "malformed",
		},
		"number where text belongs": {"application/json", strings.Replace(good, `"50.00"`, `50.00`, 1), 400, "malformed"},
		"data after the end":        {"application/json", good + good, 400, "malformed"},
		"garbage after the end":     {"application/json", good + "]", 400, "malformed"},
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
	padded := good + strings.Repeat(" ", 1<<20-len(good)) // exactly 1 MiB
	a := program.with("Content-Type", "application/json; charset=utf-8").post("/api/v1/invoices", padded)
	if a.status != http.StatusCreated {
		t.Errorf("the key was used up: %v", a)
	}
}

// TestMembersInDoubt: a member that comes twice, or under another capitalisation, is refused by name.
// Which of the two was meant is not for us to decide.
func TestMembersInDoubt(t *testing.T) {
	b := setup(t)
	program := b.program(b.site, b.acme).with("Idempotency-Key", key)
	invoice, customer := invoices().json(invoices().command), customers().json(customers().command)
	for body, member := range map[string]string{
		`{"lines": [{"tax_rate": "99"}], ` + invoice[1:]:                              "/lines",
		`{"lines": null, ` + invoice[1:]:                                              "/lines",
		strings.Replace(invoice, `"email"`, `"email": "eve@example.com", "email"`, 1): "/customer/email",
		strings.Replace(invoice, `"quantity"`, `"quantity": "7", "quantity"`, 1):      "/lines/0/quantity",
		strings.Replace(invoice, `"quantity"`, `"qu\u0061ntity": "7", "quantity"`, 1): "/lines/0/quantity",
		strings.Replace(invoice, `"lines"`, `"Lines"`, 1):                             "/Lines",
		`{"Lines": [{"tax_rate": "99"}], ` + invoice[1:]:                              "/Lines",
		strings.Replace(invoice, `"quantity"`, `"Quantity"`, 1):                       "/lines/0/Quantity",
		strings.Replace(invoice, `"email"`, `"EMAIL"`, 1):                             "/customer/EMAIL",
		`{"` + strings.Repeat("x", 1<<19) + `": 1, ` + invoice[1:]:                    "/xxx",
		strings.Replace(invoice, `"notes":`, `"notes":`+strings.Repeat("[", 2000), 1): "/notes",
		strings.Replace(invoice, `"notes":`, `"notes":{"a": 1}, "b":`, 1):             "/notes",
	} {
		a := program.post("/api/v1/invoices", body)
		if p := decode[problem](b, a); p.Type != "/problems/malformed" || !strings.Contains(p.Detail, member) || len(p.Detail) > 500 {
			t.Errorf("%s: %v", member, a)
		}
	}
	for body, member := range map[string]string{
		`{"name": "Eve", ` + customer[1:]:                "/name",
		strings.Replace(customer, `"name"`, `"Name"`, 1): "/Name",
	} {
		a := program.post("/api/v1/customers", body)
		if p := decode[problem](b, a); p.Type != "/problems/malformed" || !strings.Contains(p.Detail, member) {
			t.Errorf("%s: %v", member, a)
		}
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
	docs.says("24 hours", "Idempotency-Key", "One invoice per number in each tenant and year of issue")
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
	conn := b.dial()
	_, err := io.WriteString(conn, "POST /api/v1/invoices HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer "+b.acme.token+
		"\r\nContent-Type: application/json\r\nIdempotency-Key: "+key+
		"\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body[:len(body)-1])
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	answered, _ := io.ReadAll(conn)
	if strings.Contains(string(answered), "201") {
		t.Errorf("%s", answered)
	}
	b.wantOutcomes("rejected")
	b.wantRows(rows{})
}

// TestRequestIDs: a page tells strangers the id that the log has, and nothing else: not the name of the
// machine, nor what they made up themselves.
func TestRequestIDs(t *testing.T) {
	b := setup(t)
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	made := "made-up" + strings.Repeat("x", 20_000)
	ids := map[string]bool{}
	for range 2 {
		a := b.stranger(b.site).with("X-Request-Id", made).get("/nowhere")
		id := text(all(b.page(a).root, "code")[0])
		if ids[id] || len(id) > 40 || strings.Contains(id, host) || strings.Contains(a.body, "made-up") {
			t.Errorf("request ID %.100q", id)
		}
		ids[id] = true
	}
}

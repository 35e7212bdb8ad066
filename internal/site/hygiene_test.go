package site_test

import (
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestBodiesThatAreNotCommands(t *testing.T) {
	b := setup(t)
	program := b.program(b.replica, b.acme).with("Idempotency-Key", key)
	good := customers().api.encode(customers().command)
	big := strings.Replace(good, "Ada Lovelace", strings.Repeat("x", 1<<20), 1)
	for name, c := range map[string]struct {
		contentType, body string
		status            int
		slug              string
	}{
		"blanks up to 1 MiB, and one more": {
			"application/json", good + strings.Repeat(" ", 1<<20-len(good)+1), 413, "too-large",
		},
		"garbage after 1 MiB of blanks": {"application/json", good + strings.Repeat(" ", 1<<20-len(good)) + "x", 413, "too-large"},
		"a text that is no Unicode":     {"application/json", strings.Replace(good, "Ada Lovelace", "\xff", 1), 400, "malformed"},
		"unknown field":                 {"application/json", `{"colour": "red",` + good[1:], 400, "malformed"},
		"number where text belongs":     {"application/json", strings.Replace(good, `"14"`, `14`, 1), 422, "invalid"},
		"data after the end":            {"application/json", good + good, 400, "malformed"},
		"garbage after the end":         {"application/json", good + "]", 400, "malformed"},
		"half a body":                   {"application/json", good[:len(good)/2], 400, "malformed"},
		"no body":                       {"application/json", "", 400, "malformed"},
		"an array":                      {"application/json", "[" + good + "]", 400, "malformed"},
		"not JSON by its type":          {"text/plain", good, 415, "content-type"},
		"a form":                        {"application/x-www-form-urlencoded", customers().command.Encode(), 415, "content-type"},
		"no type":                       {"", good, 415, "content-type"},
		"the same type twice":           {"application/json|application/json", good, 415, "content-type"},
		"another type too":              {"application/json|text/plain", good, 415, "content-type"},
		"another type before":           {"text/plain|application/json", good, 415, "content-type"},
		"two types in one header":       {"application/json, text/plain", good, 415, "content-type"},
		"larger than 1 MiB":             {"application/json", big, 413, "too-large"},
	} {
		a := program.with("Content-Type", strings.Split(c.contentType, "|")...).post("/api/v1/customers", c.body)
		if p := decode[problem](b, a); a.status != c.status || p.Type != "/problems/"+c.slug || p.Status != c.status {
			t.Errorf("%s: %v", name, a)
		}
		b.wantRows(rows{})
	}
	padded := good + strings.Repeat(" ", 1<<20-len(good)) // exactly 1 MiB
	a := program.with("Content-Type", "application/json; charset=utf-8").post("/api/v1/customers", padded)
	if a.status != http.StatusCreated {
		t.Errorf("the key was used up: %v", a)
	}
}

// TestMembersInDoubt: a member that comes twice, or in another capitalisation, is refused by name, because the server can't
// decide which one was meant.
func TestMembersInDoubt(t *testing.T) {
	b := setup(t)
	program := b.program(b.replica, b.acme).with("Idempotency-Key", key)
	customer := customers().api.encode(customers().command)
	program.inDoubt("/api/v1/customers", map[string]string{
		`{"name": "Eve", ` + customer[1:]:                                    "/name",
		`{"name": null, ` + customer[1:]:                                     "/name",
		strings.Replace(customer, `"name"`, `"n\u0061me": "Eve", "name"`, 1): "/name",
		strings.Replace(customer, `"name"`, `"Name"`, 1):                     "/Name",
		`{"Name": "Eve", ` + customer[1:]:                                    "/Name",
		`{"` + strings.Repeat("x", 1<<19) + `": 1, ` + customer[1:]:          "/xxx",
	})
	b.wantRows(rows{})
}

// inDoubt sends bodies that are refused for the member each is listed with.
func (c *client) inDoubt(path string, bodies map[string]string) {
	c.b.Helper()
	for body, member := range bodies {
		a := c.post(path, body)
		if p := decode[problem](c.b, a); p.Type != "/problems/malformed" || !strings.Contains(p.Detail, member) || len(p.Detail) > 500 {
			c.b.Errorf("%s: %v", member, a)
		}
	}
}

// TestInvisibleCharacters: invisible characters of pasted text don't change the command. Where they are refused, the error
// names the field.
func TestInvisibleCharacters(t *testing.T) {
	b := setup(t)
	program := b.program(b.replica, b.acme).with("Idempotency-Key", key)
	of := customers()
	copied := change(of.command, "name", "\ufeffAda\u200b Lovelace\u200e", "email", "\u202aada@example.com\u202c")
	first := program.post("/api/v1/customers", of.api.encode(copied))
	again := program.post("/api/v1/customers", of.api.encode(of.command))
	if first.status != http.StatusCreated || again.body != first.body || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%v\n%v", first, again)
	}
	for name, want := range map[string]string{
		"Ada\u202eLovelace": "Remove the invisible character after “Ada” in the name.",
		"\u202eAda":         "Remove the invisible character at the beginning of the name.",
		"Ada \uf0fc":        "Replace the symbol after “Ada” in the name. Only the font it comes from can show it.",
	} {
		a := program.post("/api/v1/customers", of.api.encode(change(of.command, "name", name)))
		if p := decode[problem](b, a); len(p.Errors) != 1 || p.Errors[0].Detail != want {
			t.Errorf("%q: %v", name, a)
		}
	}
}

// TestValuesOfAnotherType: a value with the wrong type is an error of its field, like any other invalid value.
func TestValuesOfAnotherType(t *testing.T) {
	b := setup(t)
	program := b.program(b.replica, b.acme).with("Idempotency-Key", key)
	customer, invoice := customers().api.encode(customers().command), invoices().api.encode(invoices().command)
	issued := b.prepared(b.acme, "invoice", invoices(), invoices().command, "issue")
	notes := "/api/v1/invoices/" + issued.ID + "/credit-notes"
	b.forget()
	for _, c := range []struct{ path, body, pointer, want string }{
		{"/api/v1/customers", strings.Replace(customer, `"14"`, `14`, 1), "/payment_days", "a string"},
		{"/api/v1/customers", strings.Replace(customer, `"Ada Lovelace"`, `true`, 1), "/name", "a string"},
		{"/api/v1/customers", strings.Replace(customer, `"address":`, `"address":`+strings.Repeat("[", 2000), 1), "/address", "a string"},
		{"/api/v1/customers", strings.Replace(customer, `"address":`, `"address":{"a": 1}, "b":`, 1), "/address", "a string"},
		{"/api/v1/invoices", strings.Replace(invoice, `"50.00"`, `50.00`, 1), "/lines/0/unit_price", "a string"},
		{"/api/v1/invoices", strings.Replace(invoice, `"notes":`, `"notes":`+strings.Repeat("[", 2000), 1), "/notes", "a string"},
		{"/api/v1/invoices", strings.Replace(invoice, `"lines":`, `"lines": "none", "l":`, 1), "/lines", "an array"},
		{"/api/v1/invoices", strings.Replace(invoice, `"lines":[`, `"lines":[7,`, 1), "/lines/0", "an object"},
		{"/api/v1/invoices", strings.Replace(invoice, `"customer":`, `"customer": [], "c":`, 1), "/customer", "an object"},
		{notes, `{"lines": [{"position": "1", "quantity": "1"}]}`, "/lines/0/position", "a whole number"},
		{notes, `{"lines": [{"position": 1.5, "quantity": "1"}]}`, "/lines/0/position", "a whole number"},
		{notes, `{"lines": [{"position": 99999999999999999999, "quantity": "1"}]}`, "/lines/0/position", "a whole number"},
	} {
		a := program.post(c.path, c.body)
		p := decode[problem](b, a)
		if a.status != http.StatusUnprocessableEntity || p.Type != "/problems/invalid" || len(p.Errors) != 1 ||
			p.Errors[0].Pointer != c.pointer || p.Errors[0].Detail != "Send "+c.want+" here." {
			t.Errorf("%.200s: %v", c.body, a)
		}
	}
}

// TestProblemTypesOpen: the type of a problem document is the address of a page about it.
func TestProblemTypesOpen(t *testing.T) {
	b := setup(t)
	stranger := b.stranger(b.replica)
	index := b.page(stranger.get("/problems"))
	docs := b.page(stranger.get("/docs/api"))
	opened := 0
	for _, a := range all(index.root, "a") {
		href, _ := attr(a, "href")
		if !strings.HasPrefix(href, "/problems/") {
			continue
		}
		opened++
		page := stranger.get(href)
		b.page(page).says(text(a), href, "What it means", "What to do")
		if text(a) == "" || strings.Contains(page.body, "<p></p>") {
			b.Errorf("%s explains nothing", href)
		}
		docs.leadsTo(href)
	}
	if opened < 15 {
		t.Errorf("only %d problems", opened)
	}
	if a := stranger.get("/problems/no-such-thing"); a.status != http.StatusNotFound {
		t.Errorf("%v", a)
	}
	docs.says("24 hours", "Idempotency-Key", "One customer per email address and name in each tenant")
}

// TestSecurityHeaders checks every answer, from pages to errors.
func TestSecurityHeaders(t *testing.T) {
	b := setup(t)
	person, program := b.person(b.replica, b.acme), b.program(b.replica, b.acme)
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
	for _, path := range []string{"/nowhere", "/api/v1/nowhere", "/customers/not-an-id", "/problems/nowhere", "/login"} {
		checkSecurity(t, path, b.stranger(b.replica).get(path))
	}
	checkSecurity(t, "method", b.must(person.send(t.Context(), http.MethodDelete, "/customers", "")))
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

// TestHalfARequest: a client that disconnects in the middle of its body has created nothing.
func TestHalfARequest(t *testing.T) {
	b := setup(t)
	of := customers()
	body := of.api.encode(of.command)
	conn := b.dial()
	_, err := io.WriteString(conn, "POST /api/v1/customers HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer "+b.acme.token+
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

// TestRequestIDs: a page shows strangers the request id of the log, and neither the name of the machine nor an id that they
// sent.
func TestRequestIDs(t *testing.T) {
	b := setup(t)
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	made := "made-up" + strings.Repeat("x", 20_000)
	ids := map[string]bool{}
	for range 2 {
		a := b.stranger(b.replica).with("X-Request-Id", made).get("/nowhere")
		id := text(all(b.page(a).root, "code")[0])
		if ids[id] || len(id) > 40 || strings.Contains(id, host) || strings.Contains(a.body, "made-up") {
			t.Errorf("request ID %.100q", id)
		}
		ids[id] = true
	}
}

package site_test

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

func TestBodiesThatAreNotCommands(t *testing.T) {
	b := setup(t)
	program := b.Program(b.Replica, b.Acme).With("Idempotency-Key", sitetest.Key)
	good := customercases.Customers().API.Encode(customercases.Customers().Command)
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
		"a form": {"application/x-www-form-urlencoded", customercases.Customers().Command.Encode(), 415,
			"content-type"},
		"no type":                 {"", good, 415, "content-type"},
		"the same type twice":     {"application/json|application/json", good, 415, "content-type"},
		"another type too":        {"application/json|text/plain", good, 415, "content-type"},
		"another type before":     {"text/plain|application/json", good, 415, "content-type"},
		"two types in one header": {"application/json, text/plain", good, 415, "content-type"},
		"larger than 1 MiB":       {"application/json", big, 413, "too-large"},
	} {
		a := program.With("Content-Type", strings.Split(c.contentType, "|")...).Post("/api/v1/customers", c.body)
		p := sitetest.Decode[sitetest.Problem](b, a)
		assert.Thatf(t, a.Status == c.status && p.Type == "/problems/"+c.slug && p.Status == c.status, "%s: %v", name, a)
		b.WantRows(sitetest.Rows{})
	}
	padded := good + strings.Repeat(" ", 1<<20-len(good)) // exactly 1 MiB
	a := program.With("Content-Type", "application/json; charset=utf-8").Post("/api/v1/customers", padded)
	assert.Thatf(t, a.Status == http.StatusCreated, "the key was used up: %v", a)
}

// TestMembersInDoubt: a member that comes twice, or in another capitalisation, is refused by name, because the server can't
// decide which one was meant.
func TestMembersInDoubt(t *testing.T) {
	b := setup(t)
	program := b.Program(b.Replica, b.Acme).With("Idempotency-Key", sitetest.Key)
	customer := customercases.Customers().API.Encode(customercases.Customers().Command)
	program.InDoubt("/api/v1/customers", map[string]string{
		`{"name": "Eve", ` + customer[1:]:                                    "/name",
		`{"name": null, ` + customer[1:]:                                     "/name",
		strings.Replace(customer, `"name"`, `"n\u0061me": "Eve", "name"`, 1): "/name",
		strings.Replace(customer, `"name"`, `"Name"`, 1):                     "/Name",
		`{"Name": "Eve", ` + customer[1:]:                                    "/Name",
		`{"` + strings.Repeat("x", 1<<19) + `": 1, ` + customer[1:]:          "/xxx",
	})
	b.WantRows(sitetest.Rows{})
}

// TestInvisibleCharacters: invisible characters of pasted text don't change the command. Where they are refused, the error
// names the field.
func TestInvisibleCharacters(t *testing.T) {
	b := setup(t)
	program := b.Program(b.Replica, b.Acme).With("Idempotency-Key", sitetest.Key)
	of := customercases.Customers()
	copied := sitetest.Change(of.Command, "name", "\ufeffAda\u200b Lovelace\u200e", "email", "\u202aada@example.com\u202c")
	first := program.Post("/api/v1/customers", of.API.Encode(copied))
	again := program.Post("/api/v1/customers", of.API.Encode(of.Command))
	assert.Thatf(t, first.Status == http.StatusCreated && again.Body == first.Body && again.Header.Get("Idempotent-Replayed") == "true",
		"%v\n%v", first, again)
	for name, want := range map[string]string{
		"Ada\u202eLovelace": "Remove the invisible character after “Ada” in the name.",
		"\u202eAda":         "Remove the invisible character at the beginning of the name.",
		"Ada \uf0fc":        "Replace the symbol after “Ada” in the name. Only the font it comes from can show it.",
	} {
		a := program.Post("/api/v1/customers", of.API.Encode(sitetest.Change(of.Command, "name", name)))
		p := sitetest.Decode[sitetest.Problem](b, a)
		assert.Thatf(t, len(p.Errors) == 1 && p.Errors[0].Detail == want, "%q: %v", name, a)
	}
}

// TestValuesOfAnotherType: a value with the wrong type is an error of its field, like any other invalid value.
func TestValuesOfAnotherType(t *testing.T) {
	b := setup(t)
	program := b.Program(b.Replica, b.Acme).With("Idempotency-Key", sitetest.Key)
	customer, invoice := customercases.Customers().API.Encode(customercases.Customers().Command), invoicecases.Invoices().API.Encode(
		invoicecases.Invoices().Command,
	)
	issued := b.Prepared(b.Acme, "invoice", invoicecases.Invoices(), invoicecases.Invoices().Command, "issue")
	notes := "/api/v1/invoices/" + issued.ID + "/credit-notes"
	b.Forget()
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
		a := program.Post(c.path, c.body)
		p := sitetest.Decode[sitetest.Problem](b, a)
		assert.Thatf(t, a.Status == http.StatusUnprocessableEntity && p.Type == "/problems/invalid" && len(p.Errors) == 1 &&
			p.Errors[0].Pointer == c.pointer && p.Errors[0].Detail == "Send "+c.want+" here.", "%.200s: %v", c.body, a)
	}
}

// TestProblemTypesOpen: the type of a problem document is the address of a page about it.
func TestProblemTypesOpen(t *testing.T) {
	b := setup(t)
	stranger := b.Stranger(b.Replica)
	index := b.Page(stranger.Get("/problems"))
	docs := b.Page(stranger.Get("/docs/api"))
	opened := 0
	for _, a := range sitetest.Elements(index.Root, "a") {
		href, _ := sitetest.Attr(a, "href")
		if !strings.HasPrefix(href, "/problems/") {
			continue
		}
		opened++
		page := stranger.Get(href)
		b.Page(page).Says(sitetest.Text(a), href, "What it means", "What to do")
		assert.Thatf(b, sitetest.Text(a) != "" && !strings.Contains(page.Body, "<p></p>"), "%s explains nothing", href)
		docs.LeadsTo(href)
	}
	assert.Thatf(t, opened >= 15, "only %d problems", opened)
	if a := stranger.Get("/problems/no-such-thing"); a.Status != http.StatusNotFound {
		t.Errorf("%v", a)
	}
	docs.Says("24 hours", "Idempotency-Key", "One customer per email address and name in each tenant")
}

// TestSecurityHeaders checks every answer, from pages to errors.
func TestSecurityHeaders(t *testing.T) {
	b := setup(t)
	person, program := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme)
	for _, route := range walk(b) {
		method, path, _ := strings.Cut(route, " ")
		if path == "/logout" {
			continue
		}
		caller := callerOf(path, person, program)
		a := caller.Must(caller.Send(t.Context(), method, strings.ReplaceAll(path, "{id}", sitetest.Key), ""))
		checkSecurity(t, route, a)
	}
	for _, path := range []string{"/nowhere", "/api/v1/nowhere", "/customers/not-an-id", "/problems/nowhere", "/login"} {
		checkSecurity(t, path, b.Stranger(b.Replica).Get(path))
	}
	checkSecurity(t, "method", b.Must(person.Send(t.Context(), http.MethodDelete, "/customers", "")))
}

func checkSecurity(t *testing.T, what string, a sitetest.Answer) {
	t.Helper()
	policy := a.Header.Get("Content-Security-Policy")
	for _, part := range []string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
	} {
		assert.Thatf(t, strings.Contains(policy, part), "%s: policy %q lacks %s", what, policy, part)
	}
	assert.Thatf(t, !strings.Contains(policy, "unsafe") && !strings.Contains(policy, "*") && !strings.Contains(policy, "http"),
		"%s: policy %q", what, policy)
	assert.Thatf(t, a.Header.Get("X-Content-Type-Options") == "nosniff" && a.Header.Get("Referrer-Policy") != "", "%s: %v", what, a)
	if strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") && strings.Contains(a.Body, "<main") {
		cache := a.Header.Get("Cache-Control")
		assert.Thatf(t, strings.Contains(cache, "private"), "%s: a page may be kept by others: %q", what, cache)
		if strings.Contains(a.Body, "<style") || strings.Contains(a.Body, " style=") || strings.Contains(a.Body, " onclick=") {
			t.Errorf("%s: style or script inside of the page", what)
		}
	}
}

// TestHalfARequest: a client that disconnects in the middle of its body has created nothing.
func TestHalfARequest(t *testing.T) {
	b := setup(t)
	of := customercases.Customers()
	body := of.API.Encode(of.Command)
	conn := send(b, "POST /api/v1/customers HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Idempotency-Key: %s\r\nContent-Length: %d\r\n\r\n%s", b.Acme.Token, sitetest.Key, len(body), body[:len(body)-1])
	must.OK(t, conn.CloseWrite())
	answered, _ := io.ReadAll(conn)
	assert.Thatf(t, !strings.Contains(string(answered), "201"), "%s", answered)
	b.WantOutcomes("rejected")
	b.WantRows(sitetest.Rows{})
}

// TestRequestIDs: a page shows strangers the request id of the log, and neither the name of the machine nor an id that they
// sent.
func TestRequestIDs(t *testing.T) {
	b := setup(t)
	host, err := os.Hostname()
	must.OK(t, err)
	made := "made-up" + strings.Repeat("x", 20_000)
	ids := map[string]bool{}
	for range 2 {
		a := b.Stranger(b.Replica).With("X-Request-Id", made).Get("/nowhere")
		id := sitetest.Text(sitetest.Elements(b.Page(a).Root, "code")[0])
		assert.Thatf(t, !ids[id] && len(id) <= 40 && !strings.Contains(id, host) && !strings.Contains(a.Body, "made-up"),
			"request ID %.100q", id)
		ids[id] = true
	}
}

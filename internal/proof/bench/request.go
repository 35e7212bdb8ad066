package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// regularEmail is that of the demo's customer whom the load is about. fill.sql knows it too.
const regularEmail = "accounts@northwind.example"

// issueDate and dueDate lie in this year, where the rows are that were there before.
func issueDate() string { return time.Now().UTC().Format("2006") + "-06-15" }
func dueDate() string   { return time.Now().UTC().Format("2006") + "-07-15" }

// apiInvoice is an invoice of three lines as the API takes it. Without a number it gets the next one.
func apiInvoice(number, email, text string) string {
	return fmt.Sprintf(`{"number":%q,"customer":{"email":%q,"name":"Northwind Traders"},
		"issue_date":%q,"due_date":%q,"currency":"EUR","lines":[
		{"description":%q,"quantity":"2","unit_price":"50.00","tax_rate":"23"},
		{"description":"Build","quantity":"1.5","unit_price":"80.00","tax_rate":"23"},
		{"description":"Support","quantity":"3","unit_price":"20.00","tax_rate":"8"}]}`,
		number, email, issueDate(), dueDate(), text)
}

// formInvoice is the same as the form sends it.
func formInvoice(key, number, text string) url.Values {
	return url.Values{
		"idempotency_key": {key}, "number": {number},
		"customer_email": {regularEmail}, "customer_name": {"Northwind Traders"},
		"issue_date": {issueDate()}, "due_date": {dueDate()}, "currency": {"EUR"},
		"line_description": {text, "Build", "Support"}, "line_quantity": {"2", "1.5", "3"},
		"line_unit_price": {"50.00", "80.00", "20.00"}, "line_tax_rate": {"23", "23", "8"},
	}
}

// apiPost sends JSON with the token of acme.
func apiPost(ctx context.Context, url, key, body string) (*http.Request, error) {
	return apiSend(ctx, http.MethodPost, url, key, body)
}

func apiSend(ctx context.Context, method, url, key, body string) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+acmeToken)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	return request, nil
}

func apiGet(ctx context.Context, url string) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+acmeToken)
	return request, nil
}

// pageGet asks for a page as a browser does.
func pageGet(ctx context.Context, url, cookie string) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Cookie", cookie)
	request.Header.Set("Accept-Encoding", "gzip")
	return request, nil
}

func formPost(ctx context.Context, url, cookie string, form url.Values) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Cookie", cookie)
	request.Header.Set("Accept-Encoding", "gzip")
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return request, nil
}

// apiPage asks the API for what is at a path.
func apiPage(path func(*site) string) maker {
	return func(ctx context.Context, s *site, _ int) (*http.Request, error) {
		return apiGet(ctx, s.origin+apiPrefix+path(s))
	}
}

// page asks for the page at a path.
func page(path func(*site) string) maker {
	return func(ctx context.Context, s *site, _ int) (*http.Request, error) {
		return pageGet(ctx, s.origin+path(s), s.cookie)
	}
}

// pageOf asks for the page of a form about one record, under a new key.
func pageOf(path func(id string) string) aboutOne {
	return func(ctx context.Context, s *site, id string) (*http.Request, error) {
		return pageGet(ctx, s.origin+path(id)+"?key="+newKey(), s.cookie)
	}
}

// press sends the form of one record that has nothing to fill in.
func press(before, behind string) aboutOne {
	return func(ctx context.Context, s *site, id string) (*http.Request, error) {
		return formPost(ctx, s.origin+before+id+behind, s.cookie, url.Values{"idempotency_key": {newKey()}})
	}
}

// pressAPI is press in the API.
func pressAPI(before, behind string) aboutOne {
	return func(ctx context.Context, s *site, id string) (*http.Request, error) {
		return apiPost(ctx, s.origin+apiPrefix+before+id+behind, newKey(), "")
	}
}

// pageAt is the kind of request for a page.
func pageAt(name, route string, path func(*site) string) kind {
	return kind{name: name, route: route, want: http.StatusOK, make: page(path)}
}

// apiAt is the kind of request for what the API has at a path.
func apiAt(name, route string, path func(*site) string) kind {
	return kind{name: name, route: route, want: http.StatusOK, make: apiPage(path)}
}

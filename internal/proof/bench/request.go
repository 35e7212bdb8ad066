package bench

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
)

const (
	apiPrefix     = "/api/v1"
	customersPath = apiPrefix + "/customers"

	// regularEmail is the email of the customer of the load. fill.sql and load.lua have it too.
	regularEmail = "accounts@northwind.example"
)

func newKey() string { return uuid.NewString() }

// apiInvoice returns an invoice of three lines for the API. Its dates are in this year, like those of the filled rows. Without a number
// it gets the next one.
func apiInvoice(number, email, text string) string {
	year := time.Now().UTC().Format("2006")
	return fmt.Sprintf(`{"number":%q,"customer":{"email":%q,"name":"Northwind Traders"},
		"issue_date":"%s-06-15","due_date":"%[3]s-07-15","currency":"EUR","lines":[
		{"description":%[4]q,"quantity":"2","unit_price":"50.00","tax_rate":"23"},
		{"description":"Build","quantity":"1.5","unit_price":"80.00","tax_rate":"23"},
		{"description":"Support","quantity":"3","unit_price":"20.00","tax_rate":"8"}]}`,
		number, email, year, text)
}

// formInvoice returns such an invoice as a form.
func formInvoice() url.Values {
	year := time.Now().UTC().Format("2006")
	return url.Values{
		"idempotency_key": {newKey()}, "number": {"N-" + newKey()},
		"customer_email": {regularEmail}, "customer_name": {"Northwind Traders"},
		"issue_date": {year + "-06-15"}, "due_date": {year + "-07-15"}, "currency": {"EUR"},
		"line_description": {newKey(), "Build", "Support"}, "line_quantity": {"2", "1.5", "3"},
		"line_unit_price": {"50.00", "80.00", "20.00"}, "line_tax_rate": {"23", "23", "8"},
	}
}

// api returns a request of the API, with the token of acme.
func (s *site) api(ctx context.Context, method, path, key, body string) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.origin+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+acmeToken)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	return request, nil
}

// page returns a request of a browser of a person of acme: a GET, or a POST with a form.
func (s *site) page(ctx context.Context, path string, form url.Values) (*http.Request, error) {
	method := http.MethodGet
	if form != nil {
		method = http.MethodPost
	}
	request, err := http.NewRequestWithContext(ctx, method, s.origin+path, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Cookie", s.cookie)
	request.Header.Set("Accept-Encoding", "gzip")
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return request, nil
}

// ask sends a request and reads the whole response. A status other than want is an error.
func (s *site) ask(request *http.Request, want int) (http.Header, error) {
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != want {
		err = fmt.Errorf("%s %s: %s, want %d: %s", request.Method, request.URL, response.Status, want, body[:min(len(body), 500)])
	}
	return response.Header, err
}

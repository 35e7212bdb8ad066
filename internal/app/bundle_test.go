package app_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type bundle struct{ *apptest.Bundle }

func setup(t *testing.T, settings ...func(*app.Config)) *bundle {
	t.Helper()
	return &bundle{apptest.New(t, settings...)}
}

// on returns a bundle without an app.
func on(t *testing.T, db *pgtest.Database) *bundle {
	t.Helper()
	return &bundle{apptest.On(t, db)}
}

const key = "6f1c2f5e-6c0e-4b7e-9d39-0a0d6f9f7c11"

const ada = `{"email": "ada@example.com", "name": "Ada", "address": "12 St James's Square"}`

// create sends a request for a new customer to the API of an app.
func create(url, key, body string) (*http.Response, error) {
	return http.DefaultClient.Do(request(url, key, body))
}

func request(url, key, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, url+"/api/v1/customers", strings.NewReader(body))
	r.RequestURI = "" // only for servers
	r.Header.Set("Authorization", "Bearer "+apptest.DemoToken)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	return r
}

func (b *bundle) create(key, body string) *http.Response {
	b.Helper()
	response, err := create(b.URL(), key, body)
	must.OK(b, err)
	_ = response.Body.Close()
	return response
}

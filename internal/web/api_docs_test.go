package web_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/web"
)

// TestExamplesUseTheVisitorsAddress: what is copied from the page runs.
func TestExamplesUseTheVisitorsAddress(t *testing.T) {
	b := setup(t)
	secure := b.serve(func(c *web.Config) { c.Secure = true })
	behindProxy := b.serve(func(c *web.Config) { c.Secure, c.Origin = true, "https://invoices.example.com" })
	for _, tt := range []struct{ url, host, want string }{
		{b.url, "", "curl '" + b.url + "/api/v1/invoices'"},
		{b.url, "invoices.example:81", "curl 'http://invoices.example:81/api/v1/invoices'"},
		{b.url, "[::1]:8080", "curl 'http://[::1]:8080/api/v1/invoices'"},
		{secure.url, "invoices.example", "curl 'https://invoices.example/api/v1/invoices'"},
		{behindProxy.url, "internal:8080", "curl 'https://invoices.example.com/api/v1/invoices'"},
		{b.url, "x';reboot;'", "curl 'http://localhost/api/v1/invoices'"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, tt.url+"/docs/api", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = tt.host
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		a := answer{status: response.StatusCode, header: response.Header, body: string(body)}
		if shown := b.page(a).text(); !strings.Contains(shown, tt.want) {
			t.Errorf("Host %q: the page does not say %q:\n%s", tt.host, tt.want, shown)
		}
	}
}

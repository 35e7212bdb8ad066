package site_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/site/sitetest"
)

// TestExamplesUseTheVisitorsAddress checks that the copied examples work without an edit.
func TestExamplesUseTheVisitorsAddress(t *testing.T) {
	b := setup(t)
	secure := b.Serve(func(c *sitetest.Config) { c.Secure = true })
	behindProxy := b.Serve(func(c *sitetest.Config) { c.Secure, c.Origin = true, "https://invoices.example.com" })
	const first = "/api/v1/"
	for _, tt := range []struct{ url, host, want string }{
		{b.URL, "", "curl '" + b.URL + first},
		{b.URL, "invoices.example:81", "curl 'http://invoices.example:81" + first},
		{b.URL, "[::1]:8080", "curl 'http://[::1]:8080" + first},
		{secure.URL, "invoices.example", "curl 'https://invoices.example" + first},
		{behindProxy.URL, "internal:8080", "curl 'https://invoices.example.com" + first},
		{b.URL, "x';reboot;'", "curl 'http://localhost" + first},
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
		a := sitetest.Answer{Status: response.StatusCode, Header: response.Header, Body: string(body)}
		if shown := b.Page(a).Text(); !strings.Contains(shown, tt.want) {
			t.Errorf("Host %q: the page does not say %q:\n%s", tt.host, tt.want, shown)
		}
	}
}

// TestDocsShowWhatIsDescribed checks that the page has each operation of openapi.json, under an anchor of its resource.
func TestDocsShowWhatIsDescribed(t *testing.T) {
	b := setup(t)
	p := b.Page(b.Stranger(b.Replica).Get("/docs/api"))
	p.LeadsTo("/openapi.json")
	anchors := map[string]bool{}
	for _, element := range append(sitetest.Elements(p.Root, "details"), sitetest.Elements(p.Root, "h2")...) {
		id, _ := sitetest.Attr(element, "id")
		anchors[id] = true
	}
	for path, item := range b.OpenAPI().Paths.Map() {
		for method, op := range item.Operations() {
			p.Says(method+" "+path, op.Summary)
			p.LeadsTo("#" + op.Tags[0])
			if !anchors[op.OperationID] || !anchors[op.Tags[0]] {
				t.Errorf("no anchor for %s or %s", op.OperationID, op.Tags[0])
			}
		}
	}
}

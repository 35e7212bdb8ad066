package site_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestExamplesUseTheVisitorsAddress checks that the copied examples work without an edit.
func TestExamplesUseTheVisitorsAddress(t *testing.T) {
	b := setup(t)
	secure := b.serve(func(c *config) { c.Secure = true })
	behindProxy := b.serve(func(c *config) { c.Secure, c.Origin = true, "https://invoices.example.com" })
	const first = "/api/v1/"
	for _, tt := range []struct{ url, host, want string }{
		{b.url, "", "curl '" + b.url + first},
		{b.url, "invoices.example:81", "curl 'http://invoices.example:81" + first},
		{b.url, "[::1]:8080", "curl 'http://[::1]:8080" + first},
		{secure.url, "invoices.example", "curl 'https://invoices.example" + first},
		{behindProxy.url, "internal:8080", "curl 'https://invoices.example.com" + first},
		{b.url, "x';reboot;'", "curl 'http://localhost" + first},
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

// TestDocsShowWhatIsDescribed checks that the page has each operation of openapi.json, under an anchor of its resource.
func TestDocsShowWhatIsDescribed(t *testing.T) {
	b := setup(t)
	p := b.page(b.stranger(b.replica).get("/docs/api"))
	p.leadsTo("/openapi.json")
	anchors := map[string]bool{}
	for _, element := range append(all(p.root, "details"), all(p.root, "h2")...) {
		id, _ := attr(element, "id")
		anchors[id] = true
	}
	for path, item := range b.openAPI().Paths.Map() {
		for method, op := range item.Operations() {
			p.says(method+" "+path, op.Summary)
			p.leadsTo("#" + op.Tags[0])
			if !anchors[op.OperationID] || !anchors[op.Tags[0]] {
				t.Errorf("no anchor for %s or %s", op.OperationID, op.Tags[0])
			}
		}
	}
}

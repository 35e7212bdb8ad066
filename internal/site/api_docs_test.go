package site_test

import (
	"testing"

	"onlyonce/internal/site/sitetest"
)

// TestExamplesUseTheVisitorsAddress checks that the copied examples work without an edit.
func TestExamplesUseTheVisitorsAddress(t *testing.T) {
	b := setup(t)
	secure := b.Serve(func(c *sitetest.Config) { c.Secure = true })
	behindProxy := b.Serve(func(c *sitetest.Config) { c.Secure, c.Origin = true, "https://invoices.example.com" })
	const first = "/api/v1/"
	for _, tt := range []struct {
		at         *sitetest.Replica
		host, want string
	}{
		{b.Replica, "", "curl '" + b.URL + first},
		{b.Replica, "invoices.example:81", "curl 'http://invoices.example:81" + first},
		{b.Replica, "[::1]:8080", "curl 'http://[::1]:8080" + first},
		{secure, "invoices.example", "curl 'https://invoices.example" + first},
		{behindProxy, "internal:8080", "curl 'https://invoices.example.com" + first},
		{b.Replica, "x';reboot;'", "curl 'http://localhost" + first},
	} {
		b.Page(b.Stranger(tt.at).With("Host", tt.host).Get("/docs/api")).Says(tt.want)
	}
}

// TestDocsShowWhatIsDescribed checks that the page has each operation of openapi.json, under an anchor of its resource.
func TestDocsShowWhatIsDescribed(t *testing.T) {
	b := setup(t)
	p := b.Page(b.Stranger(b.Replica).Get("/docs/api"))
	p.LeadsTo("/openapi.json")
	anchors := anchorsOf(p, "details", "h2")
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

// anchorsOf returns the ids of the elements with one of the names.
func anchorsOf(p sitetest.Page, names ...string) map[string]bool {
	anchors := map[string]bool{}
	for _, element := range sitetest.Elements(p.Root, names...) {
		id, _ := sitetest.Attr(element, "id")
		anchors[id] = true
	}
	return anchors
}

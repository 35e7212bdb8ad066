package site_test

import (
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"
)

// TestRulesAndAPIAreInASection checks that the links to the documentation are in the main navigation only without a login.
func TestRulesAndAPIAreInASection(t *testing.T) {
	b := setup(t)
	for where, want := range map[*sitetest.Client][]int{b.Browser(b.Replica): {0}, b.Person(b.Replica, b.Acme): {1}} {
		for _, path := range []string{"/rules", "/docs/api"} {
			var with []int
			for i, nav := range sitetest.Elements(b.Page(where.Get(path)).Root, "nav") {
				if strings.Contains(sitetest.Text(nav), "RulesAPI") {
					with = append(with, i)
				}
			}
			assert.Thatf(t, slices.Equal(with, want), "%s: the links are in the navigations %v, want %v", path, with, want)
		}
	}
}

// TestRulesSayWhatIsRegistered: the public page has each operation with its promise, and each rule, below the anchor of its
// resource.
func TestRulesSayWhatIsRegistered(t *testing.T) {
	b := setup(t)
	p := b.Page(b.Browser(b.Replica).Get("/rules"))
	anchors := anchorsOf(p, "h2")
	for _, of := range sitecases.Resources() {
		if p.LeadsTo("#" + of.Path[1:]); !anchors[of.Path[1:]] {
			t.Errorf("no section for %s", of.Path)
		}
	}
	for _, rule := range b.Rules() {
		p.Says(rule.Sentence, rule.Answer)
	}
	for _, op := range b.Operations() {
		p.Says(op.Alike)
	}
	rows := 0
	for _, row := range sitetest.Elements(p.Root, "tr") {
		if cells := sitetest.Elements(row, "td"); len(cells) == 2 {
			rows++
			if kept := sitetest.Text(cells[1]); kept != "First answer kept for 24 hours" && kept != "First answer kept for 72 hours" {
				t.Errorf("%s keeps its first answer for %q", sitetest.Text(row), kept)
			}
		}
	}
	assert.Thatf(t, rows == len(b.Operations()), "%d rows, and %d operations", rows, len(b.Operations()))
	p.Says("New customer Creates one, or returns the existing one", "Edit customer Changes the version you saw",
		"Archive customer Changes the status once")
}

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
			assert.Thatf(t, anchors[op.OperationID] && anchors[op.Tags[0]], "no anchor for %s or %s", op.OperationID, op.Tags[0])
		}
	}
}

func anchorsOf(p sitetest.Page, names ...string) map[string]bool {
	anchors := map[string]bool{}
	for _, element := range sitetest.Elements(p.Root, names...) {
		id, _ := sitetest.Attr(element, "id")
		anchors[id] = true
	}
	return anchors
}

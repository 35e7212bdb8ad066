package site_test

import (
	"testing"

	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"
)

// TestRulesSayWhatIsRegistered: the public page has each operation with its promise, and each rule, below the anchor of its
// resource.
func TestRulesSayWhatIsRegistered(t *testing.T) {
	b := setup(t)
	p := b.Page(b.Browser(b.Replica).Get("/rules"))
	anchors := map[string]bool{}
	for _, element := range sitetest.Elements(p.Root, "h2") {
		id, _ := sitetest.Attr(element, "id")
		anchors[id] = true
	}
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
	if rows != len(b.Operations()) {
		t.Errorf("%d rows, and %d operations", rows, len(b.Operations()))
	}
	p.Says("New customer Creates one, or returns the existing one", "Edit customer Changes the version you saw",
		"Archive customer Changes the status once")
}

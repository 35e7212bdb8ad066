package site_test

import (
	"slices"
	"strings"
	"testing"

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
			if !slices.Equal(with, want) {
				t.Errorf("%s: the links are in the navigations %v, want %v", path, with, want)
			}
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
	if rows != len(b.Operations()) {
		t.Errorf("%d rows, and %d operations", rows, len(b.Operations()))
	}
	p.Says("New customer Creates one, or returns the existing one", "Edit customer Changes the version you saw",
		"Archive customer Changes the status once")
}

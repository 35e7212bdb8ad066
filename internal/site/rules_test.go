package site_test

import "testing"

// TestRulesSayWhatIsRegistered: the public page has each operation with its promise, and each rule, below the anchor of its
// resource.
func TestRulesSayWhatIsRegistered(t *testing.T) {
	b := setup(t)
	p := b.page(b.browser(b.replica).get("/rules"))
	anchors := map[string]bool{}
	for _, element := range all(p.root, "h2") {
		id, _ := attr(element, "id")
		anchors[id] = true
	}
	for _, of := range resources() {
		if p.leadsTo("#" + of.path[1:]); !anchors[of.path[1:]] {
			t.Errorf("no section for %s", of.path)
		}
	}
	for _, rule := range b.Rules() {
		p.says(rule.Sentence, rule.Answer)
	}
	for _, op := range b.Operations() {
		p.says(op.Alike)
	}
	rows := 0
	for _, row := range all(p.root, "tr") {
		if cells := all(row, "td"); len(cells) == 2 {
			rows++
			if kept := text(cells[1]); kept != "First answer kept for 24 hours" && kept != "First answer kept for 72 hours" {
				t.Errorf("%s keeps its first answer for %q", text(row), kept)
			}
		}
	}
	if rows != len(b.Operations()) {
		t.Errorf("%d rows, and %d operations", rows, len(b.Operations()))
	}
	p.says("New customer Creates one, or returns the existing one", "Edit customer Changes the version you saw",
		"Archive customer Changes the status once")
}

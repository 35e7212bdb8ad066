package viewtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"onlyonce/internal/assert"
)

// Check checks the rules of all pages on each page, by the name of its state.
func Check(t *testing.T, states map[string]templ.Component) {
	t.Helper()
	for name, page := range states {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := Parse(t, page)
			for _, check := range []func(*testing.T, *html.Node){
				nothingInline, idsAreUniqueAndReferencesLead, everyControlHasALabel, everyPostingFormIsGuarded,
				onlyThePagesOwnFormHasAPrimaryButton, everyFormWithAKeyHasItsOwner, onlyOneElementTakesTheFocus,
				theTitleSaysError, browsersForgetForms,
			} {
				check(t, doc)
			}
		})
	}
}

// nothingInline checks that a page has no inline scripts or styles. The content security policy forbids them, so they fail in browsers
// only.
func nothingInline(t *testing.T, doc *html.Node) {
	t.Helper()
	for n := range doc.Descendants() {
		assert.Thatf(t, n.Data != "style" && n.Data != "base" && (n.Data != "script" || Attr(n, "src") != "" && n.FirstChild == nil),
			"inline <%s>", n.Data)
		for _, a := range n.Attr {
			assert.Thatf(t, a.Key != "style" && !strings.HasPrefix(a.Key, "on") && !strings.HasPrefix(a.Val, "javascript:"),
				"<%s %s=%q>", n.Data, a.Key, a.Val)
		}
	}
}

func idsAreUniqueAndReferencesLead(t *testing.T, doc *html.Node) {
	t.Helper()
	ids := map[string]int{}
	for n := range doc.Descendants() {
		if id := Attr(n, "id"); id != "" {
			ids[id]++
		}
	}
	for id, count := range ids {
		assert.Thatf(t, count <= 1, "id %q is there %d times", id, count)
	}
	for n := range doc.Descendants() {
		for _, ref := range references(n) {
			assert.Thatf(t, ids[ref] != 0, "<%s> refers to #%s, which is not there", n.Data, ref)
		}
	}
}

// browsersForgetForms checks that forms have autocomplete=off. After a reload, Firefox would otherwise restore hidden fields that a
// script has changed, and the values of controls, which mixes an old version with new fields.
func browsersForgetForms(t *testing.T, doc *html.Node) {
	t.Helper()
	for n := range doc.Descendants() {
		hidden := n.Data == "input" && Attr(n, "type") == "hidden"
		if (hidden || Has(n, "data-form-url")) && Attr(n, "autocomplete") != "off" {
			t.Errorf("<%s name=%q> has no autocomplete=off", n.Data, Attr(n, "name"))
		}
	}
}

func references(n *html.Node) []string {
	refs := strings.Fields(Attr(n, "aria-describedby") + " " + Attr(n, "for"))
	if target, ok := strings.CutPrefix(Attr(n, "href"), "#"); ok {
		refs = append(refs, target)
	}
	return refs
}

func everyControlHasALabel(t *testing.T, doc *html.Node) {
	t.Helper()
	labelled := map[string]bool{}
	for n := range doc.Descendants() {
		if n.Data == "label" {
			labelled[Attr(n, "for")] = true
		}
	}
	for n := range doc.Descendants() {
		visible := n.Data == "select" || n.Data == "textarea" || n.Data == "input" && Attr(n, "type") != "hidden"
		if visible && !labelled[Attr(n, "id")] {
			t.Errorf("<%s name=%q> has no label", n.Data, Attr(n, "name"))
		}
	}
}

func everyPostingFormIsGuarded(t *testing.T, doc *html.Node) {
	t.Helper()
	for n := range doc.Descendants() {
		if n.Data == "form" && Attr(n, "method") == "post" && !Has(n, "data-submit-guard") {
			t.Errorf("form %s has no submit guard", Attr(n, "action"))
		}
	}
}

// onlyThePagesOwnFormHasAPrimaryButton checks that at most one button is marked as the main one. The submit guard and scripts of
// clients rely on the mark.
func onlyThePagesOwnFormHasAPrimaryButton(t *testing.T, doc *html.Node) {
	t.Helper()
	marked := 0
	for n := range doc.Descendants() {
		if Has(n, "data-submit-primary") {
			marked++
			assert.Thatf(t, Text(n) != "Log out", "Log out is marked as the primary button")
		}
	}
	assert.Thatf(t, marked <= 1, "%d buttons are marked as the primary one", marked)
}

// everyFormWithAKeyHasItsOwner checks that a form with a key has the tenant for which it was opened.
func everyFormWithAKeyHasItsOwner(t *testing.T, doc *html.Node) {
	t.Helper()
	for form := range doc.Descendants() {
		if form.Data != "form" {
			continue
		}
		names := map[string]bool{}
		for n := range form.Descendants() {
			if n.Data == "input" {
				names[Attr(n, "name")] = true
			}
		}
		if names["idempotency_key"] && (!names["tenant"] || !names["tenant_name"]) {
			t.Errorf("form %s does not say whose it is", Attr(form, "action"))
		}
	}
}

// theTitleSaysError checks that the title begins with "Error: " if the page has a focused error, and only if the page shows an error.
func theTitleSaysError(t *testing.T, doc *html.Node) {
	t.Helper()
	title := Find(doc, func(n *html.Node) bool { return n.Data == "title" })
	if title == nil {
		return // it is a part of a page
	}
	saysError := strings.HasPrefix(Text(title), "Error: ")
	alert := Find(doc, func(n *html.Node) bool { return Attr(n, "role") == "alert" && Has(n, "autofocus") })
	message := Find(doc, func(n *html.Node) bool {
		return slices.Contains([]string{"card message", "notice error"}, Attr(n, "class"))
	})
	if alert != nil && !saysError || saysError && alert == nil && message == nil {
		t.Errorf("the title is %q", Text(title))
	}
}

func onlyOneElementTakesTheFocus(t *testing.T, doc *html.Node) {
	t.Helper()
	var focused []string
	for n := range doc.Descendants() {
		if Has(n, "autofocus") {
			focused = append(focused, n.Data)
		}
	}
	assert.Thatf(t, len(focused) <= 1, "autofocus on %v", focused)
}

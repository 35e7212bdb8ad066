package templates_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"
)

// The content security policy forbids anything inline; a page that relies on
// it would be broken in the browser only.
func TestNothingInline(t *testing.T) {
	t.Parallel()
	forEachState(t, func(t *testing.T, doc *html.Node) {
		t.Helper()
		for n := range doc.Descendants() {
			if n.Data == "style" || n.Data == "base" || n.Data == "script" && (attr(n, "src") == "" || n.FirstChild != nil) {
				t.Errorf("inline <%s>", n.Data)
			}
			for _, a := range n.Attr {
				if a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.HasPrefix(a.Val, "javascript:") {
					t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
				}
			}
		}
	})
}

func TestIdsAreUniqueAndReferencesLead(t *testing.T) {
	t.Parallel()
	forEachState(t, func(t *testing.T, doc *html.Node) {
		t.Helper()
		ids := map[string]int{}
		for n := range doc.Descendants() {
			if id := attr(n, "id"); id != "" {
				ids[id]++
			}
		}
		for id, count := range ids {
			if count > 1 {
				t.Errorf("id %q is there %d times", id, count)
			}
		}
		for n := range doc.Descendants() {
			for _, ref := range references(n) {
				if ids[ref] == 0 {
					t.Errorf("<%s> refers to #%s, which is not there", n.Data, ref)
				}
			}
		}
	})
}

func references(n *html.Node) []string {
	refs := strings.Fields(attr(n, "aria-describedby") + " " + attr(n, "for"))
	if target, ok := strings.CutPrefix(attr(n, "href"), "#"); ok {
		refs = append(refs, target)
	}
	return refs
}

func TestEveryControlHasALabel(t *testing.T) {
	t.Parallel()
	forEachState(t, func(t *testing.T, doc *html.Node) {
		t.Helper()
		labelled := map[string]bool{}
		for n := range doc.Descendants() {
			if n.Data == "label" {
				labelled[attr(n, "for")] = true
			}
		}
		for n := range doc.Descendants() {
			visible := n.Data == "select" || n.Data == "textarea" || n.Data == "input" && attr(n, "type") != "hidden"
			if visible && !labelled[attr(n, "id")] {
				t.Errorf("<%s name=%q> has no label", n.Data, attr(n, "name"))
			}
		}
	})
}

func TestEveryPostingFormIsGuarded(t *testing.T) {
	t.Parallel()
	forEachState(t, func(t *testing.T, doc *html.Node) {
		t.Helper()
		for n := range doc.Descendants() {
			if n.Data == "form" && attr(n, "method") == "post" && !has(n, "data-submit-guard") {
				t.Errorf("form %s has no submit guard", attr(n, "action"))
			}
		}
	})
}

// The submit guard and people's scripts take the marked button for the page's main one.
func TestOnlyThePagesOwnFormHasAPrimaryButton(t *testing.T) {
	t.Parallel()
	forEachState(t, func(t *testing.T, doc *html.Node) {
		t.Helper()
		marked := 0
		for n := range doc.Descendants() {
			if has(n, "data-submit-primary") {
				marked++
				if text(n) == "Log out" {
					t.Error("Log out is marked as the primary button")
				}
			}
		}
		if marked > 1 {
			t.Errorf("%d buttons are marked as the primary one", marked)
		}
	})
}

// A form that creates something says for whom it was opened.
func TestEveryFormWithAKeyHasItsOwner(t *testing.T) {
	t.Parallel()
	forEachState(t, func(t *testing.T, doc *html.Node) {
		t.Helper()
		for form := range doc.Descendants() {
			if form.Data != "form" {
				continue
			}
			names := map[string]bool{}
			for n := range form.Descendants() {
				if n.Data == "input" {
					names[attr(n, "name")] = true
				}
			}
			if names["idempotency_key"] && (!names["tenant"] || !names["tenant_name"]) {
				t.Errorf("form %s does not say whose it is", attr(form, "action"))
			}
		}
	})
}

func TestTitleSaysError(t *testing.T) {
	t.Parallel()
	all := states()
	failed := []string{
		"customer form refused", "customer form, stale", "login refused", "not found",
	}
	for _, name := range failed {
		if all[name] == nil {
			t.Fatalf("no state %q", name)
		}
		if title := titleOf(parse(t, all[name])); !strings.HasPrefix(title, "Error: ") {
			t.Errorf("%s: title %q", name, title)
		}
	}
	for _, name := range []string{"customer form", "login", "record"} {
		if title := titleOf(parse(t, all[name])); strings.HasPrefix(title, "Error: ") {
			t.Errorf("%s: title %q", name, title)
		}
	}
}

func TestOnlyOneElementTakesTheFocus(t *testing.T) {
	t.Parallel()
	forEachState(t, func(t *testing.T, doc *html.Node) {
		t.Helper()
		var focused []string
		for n := range doc.Descendants() {
			if has(n, "autofocus") {
				focused = append(focused, n.Data)
			}
		}
		if len(focused) > 1 {
			t.Errorf("autofocus on %v", focused)
		}
	})
}

func forEachState(t *testing.T, check func(*testing.T, *html.Node)) {
	t.Helper()
	for name, page := range states() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, parse(t, page))
		})
	}
}

// parse reads the page as a browser does.
func parse(t *testing.T, page templ.Component) *html.Node {
	t.Helper()
	var buf bytes.Buffer
	if err := page.Render(t.Context(), &buf); err != nil {
		t.Fatal(err)
	}
	doc, err := html.Parse(&buf)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}

func text(n *html.Node) string {
	var all strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			all.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(all.String()), " ")
}

func find(doc *html.Node, match func(*html.Node) bool) *html.Node {
	for n := range doc.Descendants() {
		if match(n) {
			return n
		}
	}
	return nil
}

func titleOf(doc *html.Node) string {
	return text(find(doc, func(n *html.Node) bool { return n.Data == "title" }))
}

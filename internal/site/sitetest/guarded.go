package sitetest

import (
	"cmp"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// checkForms checks every page that a test gets: each form that posts has the form lock, and each form that carries out an
// operation names its intent and its tenant. A page may answer a posted form, and repeat it as it came: the answer can't have
// fields that were missing there.
func (p Page) checkForms(posted url.Values) {
	p.B.Helper()
	for _, form := range Elements(p.Root, "form") {
		if method, _ := Attr(form, "method"); !strings.EqualFold(method, "post") {
			continue
		}
		action, _ := Attr(form, "action")
		_, guarded := Attr(form, "data-submit-guard")
		assert.Thatf(p.B, guarded, "the form to %s has no data-submit-guard, so a double click sends it twice", action)
		operation := p.B.operationAt(action)
		for _, button := range Elements(form, "button") {
			other, _ := Attr(button, "formaction")
			operation = cmp.Or(operation, p.B.operationAt(other))
		}
		if operation == "" {
			continue
		}
		for _, name := range []string{"idempotency_key", "tenant"} {
			assert.Thatf(p.B, hasHidden(form, name) || posted != nil && !posted.Has(name),
				"the form to %s carries out %s, and has no hidden field %s: a repeat of it cannot be recognised", action, operation, name)
		}
	}
}

// operationAt returns the operation that POST to an address carries out, or "".
func (b *Bundle) operationAt(address string) string {
	address, _, _ = strings.Cut(address, "?")
	for _, route := range b.Once() {
		matches, err := path.Match(strings.ReplaceAll(route.Path, "{id}", "*"), address)
		must.OK(b, err)
		if route.Method == http.MethodPost && matches {
			return route.Why
		}
	}
	return ""
}

func hasHidden(form *html.Node, name string) bool {
	return slices.ContainsFunc(Elements(form, "input"), func(n *html.Node) bool {
		kind, _ := Attr(n, "type")
		found, _ := Attr(n, "name")
		return found == name && kind == "hidden"
	})
}

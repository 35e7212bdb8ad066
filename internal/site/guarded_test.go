package site_test

import (
	"cmp"
	"net/http"
	"net/url"
	"path"
	"strings"

	"golang.org/x/net/html"
)

// checkForms checks every page that a test gets: each form that posts has the form lock, and each form that carries out an
// operation names its intent and its tenant. A page may answer a posted form, and repeat it as it came: the answer can't have
// fields that were missing there.
func (p page) checkForms(posted url.Values) {
	p.b.Helper()
	for _, form := range all(p.root, "form") {
		if method, _ := attr(form, "method"); !strings.EqualFold(method, "post") {
			continue
		}
		action, _ := attr(form, "action")
		if _, guarded := attr(form, "data-submit-guard"); !guarded {
			p.b.Errorf("the form to %s has no data-submit-guard, so a double click sends it twice", action)
		}
		operation := p.b.operationAt(action)
		for _, button := range all(form, "button") {
			other, _ := attr(button, "formaction")
			operation = cmp.Or(operation, p.b.operationAt(other))
		}
		if operation == "" {
			continue
		}
		for _, name := range []string{"idempotency_key", "tenant"} {
			if !hasHidden(form, name) && (posted == nil || posted.Has(name)) {
				p.b.Errorf("the form to %s carries out %s, and has no hidden field %s: a repeat of it cannot be recognised",
					action, operation, name)
			}
		}
	}
}

// operationAt returns the operation that POST to an address carries out, or "".
func (b *bundle) operationAt(address string) string {
	address, _, _ = strings.Cut(address, "?")
	for _, route := range b.once() {
		matches, err := path.Match(strings.ReplaceAll(route.Path, "{id}", "*"), address)
		if err != nil {
			b.Fatal(err)
		}
		if route.Method == http.MethodPost && matches {
			return route.Why
		}
	}
	return ""
}

func hasHidden(form *html.Node, name string) bool {
	for _, n := range all(form, "input") {
		kind, _ := attr(n, "type")
		if found, _ := attr(n, "name"); found == name && kind == "hidden" {
			return true
		}
	}
	return false
}

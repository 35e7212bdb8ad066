package site_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/idempotency"
)

// TestEveryFieldIsShown: a change of any field changes the page of the record, apart from its history.
func TestEveryFieldIsShown(t *testing.T) {
	t.Parallel()
	b := setupHere(t)
	var parts []part
	for _, of := range b.casesOf(resources()...) {
		if of.kind == idempotency.Change && !of.resource.people {
			parts = append(parts, part{of.resource, "shown", func(b *bundle) { everyFieldIsShown(b.caseRunOf(of, jsonFormat{})) }})
		}
	}
	walk(t, parts)
}

func everyFieldIsShown(x *caseRun) {
	x.Helper()
	person := htmlFormat{}.caller(x.bundle, x.replica, x.acme)
	facts := func(key string, command url.Values) string {
		x.seen = get[int](x.bundle, `SELECT version FROM `+x.table+` WHERE id = $1`, x.id)
		if a := x.under(key, command); a.status != http.StatusOK {
			x.Errorf("%s: %v", key, a)
		}
		before, _, _ := strings.Cut(x.page(person.get(x.resource.pageOf(x.id))).text(), "History")
		return before
	}
	for i, f := range x.resource.fields {
		if f.valid == key || f.name == "customer_name" { // an id, or a name that doesn't rename an existing customer
			continue
		}
		before := facts(fmt.Sprintf("before-%d", i), x.resource.command)
		if facts(fmt.Sprintf("after-%d", i), f.another(x.resource, x.resource.command)) == before {
			x.Errorf("the page of one of the %s does not show %s", x.resource.plural(), f.name)
		}
	}
}

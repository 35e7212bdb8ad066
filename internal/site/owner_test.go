package site_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/web"
)

// TestDecisionIsForOneTenant: a form that the user moved to globex belongs to it, also when it is refused for another reason.
// For a user who logs in later, the decision doesn't count.
func TestDecisionIsForOneTenant(t *testing.T) {
	x := setup(t).caseRun(customers(), htmlFormat{})
	form := x.opened()
	x.caller.logIn(x.globex, password)
	wrong := maps.Clone(form)
	maps.Copy(wrong, x.wrong())
	p := x.page(x.caller.press(x.page(x.caller.submit(x.resource.list(), wrong)), "Create it for Globex")).says("There is a problem")
	if got := p.typed(); got.Get("tenant") != x.globex.id.String() || got.Get("tenant_name") != "Globex" {
		t.Errorf("%v", got)
	}
	p = x.page(x.caller.submit(x.resource.list(), form))
	x.caller.logIn(x.tenant("Initech"), password)
	x.page(x.caller.press(p, "Create it for Globex")).says("This form belongs to Acme, and you are now logged in as Initech.")
	x.wantRows(rows{})
}

// TestNamesOfTenantsAreNotTold: the page has no name of a tenant that the form didn't have.
func TestNamesOfTenantsAreNotTold(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.globex)
	other := b.tenant("Initech") // a name that occurs nowhere else in the app
	for _, tenant := range []string{other.id.String(), uuid.NewString(), "nonsense"} {
		a := person.submit("/customers", change(customers().command, "idempotency_key", key, "tenant", tenant))
		b.page(a).says("This form belongs to another business, and you are now logged in as Globex.")
		if strings.Contains(a.body, "Initech") {
			t.Errorf("%s: %v", tenant, a)
		}
	}
	b.wantRows(rows{})
}

// TestEveryPostIsBoundToItsTenant sends each POST of a person, except logins and logouts.
func TestEveryPostIsBoundToItsTenant(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.globex)
	tried := 0
	for _, route := range b.Routes {
		if route.Method != http.MethodPost || route.Public() || strings.HasPrefix(route.Path, "/api/") || route.Repeat == web.Read {
			continue
		}
		if strings.HasPrefix(route.Path, "/lab") { // it stores nothing for a tenant
			continue
		}
		form := change(customers().command, "idempotency_key", key, "action", "add_line", "tenant", b.acme.id.String())
		if a := person.submit(route.Path, form); a.status != http.StatusConflict {
			t.Errorf("%s: %v", route.Path, a)
		}
		tried++
	}
	if tried < 3 {
		t.Errorf("only %d routes", tried)
	}
	b.wantRows(rows{})
}

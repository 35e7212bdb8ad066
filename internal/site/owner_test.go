package site_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/web"

	"github.com/google/uuid"

	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/site/sitetest"
)

// TestDecisionIsForOneTenant: a form that the user moved to globex belongs to it, also when it is refused for another reason.
// For a user who logs in later, the decision doesn't count.
func TestDecisionIsForOneTenant(t *testing.T) {
	x := setup(t).Case(customercases.Customers(), sitetest.HTML{})
	form := x.Opened()
	x.Caller.LogIn(x.Globex, sitetest.Password)
	wrong := maps.Clone(form)
	maps.Copy(wrong, x.Wrong())
	p := x.Page(x.Caller.Press(x.Page(x.Caller.Submit(x.Resource.List(), wrong)), "Create it for Globex")).Says("There is a problem")
	got := p.Typed()
	assert.Thatf(t, got.Get("tenant") == x.Globex.ID.String() && got.Get("tenant_name") == "Globex", "%v", got)
	p = x.Page(x.Caller.Submit(x.Resource.List(), form))
	x.Caller.LogIn(x.Tenant("Initech"), sitetest.Password)
	x.Page(x.Caller.Press(p, "Create it for Globex")).Says("This form belongs to Acme, and you are now logged in as Initech.")
	x.WantRows(sitetest.Rows{})
}

// TestNamesOfTenantsAreNotTold: the page has no name of a tenant that the form didn't have.
func TestNamesOfTenantsAreNotTold(t *testing.T) {
	b := setup(t)
	person := b.Person(b.Replica, b.Globex)
	other := b.Tenant("Initech") // a name that occurs nowhere else in the app
	for _, tenant := range []string{other.ID.String(), uuid.NewString(), "nonsense"} {
		a := person.Submit("/customers",
			sitetest.Change(customercases.Customers().Command, "idempotency_key", sitetest.Key, "tenant", tenant))
		b.Page(a).Says("This form belongs to another business, and you are now logged in as Globex.")
		assert.Thatf(t, !strings.Contains(a.Body, "Initech"), "%s: %v", tenant, a)
	}
	b.WantRows(sitetest.Rows{})
}

// TestEveryPostIsBoundToItsTenant sends each POST of a person, except logins and logouts.
func TestEveryPostIsBoundToItsTenant(t *testing.T) {
	b := setup(t)
	person := b.Person(b.Replica, b.Globex)
	tried := 0
	for _, route := range b.Routes {
		if route.Method != http.MethodPost || route.Public() || strings.HasPrefix(route.Path, "/api/") || route.Repeat == web.Read {
			continue
		}
		// The lab stores nothing for a tenant, and TestInstallation tries the form of admins.
		if strings.HasPrefix(route.Path, "/lab") || strings.HasPrefix(route.Path, "/installation") {
			continue
		}
		form := sitetest.Change(customercases.Customers().Command, "idempotency_key", sitetest.Key, "action", "add_line", "tenant",
			b.Acme.ID.String())
		a := person.Submit(route.Path, form)
		assert.Thatf(t, a.Status == http.StatusConflict, "%s: %v", route.Path, a)
		tried++
	}
	assert.Thatf(t, tried >= 3, "only %d routes", tried)
	b.WantRows(sitetest.Rows{})
}

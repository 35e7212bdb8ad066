package customerpages_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

// TestEventsOfACustomer: the pages show the same events as the API, and another list's cursor is refused.
func TestEventsOfACustomer(t *testing.T) {
	b := sitetest.Setup(t)
	api, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	path := newCustomer(b, api, "Ada")
	a := person.Get(strings.TrimPrefix(path, "/api/v1"))
	must.Holdf(t, !strings.Contains(a.Body, "/events"), "the page leads to more events than there are")
	for _, verb := range []string{"archive", "archive", "restore"} {
		api.Post(path+"/"+verb, "").Want(t, http.StatusOK)
	}
	got := b.Events(api, path, 3)
	if len(got) != 4 || got[1] != "customer.archive unchanged" || got[3] != "customer.upsert created under create ada@example.com" ||
		!strings.HasPrefix(got[0], "customer.restore changed archived_at [") || !strings.HasSuffix(got[0], "null]") {
		t.Errorf("%q", got)
	}
	var shown []string
	for _, page := range []string{"/events?limit=3", ""} {
		if page == "" {
			page = "/events?limit=3&cursor=" + sitetest.Decode[struct {
				Next string `json:"next_cursor"`
			}](b, api.Get(path+"/events?limit=3")).Next
		}
		shown = append(shown, b.History(person, path+page)...)
	}
	want := []string{"Restored", "Archived again: nothing changed", "Archived", "Created once"}
	must.Holdf(t, slices.Equal(shown, want), "%q", shown)

	for _, bad := range []string{"cursor=x", "limit=0", "cursor=" + sitetest.Decode[struct {
		Next string `json:"next_cursor"`
	}](b, api.Get(path+"/events?limit=1")).Next[1:]} {
		api.Get(path+"/events?"+bad).Want(t, http.StatusUnprocessableEntity, bad)
		person.Get(strings.TrimPrefix(path, "/api/v1")+"/events?"+bad).Want(t, http.StatusNotFound, bad)
	}
	b.Program(b.Replica, b.Globex).Get(path+"/events").Want(t, http.StatusNotFound, "another tenant")
}

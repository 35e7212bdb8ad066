package customerpages_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

// TestHistory: the page of a record lists its changes by all actors, newest first.
func TestHistory(t *testing.T) {
	b := sitetest.Setup(t)
	api, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	path := newCustomer(b, api, "Ada")
	newCustomer(b, api.With("Idempotency-Key", "create again"), "Ada")
	edit(b, api, path, "ada@example.com", "Ada King")
	edit(b, api, path, "king@example.com", "Ada <King>")
	edit(b, api, path, "king@example.com", "Ada <King>")
	for _, verb := range []string{"archive", "archive", "restore"} {
		api.Post(path+"/"+verb, "").Want(t, http.StatusOK)
	}

	want := []string{
		"Restored",
		"Archived again: nothing changed",
		"Archived",
		"Saved without a change",
		"Email changed from ada@example.com to king@example.com Name changed from Ada King to Ada <King>",
		"Name changed from Ada to Ada King",
		"Created again: the existing one was kept",
		"Created once",
	}
	got := b.History(person, path)
	must.Holdf(t, slices.Equal(got, want), "the history is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	b.Page(person.Get(strings.TrimPrefix(path, "/api/v1"))).Says("Idempotency key create ada@example.com", "Version 5")
}

// newCustomer creates ada@example.com by the API and returns its path there.
func newCustomer(b *sitetest.Bundle, api *sitetest.Client, name string) string {
	b.Helper()
	if api.Header.Get("Idempotency-Key") == "" {
		api = api.With("Idempotency-Key", "create ada@example.com")
	}
	a := api.Post("/api/v1/customers", fmt.Sprintf(`{"email": "ada@example.com", "name": %q}`, name))
	if a.Status != http.StatusCreated && a.Status != http.StatusOK {
		b.Fatal(a)
	}
	return "/api/v1/customers/" + sitetest.Decode[struct{ ID string }](b, a).ID
}

// edit changes the current version of the customer.
func edit(b *sitetest.Bundle, api *sitetest.Client, path, email, name string) {
	b.Helper()
	api = api.With("If-Match", api.Get(path).Header.Get("ETag"))
	a := api.Must(api.Send(b.Context(), http.MethodPut, path, fmt.Sprintf(`{"email": %q, "name": %q}`, email, name)))
	a.Want(b, http.StatusOK)
}

package site_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestHistory: the page of a record lists its changes by all actors, newest first.
func TestHistory(t *testing.T) {
	b := setup(t)
	api, person := b.program(b.replica, b.acme), b.person(b.replica, b.acme)
	path := b.newCustomer(api, "Ada")
	b.newCustomer(api.with("Idempotency-Key", "create again"), "Ada")
	b.edit(api, path, "ada@example.com", "Ada King")
	b.edit(api, path, "king@example.com", "Ada <King>")
	b.edit(api, path, "king@example.com", "Ada <King>")
	for _, verb := range []string{"archive", "archive", "restore"} {
		if a := api.post(path+"/"+verb, ""); a.status != http.StatusOK {
			t.Fatal(a)
		}
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
	if got := b.history(person, path); !slices.Equal(got, want) {
		t.Errorf("the history is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	b.page(person.get(strings.TrimPrefix(path, "/api/v1"))).says("Idempotency key create ada@example.com", "Version 5")
}

// newCustomer creates ada@example.com by the API and returns its path there.
func (b *bundle) newCustomer(api *client, name string) string {
	b.Helper()
	if api.header.Get("Idempotency-Key") == "" {
		api = api.with("Idempotency-Key", "create ada@example.com")
	}
	a := api.post("/api/v1/customers", fmt.Sprintf(`{"email": "ada@example.com", "name": %q}`, name))
	if a.status != http.StatusCreated && a.status != http.StatusOK {
		b.Fatal(a)
	}
	return "/api/v1/customers/" + decode[struct{ ID string }](b, a).ID
}

// edit changes the current version of the customer.
func (b *bundle) edit(api *client, path, email, name string) {
	b.Helper()
	api = api.with("If-Match", api.get(path).header.Get("ETag"))
	a := api.must(api.send(b.Context(), http.MethodPut, path, fmt.Sprintf(`{"email": %q, "name": %q}`, email, name)))
	if a.status != http.StatusOK {
		b.Fatal(a)
	}
}

// history returns the entries on the page of a record, without the actor and time at their ends.
func (b *bundle) history(person *client, path string) (entries []string) {
	b.Helper()
	ends := regexp.MustCompile(` token test, \d+ \w+ \d{4}, \d\d:\d\d UTC$`)
	p := b.page(person.get(strings.TrimPrefix(path, "/api/v1")))
	for _, section := range all(p.root, "section") {
		if class, _ := attr(section, "class"); !strings.Contains(class, "history") {
			continue
		}
		for _, item := range all(section, "li") {
			entry := text(item)
			if !ends.MatchString(entry) {
				b.Errorf("%q does not say who did it and when", entry)
			}
			entries = append(entries, ends.ReplaceAllString(entry, ""))
		}
	}
	return entries
}

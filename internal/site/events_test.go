package site_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// event is an entry of a record's history, as the API shows it.
type event struct {
	At, Actor, Operation, What, Key string
	Changes                         []struct {
		Field    string
		From, To any
	}
}

// String returns the event in one line: its operation, sentence, key and changes.
func (e event) String() string {
	said := []string{e.Operation, e.What}
	if e.Key != "" {
		said = append(said, "under "+e.Key)
	}
	for _, c := range e.Changes {
		text := encode([]any{c.From, c.To})
		if len(text) > 60 || e.Operation != "customer.restore" && strings.HasSuffix(c.Field, "_at") {
			text = "…"
		}
		said = append(said, c.Field+" "+text)
	}
	return strings.Join(said, " ")
}

// events reads the whole history of a record in pages of a size, forward and then back, and returns it as text.
func (b *bundle) events(api *client, path string, limit int) (said []string) {
	b.Helper()
	type page struct {
		Events []event
		Next   string `json:"next_cursor"`
		Prev   string `json:"prev_cursor"`
	}
	read := func(cursor string) page {
		b.Helper()
		a := api.get(fmt.Sprintf("%s/events?limit=%d&cursor=%s", path, limit, cursor))
		if a.status != http.StatusOK {
			b.Fatal(a)
		}
		return decode[page](b, a)
	}
	var forward, back []event
	p := read("")
	forward = slices.Clone(p.Events)
	for p.Next != "" {
		p = read(p.Next)
		forward = append(forward, p.Events...)
	}
	back = slices.Clone(p.Events)
	for p.Prev != "" {
		p = read(p.Prev)
		back = append(slices.Clone(p.Events), back...)
	}
	if encode(forward) != encode(back) {
		b.Errorf("forward %v\nback %v", forward, back)
	}
	for i, e := range forward {
		if e.Actor != "token test" || e.At == "" || i > 0 && e.At > forward[i-1].At {
			b.Errorf("%d: %+v", i, e)
		}
		said = append(said, e.String())
	}
	return said
}

// TestEventsOfACustomer: the pages show the same events as the API, and another list's cursor is refused.
func TestEventsOfACustomer(t *testing.T) {
	b := setup(t)
	api, person := b.program(b.replica, b.acme), b.person(b.replica, b.acme)
	path := b.newCustomer(api, "Ada")
	if a := person.get(strings.TrimPrefix(path, "/api/v1")); strings.Contains(a.body, "/events") {
		t.Error("the page leads to more events than there are")
	}
	for _, verb := range []string{"archive", "archive", "restore"} {
		if a := api.post(path+"/"+verb, ""); a.status != http.StatusOK {
			t.Fatal(a)
		}
	}
	got := b.events(api, path, 3)
	if len(got) != 4 || got[1] != "customer.archive unchanged" || got[3] != "customer.upsert created under create ada@example.com" ||
		!strings.HasPrefix(got[0], "customer.restore changed archived_at [") || !strings.HasSuffix(got[0], "null]") {
		t.Errorf("%q", got)
	}
	var shown []string
	for _, page := range []string{"/events?limit=3", ""} {
		if page == "" {
			page = "/events?limit=3&cursor=" + decode[struct {
				Next string `json:"next_cursor"`
			}](b, api.get(path+"/events?limit=3")).Next
		}
		shown = append(shown, b.history(person, path+page)...)
	}
	want := []string{"Restored", "Archived again: nothing changed", "Archived", "Created once"}
	if !slices.Equal(shown, want) {
		t.Errorf("%q", shown)
	}

	for _, bad := range []string{"cursor=x", "limit=0", "cursor=" + decode[struct {
		Next string `json:"next_cursor"`
	}](b, api.get(path+"/events?limit=1")).Next[1:]} {
		if a := api.get(path + "/events?" + bad); a.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %v", bad, a)
		}
		if a := person.get(strings.TrimPrefix(path, "/api/v1") + "/events?" + bad); a.status != http.StatusNotFound {
			t.Errorf("%s: %v", bad, a)
		}
	}
	if a := b.program(b.replica, b.globex).get(path + "/events"); a.status != http.StatusNotFound {
		t.Errorf("another tenant: %v", a)
	}
}

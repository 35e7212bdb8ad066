package customerpages_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"onlyonce/internal/assert"
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
	assert.Thatf(t, slices.Equal(got, want), "the history is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	b.Page(person.Get(strings.TrimPrefix(path, "/api/v1"))).Says("Idempotency key create ada@example.com", "Version 5")
}

// newCustomer creates ada@example.com by the API and returns its path there.
func newCustomer(b *sitetest.Bundle, api *sitetest.Client, name string) string {
	b.Helper()
	if api.Header.Get("Idempotency-Key") == "" {
		api = api.With("Idempotency-Key", "create ada@example.com")
	}
	a := api.Post("/api/v1/customers", fmt.Sprintf(`{"email": "ada@example.com", "name": %q}`, name))
	must.Thatf(b, a.Status == http.StatusCreated || a.Status == http.StatusOK, "%v", a)
	return "/api/v1/customers/" + sitetest.Decode[struct{ ID string }](b, a).ID
}

// edit changes the current version of the customer.
func edit(b *sitetest.Bundle, api *sitetest.Client, path, email, name string) {
	b.Helper()
	api = api.With("If-Match", api.Get(path).Header.Get("ETag"))
	a := api.Must(api.Send(b.Context(), http.MethodPut, path, fmt.Sprintf(`{"email": %q, "name": %q}`, email, name)))
	a.Want(b, http.StatusOK)
}

// TestEventsOfACustomer: the pages show the same events as the API, and another list's cursor is refused.
func TestEventsOfACustomer(t *testing.T) {
	b := sitetest.Setup(t)
	api, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	path := newCustomer(b, api, "Ada")
	a := person.Get(strings.TrimPrefix(path, "/api/v1"))
	assert.Thatf(t, !strings.Contains(a.Body, "/events"), "the page leads to more events than there are")
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
	assert.Thatf(t, slices.Equal(shown, want), "%q", shown)

	for _, bad := range []string{"cursor=x", "limit=0", "cursor=" + sitetest.Decode[struct {
		Next string `json:"next_cursor"`
	}](b, api.Get(path+"/events?limit=1")).Next[1:]} {
		api.Get(path+"/events?"+bad).Want(t, http.StatusUnprocessableEntity, bad)
		person.Get(strings.TrimPrefix(path, "/api/v1")+"/events?"+bad).Want(t, http.StatusUnprocessableEntity, bad)
	}
	b.Program(b.Replica, b.Globex).Get(path+"/events").Want(t, http.StatusNotFound, "another tenant")
}

func TestEditsOfOtherFieldsAreBothKept(t *testing.T) {
	b := sitetest.Setup(t)
	e := b.Opened(newCustomer(b, b.Program(b.Replica, b.Acme), "Ada"))
	e.Save(e.First, "first", "name", "Ada King", "address", "1 Lane\nLondon")
	refused := b.Page(e.Save(e.Second, "second", "tax_id", "HRB 1", "address", "1 Lane\r\nLondon"))
	refused.Says("You changed different fields, so your form now has both changes.", "Name Changed by them", "Tax ID Changed by you")
	assert.Thatf(t, !strings.Contains(refused.Text(), "Changed by both"),
		"the same text with other line ends is taken for another one: %s", refused.Text())
	again := sitetest.Change(e.Form.Typed(), "idempotency_key", "third", "version", "2", "name", "Ada Lovelace", "address",
		"1 Lane\nLondon")
	e.First.Submit(e.Path+"/edit", again) // between the question and the answer, so the form asks again
	refused = b.Page(e.Second.Press(refused, "Save both")).Says("was changed while you were editing.", "Name Changed by them")
	saved := b.Page(e.Second.Get(e.Second.Press(refused, "Save both").Location()))
	saved.Says("Ada Lovelace", "HRB 1", "1 Lane")
}

// TestTwoMakeTheSameEdit: the second form has nothing to save.
func TestTwoMakeTheSameEdit(t *testing.T) {
	b := sitetest.Setup(t)
	e := b.Opened(newCustomer(b, b.Program(b.Replica, b.Acme), "Ada"))
	e.Save(e.First, "first", "name", "Ada King")
	saved := e.Save(e.Second, "second", "name", "Ada King")
	b.Page(e.Second.Get(saved.Location())).Says("Nothing to save: Ada King was already like this.")
}

func TestEditsOfOneFieldAreAsked(t *testing.T) {
	for keeps, want := range map[bool]string{true: "Ada King", false: "Ada Byron"} {
		t.Run(strconv.FormatBool(keeps), func(t *testing.T) {
			b := sitetest.Setup(t)
			e := b.Opened(newCustomer(b, b.Program(b.Replica, b.Acme), "Ada"))
			e.Save(e.First, "first", "name", "Ada King", "country", "DE")
			refused := b.Page(e.Save(e.Second, "second", "name", "Ada Byron", "tax_id", "HRB 1"))
			refused.Says("You both changed the same fields.", "Name Changed by both", "Country Changed by them")
			form := refused.Typed()
			if keeps {
				form.Set("keep_saved", "name")
			}
			first := e.Second.Submit(e.Path+"/edit", form)
			b.Page(e.Second.Get(first.Location())).Says(want, "Germany", "HRB 1")
			again := e.Second.Submit(e.Path+"/edit", form) // the same choice, sent twice
			assert.Thatf(t, again.Status == http.StatusSeeOther && again.Location() == first.Location(), "sent again: %s", again)
		})
	}
}

// TestNobodyKnowsWhatWasSeen: if the history in between is missing, the form asks about every difference.
func TestNobodyKnowsWhatWasSeen(t *testing.T) {
	b := sitetest.Setup(t)
	e := b.Opened(newCustomer(b, b.Program(b.Replica, b.Acme), "Ada"))
	b.Exec(`UPDATE customers SET name = 'Ada King' WHERE email = 'ada@example.com'`)
	refused := b.Page(e.Save(e.Second, "second", "tax_id", "HRB 1"))
	refused.Says("Name Changed by both", "Tax ID Changed by both")
	assert.Equal(t, refused.Typed().Get("name"), "Ada", "the form has")
}

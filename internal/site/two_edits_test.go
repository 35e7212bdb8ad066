package site_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// Two people edit a record, each in another form: a field that only one person changed is kept, and the form asks about a
// field that both changed. TestEveryCheck/FormsChangeNothingByThemselves checks for every resource that an untouched field is never
// reverted.

// twoEdits are a record and two people who have opened its form.
type twoEdits struct {
	*bundle

	first, second *client
	form          page
	path          string
}

// opened returns two people who have opened the form of a record.
func (b *bundle) opened(path string) twoEdits {
	b.Helper()
	path = strings.TrimPrefix(path, "/api/v1")
	e := twoEdits{b, b.person(b.replica, b.acme), b.person(b.replica, b.acme), page{}, path}
	e.form = b.page(e.second.get(e.second.get(path + "/edit").location()))
	return e
}

// save sends the form as it was opened, with some fields changed.
func (e twoEdits) save(who *client, key string, changes ...string) answer {
	e.Helper()
	form := change(e.form.typed(), append(changes, "idempotency_key", key)...)
	return who.submit(e.path+"/edit", form)
}

func TestEditsOfOtherFieldsAreBothKept(t *testing.T) {
	b := setup(t)
	e := b.opened(b.newCustomer(b.program(b.replica, b.acme), "Ada"))
	e.save(e.first, "first", "name", "Ada King", "address", "1 Lane\nLondon")
	refused := b.page(e.save(e.second, "second", "tax_id", "DE1", "address", "1 Lane\r\nLondon"))
	refused.says("You changed different fields, so your form now has both changes.", "Name Changed by them", "Tax ID Changed by you")
	if strings.Contains(refused.text(), "Changed by both") {
		t.Errorf("the same text with other line ends is taken for another one: %s", refused.text())
	}
	again := change(e.form.typed(), "idempotency_key", "third", "version", "2", "name", "Ada Lovelace", "address", "1 Lane\nLondon")
	e.first.submit(e.path+"/edit", again) // between the question and the answer, so the form asks again
	refused = b.page(e.second.press(refused, "Save both")).says("was changed while you were editing.", "Name Changed by them")
	saved := b.page(e.second.get(e.second.press(refused, "Save both").location()))
	saved.says("Ada Lovelace", "DE1", "1 Lane")
}

// TestTwoMakeTheSameEdit: the second form has nothing to save.
func TestTwoMakeTheSameEdit(t *testing.T) {
	b := setup(t)
	e := b.opened(b.newCustomer(b.program(b.replica, b.acme), "Ada"))
	e.save(e.first, "first", "name", "Ada King")
	saved := e.save(e.second, "second", "name", "Ada King")
	b.page(e.second.get(saved.location())).says("Nothing to save: Ada King was already like this.")
}

func TestEditsOfOneFieldAreAsked(t *testing.T) {
	for keeps, want := range map[bool]string{true: "Ada King", false: "Ada Byron"} {
		t.Run(strconv.FormatBool(keeps), func(t *testing.T) {
			b := setup(t)
			e := b.opened(b.newCustomer(b.program(b.replica, b.acme), "Ada"))
			e.save(e.first, "first", "name", "Ada King", "country", "DE")
			refused := b.page(e.save(e.second, "second", "name", "Ada Byron", "tax_id", "DE1"))
			refused.says("You both changed the same fields.", "Name Changed by both", "Country Changed by them")
			form := refused.typed()
			if keeps {
				form.Set("keep_saved", "name")
			}
			first := e.second.submit(e.path+"/edit", form)
			b.page(e.second.get(first.location())).says(want, "Germany", "DE1")
			again := e.second.submit(e.path+"/edit", form) // the same choice, sent twice
			if again.status != http.StatusSeeOther || again.location() != first.location() {
				t.Errorf("sent again: %s", again)
			}
		})
	}
}

// TestNobodyKnowsWhatWasSeen: if the history in between is missing, the form asks about every difference.
func TestNobodyKnowsWhatWasSeen(t *testing.T) {
	b := setup(t)
	e := b.opened(b.newCustomer(b.program(b.replica, b.acme), "Ada"))
	b.exec(`UPDATE customers SET name = 'Ada King' WHERE email = 'ada@example.com'`)
	refused := b.page(e.save(e.second, "second", "tax_id", "DE1"))
	refused.says("Name Changed by both", "Tax ID Changed by both")
	if name := refused.typed().Get("name"); name != "Ada" {
		t.Errorf("the form has %q", name)
	}
}

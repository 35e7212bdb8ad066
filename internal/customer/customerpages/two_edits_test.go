package customerpages_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

func TestEditsOfOtherFieldsAreBothKept(t *testing.T) {
	b := sitetest.Setup(t)
	e := b.Opened(newCustomer(b, b.Program(b.Replica, b.Acme), "Ada"))
	e.Save(e.First, "first", "name", "Ada King", "address", "1 Lane\nLondon")
	refused := b.Page(e.Save(e.Second, "second", "tax_id", "DE1", "address", "1 Lane\r\nLondon"))
	refused.Says("You changed different fields, so your form now has both changes.", "Name Changed by them", "Tax ID Changed by you")
	must.Holdf(t, !strings.Contains(refused.Text(), "Changed by both"),
		"the same text with other line ends is taken for another one: %s", refused.Text())
	again := sitetest.Change(e.Form.Typed(), "idempotency_key", "third", "version", "2", "name", "Ada Lovelace", "address",
		"1 Lane\nLondon")
	e.First.Submit(e.Path+"/edit", again) // between the question and the answer, so the form asks again
	refused = b.Page(e.Second.Press(refused, "Save both")).Says("was changed while you were editing.", "Name Changed by them")
	saved := b.Page(e.Second.Get(e.Second.Press(refused, "Save both").Location()))
	saved.Says("Ada Lovelace", "DE1", "1 Lane")
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
			refused := b.Page(e.Save(e.Second, "second", "name", "Ada Byron", "tax_id", "DE1"))
			refused.Says("You both changed the same fields.", "Name Changed by both", "Country Changed by them")
			form := refused.Typed()
			if keeps {
				form.Set("keep_saved", "name")
			}
			first := e.Second.Submit(e.Path+"/edit", form)
			b.Page(e.Second.Get(first.Location())).Says(want, "Germany", "DE1")
			again := e.Second.Submit(e.Path+"/edit", form) // the same choice, sent twice
			must.Holdf(t, again.Status == http.StatusSeeOther && again.Location() == first.Location(), "sent again: %s", again)
		})
	}
}

// TestNobodyKnowsWhatWasSeen: if the history in between is missing, the form asks about every difference.
func TestNobodyKnowsWhatWasSeen(t *testing.T) {
	b := sitetest.Setup(t)
	e := b.Opened(newCustomer(b, b.Program(b.Replica, b.Acme), "Ada"))
	b.Exec(`UPDATE customers SET name = 'Ada King' WHERE email = 'ada@example.com'`)
	refused := b.Page(e.Save(e.Second, "second", "tax_id", "DE1"))
	refused.Says("Name Changed by both", "Tax ID Changed by both")
	must.Equal(t, refused.Typed().Get("name"), "Ada", "the form has")
}

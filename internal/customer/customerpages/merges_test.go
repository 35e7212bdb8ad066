package customerpages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

// TestMergedCustomerLeadsToTheWinner: its address redirects in both formats, its page names the winner, and an edit is refused
// with a link.
func TestMergedCustomerLeadsToTheWinner(t *testing.T) {
	b := sitetest.Setup(t)
	person, program := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme)
	b.Refer(customercases.Merges(), b.Acme)
	before := program.Get("/api/v1/customers/" + sitetest.Second)
	b.Page(person.Get("/duplicates")).Says("No duplicates")
	merge := b.Prepared(b.Acme, "merge", customercases.Merges(), customercases.Merges().Command)

	led := person.Get("/customers/" + sitetest.Second)
	must.Thatf(t, led.Status == http.StatusSeeOther && led.Location() == "/customers/"+sitetest.Referred, "%v", led)
	b.Page(person.Get(led.Location())).Says("Grace 1", "Grace 2 into Grace 1").LeadsTo("/merges/" + merge.ID)
	a := program.Get("/api/v1/customers/" + sitetest.Second)
	type customer struct {
		ID         string
		MergedFrom []struct{ ID, Name string } `json:"merged_from"`
	}
	got := sitetest.Decode[customer](b, a)
	assert.Thatf(t, a.Status == http.StatusOK && got.ID == sitetest.Referred && len(got.MergedFrom) == 1 &&
		got.MergedFrom[0].ID == sitetest.Second && a.Header.Get("Content-Location") == "/api/v1/customers/"+sitetest.Referred, "%v", a)

	for _, version := range []string{"1", "2"} { // the seen version, and the current one
		form := sitetest.Change(customercases.Customers().Other, "idempotency_key", "edit "+version, "version", version)
		b.Page(person.Submit("/customers/"+sitetest.Second+"/edit", form)).
			Says("Grace 2 was merged into Grace 1.").
			LeadsTo("/customers/" + sitetest.Referred)
	}
	b.Page(person.Get("/customers/" + sitetest.Second + "/edit?key=fresh")).Says("Grace 2 was merged into Grace 1.")
	for _, tag := range []string{`"v1"`, `"v2"`, ""} {
		refused := program.With("Idempotency-Key", "edit")
		if tag != "" {
			refused = refused.With("If-Match", tag)
		}
		a = program.Must(
			refused.Send(t.Context(), http.MethodPut, "/api/v1/customers/"+sitetest.Second,
				customercases.Customers().API.Encode(customercases.Customers().Other)),
		)
		p := sitetest.Decode[sitetest.Problem](b, a)
		assert.Thatf(t, a.Status == http.StatusConflict && p.ExistingID == sitetest.Referred, "%s: %v", tag, a)
	}
	loser := sitetest.Change(customercases.Customers().Command, "email", "grace2@example.com", "name", "Grace 2", "tax_id", "")
	again := b.Prepared(b.Acme, "again", customercases.Customers(), loser)
	assert.Thatf(t, again.ID == sitetest.Referred, "the email leads to %+v", again)

	b.Page(person.Get("/merges/"+merge.ID)).Says("Grace 2 into Grace 1", "Can be undone until")
	undone := person.Submit("/merges/"+merge.ID+"/undo", url.Values{"idempotency_key": {"undo"}})
	b.Page(person.Get(undone.Location())).Says("Merge Grace 2 into Grace 1 undone.")
	after := program.Get("/api/v1/customers/" + sitetest.Second)
	assert.Equal(t, strings.ReplaceAll(after.Body, `"version":3`, `"version":1`), before.Body)
}

// TestMergeFormShowsWhatIsThere: the customers are side by side, with the records to be moved, and the oldest is selected. If
// they have changed, the form shows the changes, and is sent again.
func TestMergeFormShowsWhatIsThere(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	b.Refer(customercases.Merges(), b.Acme)
	b.Exec(`UPDATE customers SET name = 'GRACE-1' WHERE id = $1`, sitetest.Second)
	p := b.Page(person.Get("/duplicates")).Says("Same name", "GRACE-1")
	p.LeadsTo("/merges/new?customers=" + sitetest.Referred + "+" + sitetest.Second)
	opened := person.Get(person.Get("/merges/new?customers=" + sitetest.Referred + "+" + sitetest.Second).Location())
	p = b.Page(opened).Says("The one that stays", "Refers to it nothing")
	typed := p.Typed()
	assert.Thatf(t, typed.Get("winner_id") == sitetest.Referred, "%v", typed)
	b.Exec(`UPDATE customers SET address = 'Moved' WHERE id = $1`, sitetest.Second)
	refused := person.Submit("/merges", typed)
	p = b.Page(refused).Says("GRACE-1 has changed since you opened this form.", "Moved")
	refused.Want(t, http.StatusConflict)
	person.Press(p, "Merge customers").Want(t, http.StatusSeeOther)
	b.Page(person.Get("/duplicates")).Says("No duplicates")
}

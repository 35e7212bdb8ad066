package customerpages_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

// personal returns the command for a customer, with zqxjv in each field that identifies a person.
func personal(email string) url.Values {
	return sitetest.Change(customercases.Customers().Command, "email", email, "name", "Zqxjv Lovelace", "address", "1 Zqxjv Street",
		"tax_id", "GBZQXJV1", "contact", "Zqxjv's desk", "reference", "ZQXJV-1", "copies_to", "zqxjv@example.net",
		"source", "Zqxjv", "external_id", "zqxjv "+email)
}

// TestErasedCustomer: nothing of a person is left in any column, and the customer can't be found, changed, merged or separated.
func TestErasedCustomer(t *testing.T) {
	b := sitetest.Setup(t)
	person, member, program := b.Person(b.Replica, b.Acme), b.Person(b.Replica, b.Member(b.Acme)), b.Program(b.Replica, b.Acme)
	customers := customercases.Customers()
	ada := b.Prepared(b.Acme, "ada", customers, personal("zqxjv@example.com"))
	twin := b.Prepared(b.Acme, "twin", customers, personal("twin.zqxjv@example.com"))
	other := b.Prepared(b.Acme, "other", customers, customers.Other)
	page := "/customers/" + ada.ID
	edit := sitetest.Change(personal("zqxjv@example.org"), "idempotency_key", "edit", "version", "1")
	if a := person.Submit(page+"/edit", edit); a.Location() != page {
		t.Fatal(a)
	}
	merge := b.Prepared(b.Acme, "merge", customercases.Merges(),
		url.Values{"customers": {ada.ID + "@2 " + twin.ID + "@1"}, "winner_id": {ada.ID}})
	for _, column := range []string{
		"customers.email", "customers.contact", "customers.reference", "customers.copies_to", "customers.external_id", "customers.source",
		"customer_words.word", "intents.changes", "intents.result",
	} {
		before := b.ColumnsWith("zqxjv")
		assert.Thatf(t, slices.Contains(before, column), "zqxjv is not in %s, only in %v", column, before)
	}

	form := page + "/erasures/new"
	b.Page(person.Get(form + "?key=early")).Says("This customer isn't archived.")
	program.With("Idempotency-Key", "archive").Post("/api/v1"+page+"/archive", "").Want(t, http.StatusOK)
	if a := member.Get(page); strings.Contains(a.Body, "Erase") {
		t.Error("a member sees the way to the erasure")
	}
	for _, a := range []sitetest.Answer{
		member.Get(form), member.Submit(page+"/erasures", url.Values{"idempotency_key": {"member"}}),
	} {
		a.Want(t, http.StatusForbidden, "a member")
	}
	b.Page(person.Get("/customers/" + twin.ID + "/erasures/new?key=twin")).Says("Zqxjv Lovelace was merged into Zqxjv Lovelace.")
	b.Page(person.Get(page)).LeadsTo(form)
	asks := b.Page(person.Get(person.Get(form).Location())).Says("Zqxjv Lovelace", "This can't be undone")
	erased := person.Press(asks, "Erase for good")
	erased.Want(t, http.StatusSeeOther)
	b.Page(person.Get(erased.Location())).Says("The personal data of this customer was erased.", "Erased customer").LeadsTo(page)
	left := b.ColumnsWith("zqxjv")
	assert.Thatf(t, len(left) == 0, "zqxjv is left in %v", left)

	shown := b.Page(person.Get(page)).Says("Erased customer", "Personal data erased", "can't be used any more")
	if text := shown.Text(); strings.Contains(text, "Restore") || strings.Contains(text, "Edit") || strings.Contains(text, "Erase…") {
		t.Errorf("an erased customer can be changed: %s", text)
	}
	for _, path := range []string{
		"/customers?archived=1&q=zqxjv", "/customers?archived=1&q=lovelace", "/customers",
		"/customers/" + twin.ID + "/events", page + "/events",
		"/merges/" + merge.ID,
	} {
		a := person.Get(path)
		assert.Thatf(t, a.Status == http.StatusOK && !strings.Contains(strings.ReplaceAll(a.Body, "q=zqxjv", ""), "Zqxjv"),
			"%s: %v", path, a)
	}
	b.Page(person.Get("/customers?archived=1")).Says("Erased customer")
	b.Page(person.Get("/duplicates")).Says("No duplicates")
	if a := program.Get("/api/v1" + page); !strings.Contains(a.Body, `"erased_at"`) {
		t.Error(a)
	}
	a := program.With("Idempotency-Key", "ada").Post("/api/v1/customers", customers.API.Encode(personal("zqxjv@example.com")))
	assert.Thatf(t, a.Status < 300 && !strings.Contains(strings.ToLower(a.Body), "zqxjv"), "the create is repeated: %v", a)

	seen := func(id string) string {
		return id + "@" + sitetest.Get[string](b, `SELECT version::text FROM customers WHERE id = $1`, id)
	}
	before := b.Everything()
	for path, form := range map[string]url.Values{
		page + "/edit":                  sitetest.Change(customers.Other, "version", "4"),
		page + "/restore":               {},
		"/merges/" + merge.ID + "/undo": {},
		"/merges":                       {"customers": {seen(ada.ID) + " " + seen(other.ID)}, "winner_id": {ada.ID}},
	} {
		refused := person.Submit(path, sitetest.Change(form, "idempotency_key", "refused"))
		b.Page(refused).Says("The personal data of this customer was erased.")
	}
	sitetest.WantUnchanged(b, "refused changes", before, b.Everything())

	again := person.Submit(page+"/erasures", url.Values{"idempotency_key": {"again"}})
	b.Page(person.Get(again.Location())).Says("was already erased. Nothing was changed.")
	assert.Thatf(t, again.Location() == erased.Location(), "erased twice: %s and %s", erased.Location(), again.Location())
	next := b.Prepared(b.Acme, "next", customers, personal("zqxjv@example.com"))
	assert.Thatf(t, next.ID != ada.ID && next.ID != twin.ID, "a new customer is the erased one")
}

// TestHolderOfAnEmailMovesOn: another customer has the email when a change to it is refused, and no longer has it when the
// server looks up the owner. The changed record exists, so 404 would be false, and a program would never try again: the change
// is done.
//
// The test depends on the order of PostgreSQL's lock queue: the change waits for the holder's open transaction, and a lock on
// the table waits behind the change. It is granted between the refusal and the look-up.
func TestHolderOfAnEmailMovesOn(t *testing.T) {
	b := sitetest.Setup(t)
	holder := b.Prepared(b.Acme, "holder", customercases.Customers(), customercases.Customers().Command)
	grace := b.Prepared(b.Acme, "grace", customercases.Customers(), customercases.Customers().Other)
	open, err := b.Admin.Begin(t.Context())
	must.OK(t, err)
	defer open.Rollback(t.Context())
	if _, err := open.Exec(t.Context(), `UPDATE customers SET email = 'open@example.com' WHERE id = $1`, holder.ID); err != nil {
		t.Fatal(err)
	}
	answered := make(chan sitetest.Answer, 1)
	go func() {
		change := sitetest.Change(customercases.Customers().Other, "email", customercases.Customers().Command.Get("email"), "name",
			customercases.Customers().Command.Get("name"))
		asked := b.Program(b.Replica, b.Acme).With("Idempotency-Key", sitetest.Key).With("If-Match", `"v1"`)
		body := strings.TrimSuffix(customercases.Customers().API.Encode(change), "}") + `, "same_email": true}`
		a, err := asked.Send(t.Context(), http.MethodPut, "/api/v1/customers/"+grace.ID, body)
		assert.Thatf(t, err == nil, "%v", err)
		answered <- a
	}()
	b.Waiting(1)
	moved := make(chan error, 1)
	go func() {
		_, err := b.Admin.Exec(t.Context(), `
			LOCK TABLE customers IN ACCESS EXCLUSIVE MODE;
			UPDATE customers SET email = 'moved@example.com' WHERE email = 'ada@example.com'`)
		moved <- err
	}()
	must.Until(b, "the table is about to be locked", func() bool {
		return sitetest.Get[bool](b, `SELECT EXISTS (
			SELECT FROM pg_locks WHERE relation = 'customers'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted)`)
	})
	if err := open.Rollback(t.Context()); err != nil { // the email is taken, after all
		t.Fatal(err)
	}
	must.OK(t, <-moved)
	(<-answered).Want(t, http.StatusOK, "the change was answered")
	assert.Equal(t, sitetest.Get[int](b, `SELECT count(*) FROM customers WHERE email IN ('ada@example.com', 'moved@example.com')`),
		2, "customers with the old email and the new one")
}

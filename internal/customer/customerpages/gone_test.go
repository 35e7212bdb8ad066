package customerpages_test

import (
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

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
		must.Holdf(t, err == nil, "%v", err)
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
	must.Equal(t, sitetest.Get[int](b, `SELECT count(*) FROM customers WHERE email IN ('ada@example.com', 'moved@example.com')`),
		2, "customers with the old email and the new one")
}

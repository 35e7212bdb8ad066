package site_test

import (
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/must"
)

// TestHolderOfAnEmailMovesOn: another customer has the email when a change to it is refused, and no longer has it when the
// server looks up the owner. The changed record exists, so 404 would be false, and a program would never try again: the change
// is done.
//
// The test depends on the order of PostgreSQL's lock queue: the change waits for the holder's open transaction, and a lock on
// the table waits behind the change. It is granted between the refusal and the look-up.
func TestHolderOfAnEmailMovesOn(t *testing.T) {
	b := setup(t)
	holder := b.prepared(b.acme, "holder", customers(), customers().command)
	grace := b.prepared(b.acme, "grace", customers(), customers().other)
	open, err := b.admin.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer open.Rollback(t.Context())
	if _, err := open.Exec(t.Context(), `UPDATE customers SET email = 'open@example.com' WHERE id = $1`, holder.ID); err != nil {
		t.Fatal(err)
	}
	answered := make(chan answer, 1)
	go func() {
		change := change(customers().other, "email", customers().command.Get("email"), "name", customers().command.Get("name"))
		asked := b.program(b.replica, b.acme).with("Idempotency-Key", key).with("If-Match", `"v1"`)
		body := strings.TrimSuffix(customers().api.encode(change), "}") + `, "same_email": true}`
		a, err := asked.send(t.Context(), http.MethodPut, "/api/v1/customers/"+grace.ID, body)
		if err != nil {
			t.Error(err)
		}
		answered <- a
	}()
	b.waiting(1)
	moved := make(chan error, 1)
	go func() {
		_, err := b.admin.Exec(t.Context(), `
			LOCK TABLE customers IN ACCESS EXCLUSIVE MODE;
			UPDATE customers SET email = 'moved@example.com' WHERE email = 'ada@example.com'`)
		moved <- err
	}()
	must.Until(b, "the table is about to be locked", func() bool {
		return get[bool](b, `SELECT EXISTS (
			SELECT FROM pg_locks WHERE relation = 'customers'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted)`)
	})
	if err := open.Rollback(t.Context()); err != nil { // the email is taken, after all
		t.Fatal(err)
	}
	if err := <-moved; err != nil {
		t.Fatal(err)
	}
	if a := <-answered; a.status != http.StatusOK {
		t.Errorf("the change was answered %v", a)
	}
	if n := get[int](b, `SELECT count(*) FROM customers WHERE email IN ('ada@example.com', 'moved@example.com')`); n != 2 {
		t.Errorf("%d customers with the old email and the new one", n)
	}
}

package customerpages_test

import (
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/site/sitetest"
)

// TestExternalUpdate: a program that may not create a record again updates it with PUT, from the version that it has seen. Its
// next sync then finds its own content. Later changes by people stay.
func TestExternalUpdate(t *testing.T) {
	b := sitetest.Setup(t)
	of := customercases.Customers().Called("1")
	program, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	made := program.Create(of, "first", of.Command)
	address := made.Location()
	edited := sitetest.Change(of.Command, "name", "Ada King")
	put := func(key, tag string) sitetest.Answer {
		c := program.With("Idempotency-Key", key).With("If-Match", tag)
		return c.Must(c.Send(t.Context(), http.MethodPut, address, of.API.Encode(edited)))
	}
	program.Create(of, "edited", edited).Want(t, http.StatusConflict)
	put("stale", sitetest.ETag(2)).Want(t, http.StatusPreconditionFailed)
	if a := put("update", sitetest.ETag(1)); a.Status != http.StatusOK || !strings.Contains(a.Body, "Ada King") {
		t.Errorf("%v", a)
	}
	program.Create(of, "edited", edited).Want(t, http.StatusOK)
	program.Create(of, "outdated", of.Command).Want(t, http.StatusConflict)
	byHand := sitetest.Change(of.Command, "name", "Countess Ada", "idempotency_key", "by hand", "version", "2")
	person.Submit(strings.TrimPrefix(address, "/api/v1")+"/edit", byHand).Want(t, http.StatusSeeOther)
	if a := program.Create(of, "again", edited); a.Status != http.StatusOK || !strings.Contains(a.Body, "Countess Ada") ||
		!strings.Contains(a.Body, `"external_id":"1"`) {
		t.Errorf("%v", a)
	}
	b.WantRows(sitetest.Rows{"customers": 1, "intents": 5})
}

package e2e

import (
	"net/http"
	"testing"
)

// TestSyncBesideAPerson: a sync that runs each night finds what it created, and leaves what a person has changed since. What it says
// otherwise is refused.
func TestSyncBesideAPerson(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	ada := map[string]string{
		"email": s.email("ada"), "name": s.named("Ada Byron"), "source": "Shop", "external_id": s.mark,
	}
	page := s.post("/customers", "first night", ada)
	s.open(page)
	s.sees(s.mark + " (Shop)")
	s.takePicture("external id")
	s.edit()
	s.fill(fieldName, s.named("Ada King"))
	s.click(buttonSaveChanges)
	s.sees(saved(s.named("Ada King")))

	if again := s.post("/customers", "second night", ada); again != page {
		t.Errorf("the second night found %s, and not %s", again, page)
	}
	ada["name"] = s.named("Countess of Lovelace")
	if a := s.ask(http.MethodPost, "/customers", s.mark+" third night", ada); a.StatusCode != http.StatusConflict {
		t.Errorf("other content: %s", a.Status)
	}
	s.open(page)
	s.seesHeading(s.named("Ada King"))
	s.hasChanged("customer.edit")
	s.attempts("created", "changed", "reused", "conflict")
	s.open("/rules")
	s.sees("One customer per source and external id")
	s.takePicture("/rules")
}

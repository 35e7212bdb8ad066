package web

import (
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"onlyonce/internal/customer"
)

// TestOneNameOneOperation: intents are stored under the name for life, so two operations with one name would
// answer for each other.
func TestOneNameOneOperation(t *testing.T) {
	t.Parallel()
	s := &Server{byPattern: map[string]*registration{}}
	site := &Site{Server: s, pages: router{s: s, mux: chi.NewRouter()}}
	mounted := func(many string) *Mounted[customer.Customer] {
		return Resource[customer.Customer]{One: "customer", Many: many, Table: customer.Table}.Mount(site)
	}
	Transition(mounted("customers"), "archive", "archived", "", customer.Archive, Nothing())
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, "customer.archive") {
			t.Errorf("a name was used twice: %q", said)
		}
	}()
	Transition(mounted("people"), "archive", "archived", "", customer.Archive, Nothing())
}

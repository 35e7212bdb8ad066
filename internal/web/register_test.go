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
	s := &Server{}
	pages := router{mux: chi.NewRouter(), routes: &s.Routes}
	mounted := func(many string) *mounted[customer.Customer] {
		return mount(s, pages, pages, resource[customer.Customer]{one: "customer", many: many, table: customer.Table})
	}
	transitions(mounted("customers"), "archive", "archived", "", customer.Archive, nothing())
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, "customer.archive") {
			t.Errorf("a name was used twice: %q", said)
		}
	}()
	transitions(mounted("people"), "archive", "archived", "", customer.Archive, nothing())
}

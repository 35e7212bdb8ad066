package web

import (
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"onlyonce/internal/customer"
	"onlyonce/templates"
)

// TestRegistrationsThatWouldBeLost checks that a registration that is repeated, too late or misplaced panics at the start, as it would have
// no visible effect.
func TestRegistrationsThatWouldBeLost(t *testing.T) {
	t.Parallel()
	archive := func(m *Mounted[customer.Customer]) {
		Transition(m, "archive", "archived", "", customer.Archive, Nothing())
	}
	for name, c := range map[string]struct {
		register func(m, other *Mounted[customer.Customer])
		want     string
	}{
		// Intents are stored under the name for life, so two operations with one name would answer for each other.
		"one name for two operations": {func(m, other *Mounted[customer.Customer]) {
			archive(m)
			archive(other)
		}, "two operations have the name customer.archive"},
		"a form behind its operations": {func(m, _ *Mounted[customer.Customer]) {
			archive(m)
			m.Enter(Form[customer.Customer]{Words: &Wording{Title: "Add customer"}})
		}, "the form of customers comes too late"},
		"a question before its transition": {func(m, _ *Mounted[customer.Customer]) {
			Ask(m, "archive", customer.Archive, Question[customer.Customer]{Submit: "Archive customer"})
			archive(m)
		}, "the question before customer.archive comes too early"},
		"a text without a label": {func(m, _ *Mounted[customer.Customer]) {
			NewForm(m, customer.Input.Draft, Form[customer.Customer]{Fields: []templates.Field{{Name: "email", Value: "Email"}}})
		}, `the form of customers lacks "name" of customer.Input: add {Name: "name", Value: "its label"} to Fields`},
		"a likeness that strangers would see": {func(m, _ *Mounted[customer.Customer]) {
			m.untyped.strangers = true
			Create(m, "", customer.Upsert, Command[customer.Draft]{}, nil)
		}, "customer.upsert would show strangers the records of others"},
		"all of what belongs to no other": {func(m, _ *Mounted[customer.Customer]) {
			ListAll(m, Listing[customer.Customer]{})
		}, "customers belong to no other resource"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &Server{byPattern: map[string]*resource{}}
			site := &Site{Server: s, pages: router{s: s, mux: chi.NewRouter()}}
			mounted := func(many string) *Mounted[customer.Customer] {
				return Resource[customer.Customer]{One: "customer", Path: "/" + many, Table: customer.Table}.Mount(site)
			}
			defer func() {
				if said, _ := recover().(string); !strings.Contains(said, c.want) {
					t.Errorf("want %q, got %q", c.want, said)
				}
			}()
			c.register(mounted("customers"), mounted("people"))
		})
	}
}

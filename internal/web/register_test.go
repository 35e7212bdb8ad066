package web

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
	"onlyonce/static"
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
			Enter(m, Form[customer.Customer]{Words: &Wording{Title: "Add customer"}})
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
				said, _ := recover().(string)
				assert.Thatf(t, strings.Contains(said, c.want), "want %q, got %q", c.want, said)
			}()
			c.register(mounted("customers"), mounted("people"))
		})
	}
}

// TestEveryProblemIsDocumented: each value of type problem in the program is in the list, once, and in docs/idempotency.md.
func TestEveryProblemIsDocumented(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "problems.go", nil, 0)
	must.OK(t, err)
	defined := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for _, value := range spec.Values {
			if made, ok := value.(*ast.CompositeLit); ok {
				if kind, ok := made.Type.(*ast.Ident); ok && kind.Name == "problem" {
					defined++
				}
			}
		}
		return true
	})
	rules := must.Read(t, "../../docs/idempotency.md")
	explained := []string{ownersOnly.Slug, otherTenant.Slug, badSignature.Slug} // by rooms, see TestProblemTypesOpen
	slugs := map[string]bool{}
	for _, p := range problems() {
		silent := p.Title == "" || p.Meaning == "" || p.ToDo == ""
		if slugs[p.Slug] || p.Slug == "" || silent != slices.Contains(explained, p.Slug) || p.Status < 400 || p.Status > 599 {
			t.Errorf("%+v", p)
		}
		assert.Thatf(t, strings.Contains(rules, "`"+p.Slug+"`"), "docs/idempotency.md does not mention `%s`", p.Slug)
		slugs[p.Slug] = true
	}
	assert.Thatf(t, len(slugs) == defined && defined != 0, "%d problems are defined, and %d are documented", defined, len(slugs))
}

// TestAPlainPageShowsEveryTransition checks that each transition has a button, except for hidden ones and the ones of the
// archive.
func TestAPlainPageShowsEveryTransition(t *testing.T) {
	t.Parallel()
	assets, err := static.New()
	must.OK(t, err)
	archived := customer.Customer{ArchivedAt: time.Now()}
	for want, c := range map[string]struct {
		shown RecordPage[customer.Customer]
		found customer.Customer
	}{
		"Approve:Approving… Submit:Submitting… Pay:Saving… Archive:Archiving… Restore:Restoring…": {},
		"Submit:Submitting…": {
			shown: RecordPage[customer.Customer]{Actions: func(customer.Customer) []string { return []string{"submit"} }},
		},
		"Approve:Approving… Submit:Submitting… Pay:Saving… Archive:Archiving…": {
			shown: RecordPage[customer.Customer]{Archived: func(c customer.Customer) time.Time { return c.ArchivedAt }},
		},
		"Restore:Restoring…": {
			shown: RecordPage[customer.Customer]{Archived: func(c customer.Customer) time.Time { return c.ArchivedAt }}, found: archived,
		},
	} {
		s := &Server{byPattern: map[string]*resource{}}
		m := Resource[customer.Customer]{
			One: "customer", Path: "/customers", Table: customer.Table, Name: func(customer.Customer) string { return "Ada" },
		}.Mount(&Site{Server: s, pages: router{s: s, mux: chi.NewRouter()}})
		c.shown.Facts = func(*http.Request, customer.Customer) []templates.Fact { return nil }
		Show(m, c.shown)
		for _, verb := range [][2]string{{"approve", "approved"}, {"submit", "submitted"}, {"pay", "paid"}} {
			Transition(m, verb[0], verb[1], "", idempotency.Define(idempotency.Spec[struct{}, customer.Customer]{
				Kind: idempotency.Transition, Name: "customer." + verb[0], Table: customer.Table, Made: "true",
				Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result { return tx.Record() },
			}), Nothing())
		}
		Transition(m, "archive", "archived", "", customer.Archive, Nothing())
		Transition(m, "restore", "restored", "", customer.Restore, Nothing())

		var page strings.Builder
		member := WithCaller(httptest.NewRequest(http.MethodGet, "/customers/1", nil), Caller{Role: Member})
		view := RecordView(m, member, c.found)
		must.OK(t, templates.RecordPage(templates.Page{Asset: assets.Path}, view).Render(t.Context(), &page))
		var got []string
		for button := range strings.SplitSeq(page.String(), `<form class="action"`) {
			_, rest, _ := strings.Cut(button, `data-busy="`)
			busy, rest, _ := strings.Cut(rest, `">`)
			text, _, _ := strings.Cut(rest, "<")
			if strings.HasSuffix(busy, "…") && text != "Log out" {
				got = append(got, text+":"+busy)
			}
		}
		assert.Thatf(t, strings.Join(got, " ") == want, "got %q, want %q", got, want)
	}
}

// TestConflictsOfStrangers: a conflict of a person without a login doesn't link the record of another one.
func TestConflictsOfStrangers(t *testing.T) {
	t.Parallel()
	for strangers, want := range map[bool]templates.Record{true: {}, false: {Name: "Ada", Href: "/bookings/" + uuid.Max.String()}} {
		m := &resource{many: "bookings", strangers: strangers}
		got, err := m.conflicting(httptest.NewRequest(http.MethodPost, "/bookings", nil), &conflict.Error{Existing: uuid.Max, Name: "Ada"})
		assert.Thatf(t, err == nil && got == want, "strangers %v: %v, %v", strangers, got, err)
	}
}

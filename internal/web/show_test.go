package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
	"onlyonce/static"
	"onlyonce/templates"
)

// TestAPlainPageShowsEveryTransition checks that each transition has a button, except for those that the resource hides and those of the
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
		c.shown.Facts = func(customer.Customer) []templates.Fact { return nil }
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
		view := m.RecordView(member, c.found)
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
		if strings.Join(got, " ") != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

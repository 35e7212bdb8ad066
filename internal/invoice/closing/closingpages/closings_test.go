package closingpages_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitetest"
	"onlyonce/internal/value/date"
)

func TestMain(m *testing.M) { sitetest.Main(m) }

// TestDraftsOfClosedDays: the form that closes the books lists the last drafts through its day, and asks about them once. It asks about no
// other invoices, and about no day that can't be closed.
func TestDraftsOfClosedDays(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	of := invoicecases.Invoices()
	for i, day := range []string{
		"2025-10-26", "2025-10-27", "2025-10-28", "2025-10-29", "2025-10-30", "2025-10-31", "2025-11-01",
	} {
		b.Prepared(b.Acme, strconv.Itoa(i), of, sitetest.Change(of.Command, "issue_date", day, "due_date", "", "notes", day))
	}
	b.Prepared(b.Acme, "issued", of, sitetest.Change(of.Command, "issue_date", "2025-10-31", "due_date", ""), "issue")
	fresh := b.Page(person.Get(person.Get("/closings/new?through=2025-10-31").Location())).Says(
		"These drafts can't be issued with their dates afterwards.",
		"2025-0006 for Ada Lovelace: 135.77 EUR, 31 Oct 2025 2025-0005", "2025-0002 for Ada Lovelace: 135.77 EUR, 27 Oct 2025 All drafts")
	fresh.LeadsTo("/invoices?status=draft&to=2025-10-31")
	text := fresh.Text()
	assert.Thatf(t, !strings.Contains(text, "2025-0001") && !strings.Contains(text, "2025-0007"), "%s", text)

	typed := fresh.Typed()
	person.Submit("/closings", sitetest.Change(typed, "through", date.Today().String())).Want(t, http.StatusUnprocessableEntity)
	asked := person.Submit("/closings", sitetest.Change(typed, "through", "2025-11-01"))
	asked.Want(t, http.StatusConflict)
	p := b.Page(asked).Says("There are drafts dated 1 Nov 2025 or earlier. Nothing was saved yet.", "Check this date.",
		"2025-0007 for Ada Lovelace: 135.77 EUR, 1 Nov 2025")
	person.Press(p, "Close through 1 Nov 2025").Want(t, http.StatusSeeOther)
	assert.Equal(t, sitetest.Get[string](b, `SELECT string_agg(through::text, ' ') FROM closings`), "2025-11-01", "closings")

	b.Exec(`UPDATE invoices SET status = 'void', voided_at = now() WHERE status = 'draft'`)
	person.Submit("/closings", sitetest.Change(typed, "through", "2025-11-02", "idempotency_key", "no drafts")).Want(t, http.StatusSeeOther)
}

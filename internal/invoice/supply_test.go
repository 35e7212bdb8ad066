package invoice_test

import (
	"errors"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/must"
)

// TestSupply checks the day and the period of supply, which the database holds too, and freezes when an invoice is issued.
func TestSupply(t *testing.T) {
	b := setup(t)
	in := input("")
	for _, c := range []struct{ from, to, pointer string }{
		{"2026-11-01", "", ""}, {"2026-11-01", "2026-11-01", ""}, {"2026-11-01", "2026-11-30", ""},
		{"2026-11-01", "2026-10-31", "/supplied_to"}, {"2026-11-01", "soon", "/supplied_to"}, {"", "2026-11-30", "/supplied_to"},
		{"1999-12-31", "2026-11-30", "/supplied_from"}, {"2026-11-01", "2100-01-01", "/supplied_to"},
	} {
		in.SuppliedFrom, in.SuppliedTo = c.from, c.to
		_, err := in.Draft()
		problems, ok := errors.AsType[*invalid.Error](err)
		assert.Thatf(t, ok == (c.pointer != "") && (!ok || len(problems.Fields) == 1 && problems.Fields[0].Pointer == c.pointer),
			"%+v: %v", c, err)
	}
	in.SuppliedFrom, in.SuppliedTo = "", ""
	made, err := b.create("k", draft(t, in))
	must.OK(t, err)
	for i, c := range []struct {
		from, to string
		version  int
	}{{"2026-11-01", "", 2}, {"2026-11-01", "2026-11-30", 3}, {"2026-11-01", "2026-11-30", 3}, {"", "", 4}, {"2026-11-02", "", 5}} {
		in.SuppliedFrom, in.SuppliedTo = c.from, c.to
		key := string(rune('a' + i))
		done, err := invoice.Edit.Do(t.Context(), b.Store, b.Of(key, made.Value.ID, b.Find(made.Value).Version), draft(t, in))
		assert.Thatf(t, err == nil && done.Value.Version == c.version, "%+v: %+v, %v", c, done.Value, err)
	}
	b.Refuses(map[string][]string{
		"invoices_supplied_from": {`UPDATE invoices SET supplied_from = '1999-12-31'`, `UPDATE invoices SET supplied_from = '2100-01-01'`},
		"invoices_supplied_to": {
			`UPDATE invoices SET supplied_to = '2026-11-01'`, `UPDATE invoices SET supplied_from = NULL, supplied_to = '2026-11-30'`,
			`UPDATE invoices SET supplied_to = '2100-01-01'`,
		},
	})
	b.OK(invoice.Issue.Do(t.Context(), b.Store, b.Of("issue", made.Value.ID, 0), invoice.IssueDraft{}))
	b.Refuses(map[string][]string{"invoices_frozen": {
		`UPDATE invoices SET supplied_from = NULL`, `UPDATE invoices SET supplied_to = '2026-11-30'`,
	}})
}

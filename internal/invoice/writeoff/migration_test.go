package writeoff_test

import (
	"strings"
	"testing"

	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/must"
)

// TestMigration checks that the states, the open amounts and the sums of invoices are right after the migration, and after it was
// reverted, which takes write-offs back.
func TestMigration(t *testing.T) {
	b := invoicetest.Setup(t)
	b.DB.Spoil(t)
	inv := b.Issued("i")
	b.OK(b.Pay("p", inv, "30"))
	b.OK(b.WriteOff("off", inv, ""))
	up, down, _ := strings.Cut(must.Read(t, "../../../migrations/00167_invoice_write_offs.sql"), "-- +goose Down")
	wants := func(want string) {
		t.Helper()
		must.Equal(t, storetest.Value[string](b, `
			SELECT concat_ws(' ', state, open_amount, (SELECT sum(amount) FROM standing WHERE kind = 'due_day' AND of_id = i.tenant_id))
			FROM invoices i`), want)
	}
	wants("written_off 0")
	_, err := b.Store.Pool.Exec(t.Context(), down)
	must.OK(t, err)
	wants("partially_paid 7000 7000")
	_, err = b.Store.Pool.Exec(t.Context(), up)
	must.OK(t, err)
	wants("partially_paid 7000 7000")
}

package writeoff_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/writeoff"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestStatus checks the status and the amounts after write-offs of an invoice of 100.00, and that nothing more can be written off than is
// open.
func TestStatus(t *testing.T) {
	b := invoicetest.Setup(t)
	for i, c := range []struct {
		paid, off, status string
		written           int64
	}{
		{"", "", invoice.StatusWrittenOff, 10000},
		{"99.97", "", invoice.StatusPaid, 3},
		{"99.97", "0.03", invoice.StatusPaid, 3},
		{"40", "", invoice.StatusWrittenOff, 6000},
		{"50", "50", invoice.StatusPaid, 5000},
		{"", "40", invoice.StatusIssued, 4000},
		{"40", "10", invoice.StatusPartly, 1000},
	} {
		key := fmt.Sprint(i)
		inv := b.Issued(key)
		var paid int64
		if c.paid != "" {
			p, err := b.Pay(key, inv, c.paid)
			must.OK(t, err)
			paid = p.Amount
		}
		off, err := b.WriteOff("off"+key, inv, c.off)
		if err != nil || off.InvoiceID != inv.ID || off.Amount != c.written || off.Currency != inv.Currency || off.Reason != "bad_debt" {
			t.Fatalf("%+v, %v", off, err)
		}
		again, err := b.WriteOff("off"+key, inv, c.off)
		assert.Thatf(t, err == nil && again == off, "again: %+v, %v", again, err)
		found := b.Find(inv)
		assert.Thatf(t, found.Status == c.status && found.WrittenOff == c.written && found.Open == 10000-paid-c.written,
			"%+v: %+v", c, found)
		_, err = b.WriteOff("more"+key, inv, "100")
		refused, ok := errors.AsType[*conflict.Error](err)
		assert.Thatf(t, ok && refused.Kind == &writeoff.ExceedsOpen && refused.Members["open"] == inv.Currency.Format(found.Open),
			"more than is open: %v", err)
	}
}

// TestTakenBack checks that a write-off that was taken back counts no more: the invoice can be paid, written off again, or voided.
func TestTakenBack(t *testing.T) {
	b := invoicetest.Setup(t)
	for _, then := range []struct {
		name string
		do   func(key string, inv invoice.Invoice) error
	}{
		{"paid", func(key string, inv invoice.Invoice) error {
			_, err := b.Pay(key, inv, "100")
			return err
		}},
		{"written off", func(key string, inv invoice.Invoice) error {
			again, err := b.WriteOff(key, inv, "100")
			assert.Thatf(t, again.PossibleDuplicateOf == uuid.Nil, "a write-off looks like one that was taken back")
			return err
		}},
		{"voided", b.Void},
	} {
		inv := b.Issued(then.name)
		off, err := b.WriteOff("off "+then.name, inv, "")
		must.OK(t, err)
		if _, err := b.Pay("too early "+then.name, inv, "1"); !storetest.IsConflict(err, &payment.ExceedsOpen) {
			t.Errorf("paid what was written off: %v", err)
		}
		back, err := b.TakeBack("back "+then.name, off)
		assert.Thatf(t, err == nil && !back.ReversedAt.IsZero() && back.Amount == off.Amount, "%+v, %v", back, err)
		found := b.Find(inv)
		assert.Thatf(t, found.Status == invoice.StatusIssued && found.WrittenOff == 0 && found.Open == 10000, "%+v", found)
		if err := then.do("then "+then.name, inv); err != nil {
			t.Errorf("%s after that: %v", then.name, err)
		}
		b.Find(inv)
	}
}

// TestOpenChanged checks that a user who saw a larger open amount is asked, and that an unknown invoice isn't found.
func TestOpenChanged(t *testing.T) {
	b := invoicetest.Setup(t)
	inv := b.Issued("i")
	b.OK(b.Pay("p", inv, "99"))
	write := func(key, seen string, of invoice.Invoice) error {
		d, err := writeoff.Input{Amount: "0.50", Date: "2026-11-23", Reason: "other", Note: "Goodwill", SeenOpen: seen}.Draft(of)
		must.OK(t, err)
		_, err = writeoff.Create.Do(t.Context(), b.Store, b.Intent(key), d)
		return err
	}
	if err := write("old", "100.00", inv); !storetest.IsConflict(err, &invoice.OpenChanged) {
		t.Errorf("%v", err)
	}
	must.OK(t, write("new", "1.00", inv))
	unknown := invoice.Invoice{Header: record.Header{ID: uuid.New()}, Currency: inv.Currency}
	if err := write("unknown", "", unknown); !errors.Is(err, record.ErrNotFound) {
		t.Errorf("written off of no invoice: %v", err)
	}
}

// TestDatabaseKeepsTheWriteOffs checks that even the superuser can't change write-offs, or what an invoice shows of them.
func TestDatabaseKeepsTheWriteOffs(t *testing.T) {
	b := invoicetest.Setup(t)
	off, err := b.WriteOff("off", b.Issued("back"), "10")
	must.OK(t, err)
	b.OK(b.TakeBack("back", off))
	b.OK(b.WriteOff("k", b.Issued("i"), "40"))
	const another = `INSERT INTO write_offs (tenant_id, id, invoice_id, amount, reason, written_off_on)
		SELECT tenant_id, gen_random_uuid(), id, %s, '2026-11-22' FROM invoices WHERE written_off > 0`
	b.Refuses(map[string][]string{
		"write_offs_append_only": {
			`UPDATE write_offs SET amount = 1`, `UPDATE write_offs SET note = 'x'`, `UPDATE write_offs SET reversed_at = NULL`,
			`UPDATE write_offs SET reversed_at = '2026-11-01' WHERE reversed_at IS NOT NULL`, `DELETE FROM write_offs`,
			`TRUNCATE write_offs`,
		},
		"write_offs_not_before_invoice": {strings.Replace(fmt.Sprintf(another, "1, 'bad_debt'"), "2026-11-22", "2026-11-20", 1)},
		"write_offs_within_open":        {fmt.Sprintf(another, "6001, 'bad_debt'")},
		"write_offs_amount_check":       {fmt.Sprintf(another, "0, 'bad_debt'")},
		"write_offs_explained":          {fmt.Sprintf(another, "1, 'other'")},
		"write_offs_invoice": {`INSERT INTO write_offs (tenant_id, id, invoice_id, amount, reason, written_off_on)
			SELECT tenant_id, id, gen_random_uuid(), 1, 'bad_debt', '2026-11-22' FROM invoices`},
		"minor_units_check": {`UPDATE invoices SET written_off = 10001`, `UPDATE invoices SET written_off = -1`},
		"invoices_balanced": {
			`UPDATE invoices SET written_off = 0 WHERE written_off > 0`,
			`INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
				SELECT tenant_id, id, gen_random_uuid(), 'write_off', 1 FROM invoices`,
		},
		"postings_pkey": {`INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
			SELECT tenant_id, invoice_id, source_id, kind, 0 FROM postings WHERE kind = 'reversal'`},
		"invoices_void_without_write_offs": {`UPDATE invoices SET status = 'void', voided_at = now() WHERE written_off > 0`},
	})
}

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
		assert.Equal(t, storetest.Value[string](b, `
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

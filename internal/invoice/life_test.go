package invoice_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
)

// edited returns the draft of a changed input.
func edited(t testing.TB, change func(*invoice.Input)) invoice.Draft {
	t.Helper()
	in := input("")
	change(&in)
	return draft(t, in)
}

// forGrace returns a draft for another customer.
func forGrace(t testing.TB) invoice.Draft {
	t.Helper()
	return edited(t, func(in *invoice.Input) { in.Customer.Email = "grace@example.com" })
}

func (b *bundle) mustCreate(k string, d invoice.Draft) invoice.Invoice {
	b.Helper()
	done, err := invoice.Create.Do(b.Context(), b.Store, b.Intent(k), d)
	must.OK(b, err)
	return done.Value
}

func TestEdit(t *testing.T) {
	b := setup(t)
	inv := b.mustCreate("create", draft(t, input("")))
	done, err := invoice.Edit.Do(t.Context(), b.Store, b.Of("k", inv.ID, 1), edited(t, func(in *invoice.Input) {
		in.Notes, in.Customer.Email, in.Customer.Name = "Changed", "grace@example.com", "Grace"
		in.Lines = append(in.Lines, invoice.LineInput{Description: "More", Quantity: "2", UnitPrice: "10", TaxRate: "0"})
	}))
	must.OK(t, err)
	got := done.Value
	assert.Thatf(t, got.Version == 2 && got.Number == inv.Number && got.Notes == "Changed" && got.Customer.Email == "grace@example.com" &&
		len(got.Lines) == len(inv.Lines)+1 && got.Total == inv.Total+2000 && got.Status == invoice.StatusDraft, "%+v", got)
	history, err := idempotency.History(t.Context(), b.Store.Pool, b.Tenant, inv.ID, record.Page{Limit: 10}, "")
	if err != nil || len(history.Rows) != 2 || len(history.Rows[0].Changes) != 5 { // customer, lines, notes, subtotal, total
		t.Errorf("%+v, %v", history, err)
	}
}

// TestRenumber checks that a draft can get another number, which frees its own.
func TestRenumber(t *testing.T) {
	b := setup(t)
	first, second := b.mustCreate("1", draft(t, input(""))), b.mustCreate("2", forGrace(t))
	must.Thatf(t, first.Number == "2026-0001" && second.Number == "2026-0002", "%v %v", first.Number, second.Number)
	edit := func(k string, id uuid.UUID, seen int, number, issued string) (invoice.Invoice, error) {
		done, err := invoice.Edit.Do(t.Context(), b.Store, b.Of(k, id, seen), edited(t, func(in *invoice.Input) {
			in.Number, in.IssueDate, in.DueDate = number, issued, "2028-01-01"
		}))
		return done.Value, err
	}
	if _, err := edit("taken", first.ID, 1, "2026-0002", "2026-11-21"); !storetest.IsConflict(err, &invoice.NumberTaken) {
		t.Errorf("a number that is taken: %v", err)
	}
	if got, err := edit("own", first.ID, 1, "A-7", "2026-11-21"); err != nil || got.Number != "A-7" {
		t.Errorf("%+v, %v", got.Number, err)
	}
	third := b.mustCreate("3", draft(t, input("")))
	assert.Thatf(t, third.Number == "2026-0001", "the number that was given up is not used again: %s", third.Number)
	if got, err := edit("year", second.ID, 1, "", "2027-01-05"); err != nil || got.Number != "2027-0001" {
		t.Errorf("into another year: %s, %v", got.Number, err)
	}
	if got, err := edit("year of a typed one", first.ID, 2, "", "2027-01-05"); err != nil || got.Number != "A-7" {
		t.Errorf("a typed number into another year: %s, %v", got.Number, err)
	}
	next, err := invoice.NextNumber(t.Context(), b.Store.Pool, b.Tenant, 2026)
	assert.Thatf(t, err == nil && next == "2026-0002", "next is %s, %v", next, err)
}

func TestLife(t *testing.T) {
	b := setup(t)
	inv := b.mustCreate("create", draft(t, input("")))
	issued, err := invoice.Issue.Do(t.Context(), b.Store, b.Of("issue", inv.ID, 0), invoice.IssueDraft{})
	must.Thatf(t, err == nil && issued.Value.Status == invoice.StatusIssued && !issued.Value.IssuedAt.IsZero() && issued.Value.Version == 2,
		"%+v, %v", issued, err)
	again, err := invoice.Issue.Do(t.Context(), b.Store, b.Of("again", inv.ID, 0), invoice.IssueDraft{})
	assert.Thatf(t, err == nil && again.Outcome == idempotency.Unchanged && again.Value.IssuedAt.Equal(issued.Value.IssuedAt),
		"again: %+v, %v", again, err)
	_, err = invoice.Edit.Do(t.Context(), b.Store, b.Of("edit", inv.ID, 2), draft(t, input("")))
	assert.Thatf(t, storetest.IsConflict(err, &invoice.NotDraft), "an issued invoice was edited: %v", err)
	// A change of the customer does not change the invoice.
	b.Exec(`UPDATE customers SET name = 'Somebody else'`)
	found, err := record.Find(t.Context(), b.Store.Pool, invoice.Table, b.Tenant, inv.ID)
	assert.Thatf(t, err == nil && found.Customer == inv.Customer, "%+v, %v", found.Customer, err)
	void, err := invoice.Void.Do(t.Context(), b.Store, b.Of("void", inv.ID, 0), invoice.VoidDraft{})
	assert.Thatf(t, err == nil && void.Value.Status == invoice.StatusVoid && void.Value.Number == inv.Number &&
		!void.Value.VoidedAt.IsZero(),
		"%+v, %v", void, err)
	_, err = invoice.Issue.Do(t.Context(), b.Store, b.Of("issue a void one", inv.ID, 0), invoice.IssueDraft{})
	assert.Thatf(t, storetest.IsConflict(err, &invoice.NotDraft), "a void invoice was issued: %v", err)
}

// TestDatabaseKeepsTheLife checks that the database refuses invalid changes of state, even from the superuser.
func TestDatabaseKeepsTheLife(t *testing.T) {
	b := setup(t)
	inv := b.mustCreate("create", draft(t, input("")))
	refused := func(constraint, sql string) {
		t.Helper()
		b.Refuses(map[string][]string{constraint: {sql}})
	}
	refused("invoices_kept", `DELETE FROM invoices`)
	refused("invoices_stamped", `UPDATE invoices SET status = 'issued'`)
	refused("invoices_stamped", `UPDATE invoices SET status = 'issued', issued_at = now(), bill_to = '{}'`)
	refused("invoices_stamped", `UPDATE invoices SET status = 'issued', issued_at = now(), seller = '{}'`)
	refused("invoices_stamped", `UPDATE invoices SET issued_at = now(), bill_to = '{}', seller = '{}'`)
	b.OK(invoice.Issue.Do(t.Context(), b.Store, b.Of("issue", inv.ID, 0), invoice.IssueDraft{}))
	for _, column := range []string{
		"number = 'X'", "currency = 'USD'", "issue_date = issue_date - 1", "due_date = due_date + 1", "notes = 'x'", "issued_at = now()",
		"bill_to = '{}'", "seller = '{}'", "subtotal = 1, tax_total = 0, total = 1",
		"customer_id = (SELECT id FROM customers ORDER BY id LIMIT 1 OFFSET 1)",
	} {
		if strings.HasPrefix(column, "customer_id") {
			b.mustCreate("another customer", forGrace(t))
			column += " WHERE status = 'issued'"
		}
		refused("invoices_frozen", `UPDATE invoices SET `+column)
	}
	refused("invoices_life", `
		UPDATE invoices SET status = 'draft', issued_at = NULL, bill_to = NULL, seller = NULL WHERE status = 'issued'`)
	issued := fmt.Sprintf(`invoice_id = '%s'`, inv.ID)
	refused("invoices_frozen", `DELETE FROM invoice_lines WHERE `+issued)
	refused("invoices_frozen", `UPDATE invoice_lines SET description = 'x' WHERE `+issued)
	refused("invoices_frozen", `INSERT INTO invoice_lines
		SELECT tenant_id, invoice_id, position + 100, description, quantity, unit_price, tax_rate, net FROM invoice_lines WHERE `+issued)
}

// TestRacesOfOneInvoice checks that the first of several concurrent changes wins, and the others are refused.
func TestRacesOfOneInvoice(t *testing.T) {
	b := setup(t)
	for round := range 5 {
		inv := b.mustCreate(fmt.Sprint("create", round), edited(t, func(in *invoice.Input) { in.Notes = fmt.Sprint(round) }))
		errs := storetest.Together(12, func(i int) (err error) {
			k := fmt.Sprint(round, "-", i)
			switch i % 3 {
			case 0:
				changed := edited(t, func(in *invoice.Input) { in.Notes = "changed by " + k })
				_, err = invoice.Edit.Do(context.Background(), b.Store, b.Of(k, inv.ID, 1), changed)
			case 1:
				_, err = invoice.Issue.Do(context.Background(), b.Store, b.Of(k, inv.ID, 0), invoice.IssueDraft{})
			default:
				err = b.Void(k, inv)
			}
			return err
		})
		edits := 0
		for i, err := range errs {
			stale, isStale := errors.AsType[*idempotency.StaleError](err)
			switch {
			case i%3 == 0 && err == nil:
				edits++
			case i%3 == 0 && (isStale && stale.Record == inv.ID || storetest.IsConflict(err, &invoice.NotDraft)):
			case i%3 == 1 && (err == nil || storetest.IsConflict(err, &invoice.NotDraft)):
			case i%3 == 2 && err == nil:
			default:
				t.Errorf("%d: %v", i, err)
			}
		}
		found, err := record.Find(t.Context(), b.Store.Pool, invoice.Table, b.Tenant, inv.ID)
		wantVersion := 2 + edits // and void
		if !found.IssuedAt.IsZero() {
			wantVersion++
		}
		assert.Thatf(t, err == nil && edits <= 1 && found.Status == invoice.StatusVoid && found.Version == wantVersion,
			"%d edits: %s, version %d, %v", edits, found.Status, found.Version, err)
	}
}

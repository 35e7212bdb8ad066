package receipt

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// alike describes a likely repeat.
var alike = idempotency.Alike[Receipt]{
	Fields: []string{"customer.id currency amount date"}, Within: 10 * time.Minute, Name: Name, Verb: "record",
}

// Create records a receipt, and a payment for each of its allocations.
var Create = idempotency.Define(idempotency.Spec[Draft, Receipt]{
	Kind: idempotency.Create, Name: "receipt.create", Table: Table,
	Statements: insert,
	Alike:      alike,
	Retain:     72 * time.Hour,
	Explain: map[string]idempotency.Explanation[Draft]{
		"receipts_customer":               idempotency.Invalid[Draft]("/customer_id", "This customer doesn't exist. Choose another one."),
		"customers_erased":                idempotency.Always[Draft](customer.ErrErased),
		"payment_references_once":         taken,
		"payments_within_open":            explainedOf(exceedsOpen),
		"payments_of_issued":              explainedOf(notIssued),
		"payments_of_customer":            explainedOf(ofAnother),
		"payments_invoice":                explainedOf(noInvoice),
		"books_closed":                    invoice.WhenClosed[Draft]("/date", invoice.UseLaterDate),
		idempotency.LookAlike(Table.Name): invoice.RefuseBeforeAsking(Table, alike, func(d Draft) date.Date { return d.Date }),
	},
	Fields: func(d Draft) []slog.Attr {
		return []slog.Attr{slog.String("customer", d.CustomerID.String()), slog.String("reference", d.Reference)}
	},
})

// insert locks the customer and the invoices, in the order of their ids, before it inserts the receipt, because the row's reference may
// wait for the lock of another transaction, which may have locked an invoice.
func insert(tx *idempotency.Tx, d Draft) idempotency.Result {
	var ids, invoices []uuid.UUID
	var amounts []int64
	for i, a := range d.Allocations {
		if a.Amount == 0 {
			continue
		}
		ids, invoices, amounts = append(ids, tx.ID(uint64(i)+1)), append(invoices, a.InvoiceID), append(amounts, a.Amount)
	}
	args := pgx.NamedArgs{
		"customer_id": d.CustomerID, "currency": d.Currency.String(), "amount": d.Amount, "received_on": d.Date.Time(), "method": d.Method,
		"provider": d.Provider, "reference": d.Reference,
		"ids": record.IDs(ids), "invoices": record.IDs(invoices), "amounts": slices.Concat([]int64{}, amounts),
	}
	tx.Exec(`SELECT FROM live_customer(@tenant_id, @customer_id)`, args)
	tx.Exec(`SELECT FROM invoices WHERE tenant_id = @tenant_id AND id = ANY (@invoices::uuid[]) ORDER BY id FOR UPDATE`, args)
	tx.Exec(`
		INSERT INTO receipts (tenant_id, id, customer_id, currency, amount, received_on, method, provider, reference)
		SELECT @tenant_id, @record_id, COALESCE(c.id, @customer_id), @currency, @amount, @received_on, @method, NULLIF(@provider, ''),
			NULLIF(@reference, '')
		FROM live_customer(@tenant_id, @customer_id) AS c`, args)
	tx.Exec(`
		INSERT INTO payments (tenant_id, id, receipt_id, invoice_id, amount, paid_on, method)
		SELECT @tenant_id, id, @record_id, invoice_id, amount, @received_on, @method
		FROM unnest(@ids::uuid[], @invoices::uuid[], @amounts::bigint[]) AS each (id, invoice_id, amount)
		ORDER BY invoice_id`, args)
	tx.Exec(`
		INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
		SELECT @tenant_id, unnest(@ids::uuid[]), @operation, @idempotency_key, 'recorded with a receipt'`, args)
	return tx.Record()
}

// ExceedsCredit is the conflict of using more than the credit of a receipt, which is its member left.
var ExceedsCredit = conflict.Kind{
	Slug: "exceeds-credit", Title: "More than the credit",
	Meaning: "The amount is larger than what is left of the receipt, which other payments and repayments from it may have lowered. " +
		"Nothing was recorded. You can use the key again.",
	ToDo: "Read the receipt, and use at most what is left (left).",
}

// Usable returns a [*conflict.Error] if nothing is left of a receipt.
func Usable(r Receipt) error {
	if r.Left > 0 {
		return nil
	}
	text := "All of it was allocated or paid back."
	if !r.RemovedAt.IsZero() {
		text = "It was removed."
	}
	return &conflict.Error{Kind: &ExceedsCredit, Title: "Nothing is left of this receipt.", Text: text}
}

// exceedsCredit returns the conflict with the amount left in the detail of a database error.
func exceedsCredit(currency money.Currency, broken *pgconn.PgError) error {
	left, err := strconv.ParseInt(broken.Detail, 10, 64)
	if err != nil {
		return fmt.Errorf("what is left of the receipt: %w", err)
	}
	return &conflict.Error{
		Kind: &ExceedsCredit, Title: currency.Display(left) + " " + currency.String() + " of this receipt is left.",
		Text:  "The amount is larger, and wasn't recorded.",
		Field: "/amount", Blame: "Enter at most " + currency.Format(left) + ".",
		Members: map[string]string{"left": currency.Format(left)},
	}
}

// taken returns the conflict with the payment or the receipt that has the reference.
func taken(ctx context.Context, store *idempotency.Store, i idempotency.Intent, d Draft, broken *pgconn.PgError) error {
	args := pgx.NamedArgs{"provider": d.Provider, "reference": d.Reference}
	first, err := record.FindBy(ctx, store.Pool, payment.Table, i.Tenant, payment.ByReference, args)
	if err == nil {
		return errTaken(d, "payments", first.ID, payment.Name(first))
	}
	if !errors.Is(err, record.ErrNotFound) {
		return err
	}
	return idempotency.Taken(Table, payment.ByReference, func(Draft) pgx.NamedArgs { return args }, func(d Draft, first Receipt) error {
		return errTaken(d, "", first.ID, Name(first))
	})(ctx, store, i, d, broken)
}

func errTaken(d Draft, many string, id uuid.UUID, name string) error {
	return &conflict.Error{
		Kind: &payment.Taken, Title: "The transfer " + d.Reference + " of " + d.Provider + " is already recorded.",
		Text: "We kept it and didn't record a second one.", Existing: id, Name: name, Many: many,
		Field: "/reference", Blame: "Another payment has this reference.",
	}
}

// allocated is an allocation that the database refused: its JSON Pointer, and the number of its invoice.
type allocated struct {
	pointer, number string
	currency        money.Currency
	broken          *pgconn.PgError
}

// explainedOf returns the explanation of a constraint of payments with an error about the allocation that broke it.
func explainedOf(say func(allocated) error) idempotency.Explanation[Draft] {
	return func(ctx context.Context, store *idempotency.Store, i idempotency.Intent, d Draft, broken *pgconn.PgError) error {
		id, err := uuid.Parse(broken.Hint)
		if err != nil {
			return fmt.Errorf("invoice of an allocation: %w", err)
		}
		place := slices.IndexFunc(d.Allocations, func(a Allocation) bool { return a.InvoiceID == id })
		if place < 0 {
			return broken
		}
		number, err := invoice.Numbers.Of(ctx, store.Pool, i.Tenant, id)
		if err != nil && !errors.Is(err, record.ErrNotFound) {
			return err
		}
		return say(allocated{"/allocations/" + strconv.Itoa(place), number, d.Currency, broken})
	}
}

func exceedsOpen(a allocated) error {
	open, err := strconv.ParseInt(a.broken.Detail, 10, 64)
	if err != nil {
		return fmt.Errorf("open amount: %w", err)
	}
	return &conflict.Error{
		Kind:  &payment.ExceedsOpen,
		Title: "The open amount of " + a.number + " is " + a.currency.Display(open) + " " + a.currency.String() + ".",
		Text:  "The amount for it is larger. Nothing was recorded.",
		Field: a.pointer + "/amount", Blame: "Enter at most " + a.currency.Format(open) + ".",
		Members: map[string]string{"open": a.currency.Format(open)},
	}
}

func notIssued(a allocated) error {
	return &conflict.Error{
		Kind: &invoice.NotIssued, Title: "Invoice " + a.number + " isn't issued.",
		Text:  "Only an issued invoice can be paid. Nothing was recorded.",
		Field: a.pointer + "/amount", Blame: "Leave this invoice out.",
	}
}

func ofAnother(a allocated) error {
	var problems invalid.Error
	problems.Add(a.pointer+"/invoice_id", "Invoice "+a.number+" is of another customer, or in another currency.")
	return problems.Err()
}

func noInvoice(a allocated) error {
	var problems invalid.Error
	problems.Add(a.pointer+"/invoice_id", "This invoice doesn't exist.")
	return problems.Err()
}

package erasure

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
)

// Erase erases the personal data of an archived customer and of the customers merged into it, or finds the earlier erasure.
var Erase = idempotency.Define(idempotency.Spec[Draft, Erasure]{
	Kind: idempotency.Upsert, Name: "customer.erase", Table: Table,
	Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
		args := pgx.NamedArgs{"customer": d.Customer, "reason": d.Reason}
		tx.Exec(`SELECT erase_customer(@tenant_id, @record_id, @customer, @reason, @operation, @idempotency_key)`, args)
		// Another statement, which no longer sees the name.
		return tx.Return(
			`SELECT `+Table.JSON()+` FROM customer_erasures r WHERE r.tenant_id = @tenant_id AND r.customer_id = @customer`, args)
	},
	Explain: map[string]idempotency.Explanation[Draft]{
		"customers_in_use":     inUse,
		"customers_merged":     merged,
		"erasures_customer":    idempotency.Missing[Draft],
		"erasures_of_archived": idempotency.Always[Draft](errNotArchived),
	},
	Fields: func(d Draft) []slog.Attr { return []slog.Attr{slog.String("customer", d.Customer.String())} },
})

// Possible returns a [*conflict.Error] if a customer can't be erased, because it isn't archived, or was erased or merged.
func Possible(c customer.Customer) error {
	if err := customer.Final(c); err != nil {
		return err
	}
	if c.ArchivedAt.IsZero() {
		return errNotArchived()
	}
	return nil
}

func errNotArchived() error {
	return &conflict.Error{
		Kind: &NotArchived, Title: "This customer isn't archived.", Text: "Archive it first. Nothing was erased.",
	}
}

func merged(ctx context.Context, store *idempotency.Store, intent idempotency.Intent, d Draft, _ *pgconn.PgError) error {
	c, err := record.Find(ctx, store.Pool, customer.Table, intent.Tenant, d.Customer)
	if err != nil {
		return err
	}
	return customer.Final(c)
}

// inUse explains the constraint with which triggers of other rooms refuse an erasure. The detail is JSON.
func inUse(_ context.Context, _ *idempotency.Store, _ idempotency.Intent, _ Draft, refused *pgconn.PgError) error {
	var by struct {
		Many string    `json:"many"` // the resource, such as "invoices"
		ID   uuid.UUID `json:"id"`   // of the record
		Name string    `json:"name"` // of the record
		Why  string    `json:"why"`  // a sentence
	}
	if err := json.Unmarshal([]byte(refused.Detail), &by); err != nil {
		return fmt.Errorf("detail of customers_in_use: %w", err)
	}
	return &conflict.Error{
		Kind: &InUse, Title: by.Why, Text: "The customer is still in use, so nothing was erased.",
		Existing: by.ID, Name: by.Name, Many: by.Many,
	}
}

package customer

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/idempotency"
)

// Upserted is the result of [Upsert].
type Upserted struct {
	Customer

	// Created says that the customer is new.
	Created bool `json:"created"`
	// Late says that an earlier attempt with this key had created the customer, and that its record has
	// expired since.
	Late bool `json:"late"`
}

// Upsert creates the customer, or finds the one that has the same email.
var Upsert = idempotency.Define(idempotency.Spec[Draft, Upserted]{
	Name:    "customer.upsert",
	Work:    upsert,
	Retain:  24 * time.Hour,
	Visible: `SELECT FROM customers c WHERE c.tenant_id = @tenant_id AND c.id = record.id`,
	Explain: explain,
	Fields:  func(d Draft) []slog.Attr { return []slog.Attr{slog.String("email", string(d.Email))} },
})

func upsert(tx *idempotency.Tx, d Draft) idempotency.Result {
	return tx.Return(`
		SELECT json_build_object(`+shown+`, 'created', c.id = @record_id,
			'late', c.id <> @record_id AND c.operation = @operation AND c.idempotency_key = @idempotency_key)
		FROM `+CreateOrReuse+` c`,
		pgx.NamedArgs{"email": string(d.Email), "name": d.Name})
}

// CreateOrReuse is, in the work of an operation, the row of the customer with @email, who is created with
// @name if the email is new. Afterwards there is exactly one customer with this email, whoever else
// tries at the same time. One who is new has the id @record_id and an event.
const CreateOrReuse = `create_or_reuse_customer(
	@tenant_id, @record_id, @email, @name, @operation, @idempotency_key, @actor)`

// explain: a key whose record expired may still be on the customer that it created.
func explain(ctx context.Context, store *idempotency.Store, intent idempotency.Intent, _ Draft, broken *pgconn.PgError) error {
	if broken.ConstraintName != "customers_one_per_intent" {
		return nil
	}
	made, err := FindByKey(ctx, store.Pool, intent.Tenant, intent.Key)
	if err != nil {
		return err
	}
	return &idempotency.AlreadyDoneError{Record: made.ID}
}

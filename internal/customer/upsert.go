package customer

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/idempotency"
)

// Upserted is the result of [Upsert]: the customer, and whether it is new.
type Upserted struct {
	Customer

	Created bool `json:"created"`
}

// Upsert creates the customer, or finds the one that has the same email.
var Upsert = idempotency.Define(idempotency.Spec[Draft, Upserted]{
	Name:    "customer.upsert",
	Work:    upsert,
	Retain:  24 * time.Hour,
	Visible: `SELECT FROM customers c WHERE c.tenant_id = @tenant_id AND c.id = record.id`,
	Explain: explain,
	Fields:  func(d Draft) []slog.Attr { return []slog.Attr{slog.String("email", d.Email)} },
})

func upsert(tx *idempotency.Tx, d Draft) idempotency.Result {
	CreateOrReuse(tx, d)
	return tx.Return(`
		SELECT `+asJSON+` || jsonb_build_object('created', c.id = @record_id)
		FROM customers c
		WHERE c.tenant_id = @tenant_id AND lower(c.email) = lower(@email)`,
		pgx.NamedArgs{"email": d.Email})
}

// CreateOrReuse queues the insert of a customer, and its event, unless the email is known. Afterwards
// there is exactly one customer with this email, whoever else tries at the same time. If it is new,
// its id is @record_id.
func CreateOrReuse(tx *idempotency.Tx, d Draft) {
	tx.Exec(`
		WITH created AS (
			INSERT INTO customers (tenant_id, id, email, name, operation, idempotency_key)
			SELECT @tenant_id, @record_id, @email, @name, @operation, @idempotency_key
			-- The usual case, and cheaper than a conflict. Who comes at the same time meets the conflict.
			WHERE NOT EXISTS (SELECT FROM customers WHERE tenant_id = @tenant_id AND lower(email) = lower(@email))
			ON CONFLICT (tenant_id, lower(email)) DO NOTHING
			RETURNING id
		)
		INSERT INTO events (tenant_id, name, record_id, actor, key)
		SELECT @tenant_id, 'customer.created', id, @actor, @idempotency_key FROM created`,
		pgx.NamedArgs{"email": d.Email, "name": d.Name})
}

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

package customer

import (
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/idempotency"
)

// Upserted is the result of [Upsert].
type Upserted struct {
	Customer

	// Created says that the customer is new.
	Created bool `json:"created"`
}

// Upsert creates the customer, or finds the one that has the same email.
var Upsert = idempotency.Define(idempotency.Spec[Draft, Upserted]{
	Name:       "customer.upsert",
	Statements: upsert,
	Retain:     24 * time.Hour,
	Visible:    `SELECT FROM customers c WHERE c.tenant_id = @tenant_id AND c.id = record.id`,
	Fields:     func(d Draft) []slog.Attr { return []slog.Attr{slog.String("email", string(d.Email))} },
})

func upsert(tx *idempotency.Tx, d Draft) idempotency.Result {
	return tx.Return(`SELECT json_build_object(`+shown+`, 'created', c.id = @record_id) 
		FROM create_or_reuse_customer(@tenant_id, @record_id, @email, @name) c`,
		pgx.NamedArgs{"email": string(d.Email), "name": d.Name})
}

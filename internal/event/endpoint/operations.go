package endpoint

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
)

// Add adds an endpoint.
var Add = idempotency.Define(idempotency.Spec[Draft, Endpoint]{
	Kind: idempotency.Create, Name: "endpoint.add", Table: Table,
	Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
		tx.Exec(`
			INSERT INTO endpoints (tenant_id, id, address, operations, created_by)
			VALUES (@tenant_id, @record_id, @address, @operations, @actor)`, d.args())
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[Draft]{
		"endpoints_address_once": addressTaken, "endpoints_slot_once": idempotency.Missing[Draft], "endpoints_few": few[Draft],
	},
})

// Edit changes the address and the operations of an endpoint. Waiting deliveries go to the new address.
var Edit = idempotency.Define(idempotency.Spec[Draft, Endpoint]{
	Kind: idempotency.Change, Name: "endpoint.edit", Table: Table,
	Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
		tx.Exec(`
			UPDATE endpoints SET (address, operations) = (@address, @operations)
			WHERE tenant_id = @tenant_id AND id = @record_id AND (address, operations) IS DISTINCT FROM (@address, @operations)`, d.args())
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[Draft]{
		"endpoints_address_once": addressTaken, "endpoints_slot_once": idempotency.Missing[Draft],
	},
})

func (d Draft) args() pgx.NamedArgs {
	return pgx.NamedArgs{"address": d.Address, "operations": d.Operations}
}

// Disable switches an endpoint off. Later events are not delivered to it, and waiting deliveries go on when it is on again.
var Disable = idempotency.Define(idempotency.Spec[struct{}, Endpoint]{
	Kind: idempotency.Transition, Name: "endpoint.disable", Table: Table, Made: `r.disabled_at IS NOT NULL`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`UPDATE endpoints SET disabled_at = now() WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[struct{}]{
		"endpoints_address_once": ownAddressTaken, "endpoints_slot_once": idempotency.Missing[struct{}],
	},
})

// Enable switches an endpoint on again.
var Enable = idempotency.Define(idempotency.Spec[struct{}, Endpoint]{
	Kind: idempotency.Transition, Name: "endpoint.enable", Table: Table, Made: `r.disabled_at IS NULL`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`
			UPDATE endpoints SET (disabled_at, disabled_reason) = (NULL, '')
			WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		tx.Exec(`SELECT queue_deliveries(@tenant_id, @record_id, now())`, nil)
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[struct{}]{
		"endpoints_address_once": ownAddressTaken, "endpoints_slot_once": idempotency.Missing[struct{}], "endpoints_few": few[struct{}],
	},
})

// AddressTaken is the conflict of two endpoints that are on with the same address.
var AddressTaken = conflict.Kind{
	Slug: "endpoint-taken", Title: "Endpoint already exists",
	Meaning: "The business already has an endpoint with this address that is on. Nothing was changed. You can use the key again.",
	ToDo:    "Change the existing endpoint, or disable it first.",
}

var addressTaken = idempotency.Taken(Table, `r.address = @address AND r.disabled_at IS NULL`,
	func(d Draft) pgx.NamedArgs { return pgx.NamedArgs{"address": d.Address} },
	func(_ Draft, other Endpoint) error {
		return &conflict.Error{
			Kind: &AddressTaken, Title: "There's already an endpoint with this address.",
			Text: "Nothing was changed. Change that endpoint, or disable it first.", Existing: other.ID, Name: other.Address,
			Field: "/address", Blame: "Another endpoint has this address.",
		}
	})

// ownAddressTaken explains that another endpoint has the address of the endpoint itself.
func ownAddressTaken(ctx context.Context, store *idempotency.Store, i idempotency.Intent, _ struct{}, broken *pgconn.PgError) error {
	own, err := record.Find(ctx, store.Pool, Table, i.Tenant, i.Record)
	if err != nil {
		return err
	}
	return addressTaken(ctx, store, i, Draft{Address: own.Address}, broken)
}

// Few is the conflict of a sixth endpoint.
var Few = conflict.Kind{
	Slug: "endpoint-limit", Title: "Too many endpoints",
	Meaning: "The business already has 5 endpoints that are on. Nothing was changed. You can use the key again.",
	ToDo:    "Disable another endpoint first.",
}

func few[C any](context.Context, *idempotency.Store, idempotency.Intent, C, *pgconn.PgError) error {
	return &conflict.Error{
		Kind: &Few, Title: "There are already 5 endpoints.", Text: "Nothing was changed. Disable another endpoint first.",
	}
}

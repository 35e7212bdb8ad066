package payment

import (
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
)

// Remove takes back a payment that was recorded by mistake, by a posting of its own. The payment keeps its reference, so that no event
// records it again; what is typed anew is no repeat of it.
var Remove = idempotency.Define(idempotency.Spec[struct{}, Payment]{
	Kind: idempotency.Transition, Name: "payment.remove", Table: Table, Made: `r.removed_at IS NOT NULL`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`UPDATE payments SET removed_at = now() WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		tx.Exec(`
			DELETE FROM likenesses
			WHERE tenant_id = @tenant_id AND record_id = @record_id AND likeness = ANY (likenesses_of('payment.create', (
				SELECT json_build_object(`+Table.Fields+`)::jsonb FROM payments r WHERE r.tenant_id = @tenant_id AND r.id = @record_id
			), @fields))`, pgx.NamedArgs{"fields": []string{alike}})
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[struct{}]{"payments_removed_whole": idempotency.Always[struct{}](errHasRefunds)},
})

// HasRefunds is the conflict of removing a payment of which some was given back.
var HasRefunds = conflict.Kind{
	Slug: "has-refunds", Title: "Payment has refunds",
	Meaning: "Some or all of the payment was refunded, so it can't be removed. Nothing was changed.",
	ToDo:    "Refund the rest instead.",
}

// Removable returns a [*conflict.Error] if a payment cannot be removed.
func Removable(p Payment) error {
	if p.Refunded > 0 {
		return errHasRefunds()
	}
	return nil
}

func errHasRefunds() error {
	return &conflict.Error{
		Kind: &HasRefunds, Title: "You can't remove this payment.",
		Text: "Some of it was refunded. Refund the rest instead. Nothing was changed.",
	}
}

package customer

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
)

// Upsert creates a customer, or finds the one with the same email and name and leaves it unchanged. A command with an external id doesn't
// reuse a customer by email and name: a user decides whether they are the same, and attaches the external id with Edit.
var Upsert = idempotency.Define(idempotency.Spec[Draft, Customer]{
	Kind: idempotency.Upsert, Name: "customer.upsert", Table: Table,
	Alike: idempotency.Alike[Customer]{
		Fields: []string{"name", "tax_id"}, Within: 10 * time.Minute, Name: Name,
	},
	Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
		return tx.Return(`
			SELECT `+Table.JSON()+` FROM find_or_create_customer(@tenant_id, @record_id, `+OfNew+`,
				in_source => @external_source::text, in_external_id => @external_id::text, in_digest => @external_digest::bytea
			) r`, Arguments(d))
	},
	External: external,
	Explain: map[string]idempotency.Explanation[Draft]{
		"customers_email_once": idempotency.Taken(Table, sameKey, sameKeyOf, notAttached),
		"customers_differ":     differs,
	},
	NotInFingerprint: []string{"SameEmail"},
	Fields:           fields,
})

// Edit changes the customer.
var Edit = idempotency.Define(idempotency.Spec[Draft, Customer]{
	Kind: idempotency.Change, Name: "customer.edit", Table: Table,
	Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
		tx.Exec(`SELECT check_customer_email(@tenant_id, @record_id, NULLIF(@email, ''), @same_email)`,
			pgx.NamedArgs{"email": string(d.Email), "same_email": d.SameEmail})
		tx.Exec(`
			UPDATE customers SET (`+names+`) = (`+changed+`)
			WHERE tenant_id = @tenant_id AND id = @record_id AND (`+names+`) IS DISTINCT FROM (`+changed+`)`, Arguments(d))
		return tx.Record()
	},
	External: external,
	Explain: map[string]idempotency.Explanation[Draft]{
		"customers_email_once": idempotency.Taken(Table, sameKey, sameKeyOf, emailTaken),
		"customers_differ":     differsFrom,
		"customers_erased":     idempotency.Always[Draft](ErrErased),
		"customers_merged":     wasMerged[Draft],
	},
	NotInFingerprint: []string{"SameEmail"},
	Fields:           fields,
})

// Archive hides the customer from lists and choices.
var Archive = idempotency.Define(idempotency.Spec[struct{}, Customer]{
	Kind: idempotency.Transition, Name: "customer.archive", Table: Table, Made: `r.archived_at IS NOT NULL`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`UPDATE customers SET archived_at = now() WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		return tx.Record()
	},
})

// Restore brings an archived customer back.
var Restore = idempotency.Define(idempotency.Spec[struct{}, Customer]{
	Kind: idempotency.Transition, Name: "customer.restore", Table: Table, Made: `r.archived_at IS NULL`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`UPDATE customers SET archived_at = NULL WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[struct{}]{
		"customers_erased":              idempotency.Always[struct{}](ErrErased),
		"customers_merged_are_archived": wasMerged[struct{}],
	},
})

var (
	names   = columns.Names() + `, ` + idempotency.ExternalColumns
	changed = columns.Values() + `, ` + idempotency.ExternalKept
	// OfNew has the arguments of the database function find_or_create_customer for the fields of a new customer, with the values of
	// [Arguments].
	OfNew = columns.In() + `, in_same_email => @same_email`
)

// Arguments returns the named arguments of [OfNew].
func Arguments(d Draft) pgx.NamedArgs {
	args := columns.Arguments(d)
	args["same_email"] = d.SameEmail
	return args
}

func external(d Draft) idempotency.External { return d.External }

func fields(d Draft) []slog.Attr { return []slog.Attr{slog.String("email", string(d.Email))} }

// EmailTaken is the conflict of two customers with the same email and name.
var EmailTaken = conflict.Kind{
	Slug: "email-taken", Title: "Email and name already used",
	Meaning: "Another customer has this email address and this name. Nothing was changed. You can use the key again.",
	ToDo: "Open the other customer (existing_id), or send the request with another address or name. " +
		"To attach an external id to the other customer, send PUT with If-Match.",
}

// sameKey is the condition that the row r has the email and name in the arguments sameKeyOf.
const sameKey = `r.email_folded = @email AND r.name_folded = fold_text(@name) AND r.merged_into IS NULL`

func sameKeyOf(d Draft) pgx.NamedArgs {
	return pgx.NamedArgs{"email": d.Email.Folded(), "name": d.Name}
}

func emailTaken(_ Draft, other Customer) error {
	return &conflict.Error{
		Kind: &EmailTaken, Title: other.Name + " has the email address " + other.Email + ".",
		Text: "Two customers can't have the same email and name, so nothing was changed.", Existing: other.ID, Name: other.Name,
		Field: "/email", Blame: "Another customer with this name has this address.",
	}
}

func notAttached(d Draft, other Customer) error {
	return &conflict.Error{
		Kind: &EmailTaken, Title: other.Name + " has the email address " + other.Email + ", and not the external id " + d.ExternalID + ".",
		Text:     "An external id is attached to a customer with PUT and If-Match only, so nothing was changed.",
		Existing: other.ID, Name: other.Name, Field: "/email", Blame: "Another customer with this name has this address.",
	}
}

// Merged is the conflict of changing a merged customer.
var Merged = conflict.Kind{
	Slug: "customer-merged", Title: "Customer merged into another",
	Meaning: "The customer was merged into another one (existing_id), and can't be changed any more. Nothing was changed. " +
		"You can use the key again.",
	ToDo: "Change the other customer: this one's address leads there.",
}

// Erased is the conflict of changing or using an erased customer.
var Erased = conflict.Kind{
	Slug: "customer-erased", Title: "Customer erased",
	Meaning: "The personal data of this customer was erased, so it can be neither changed nor used any more. Nothing was changed. " +
		"You can use the key again.",
	ToDo: "Create another customer.",
}

// ErrErased returns the conflict Erased.
func ErrErased() error {
	return &conflict.Error{
		Kind: &Erased, Title: "The personal data of this customer was erased.",
		Text: "The customer can be neither changed nor used any more. Nothing was saved.",
	}
}

// Final returns a [*conflict.Error] if a customer was merged or erased, so that it can't be changed.
func Final(c Customer) error {
	if !c.ErasedAt.IsZero() {
		return ErrErased()
	}
	if c.MergedInto == (record.Reference{}) {
		return nil
	}
	return &conflict.Error{
		Kind: &Merged, Title: c.Name + " was merged into " + c.MergedInto.Name + ".",
		Text: "Nothing was changed. Change the customer that stayed.", Existing: c.MergedInto.ID, Name: c.MergedInto.Name,
	}
}

func wasMerged[C any](ctx context.Context, store *idempotency.Store, intent idempotency.Intent, _ C, _ *pgconn.PgError) error {
	found, err := record.Find(ctx, store.Pool, Table, intent.Tenant, intent.Record)
	if err == nil {
		err = Final(found)
	}
	if err == nil { // the merge was undone meanwhile
		err = record.ErrNotFound
	}
	return err
}

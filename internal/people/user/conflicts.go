package user

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
)

// Exists is the conflict with another user of the tenant who has the email.
var Exists = conflict.Kind{
	Slug: "person-exists", Title: "Person already there",
	Meaning: "Somebody in this business has this email address. Nothing was changed. You can use the key again.",
	ToDo:    "Open the existing person, or enter another address.",
}

// EmailUnusable is the conflict with a different tenant's user who has the email. It does not disclose the user.
var EmailUnusable = conflict.Kind{
	Slug: "email-unusable", Title: "Email cannot be used",
	Meaning: "Nobody can log in to this business with this email address. Nothing was changed. You can use the key again.",
	ToDo:    "Enter another address.",
}

// LastOwner is the conflict of an operation that would leave a tenant without an owner who can log in.
var LastOwner = conflict.Kind{
	Slug: "last-owner", Title: "Last owner",
	Meaning: "A business keeps at least one owner who can log in: not disabled, and with a password. Nothing was changed.",
	ToDo:    "First make somebody else an owner, and let them choose a password.",
}

// emailTaken explains a second user with one email, in any tenant. It searches all tenants at once. If the email is free again, the work is
// repeated.
func emailTaken(ctx context.Context, store *idempotency.Store, intent idempotency.Intent, d Draft, _ *pgconn.PgError) error {
	var existing *User // nil if the user belongs to a different tenant
	err := store.Pool.QueryRow(ctx, `
		SELECT CASE WHEN r.tenant_id = @tenant_id THEN `+Table.JSON()+` END FROM users r WHERE r.email = @email`,
		pgx.NamedArgs{"tenant_id": intent.Tenant, "email": d.Email.Folded()}).Scan(&existing)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return record.ErrNotFound
	case err != nil:
		return err
	case existing == nil:
		return &conflict.Error{
			Kind: &EmailUnusable, Title: "This email address can't be used.", Text: "Nothing was saved.",
			Field: "/email", Blame: "Enter another address.",
		}
	default:
		return &conflict.Error{
			Kind: &Exists, Title: existing.Called() + " has the email address " + existing.Email + ".",
			Text: "Each email address belongs to one person, so nothing was changed.", Existing: existing.ID, Name: existing.Called(),
			Field: "/email", Blame: "Another person has this address.",
		}
	}
}

// lastOwner explains that the tenant would have no owner left.
func lastOwner[C any](_ context.Context, _ *idempotency.Store, intent idempotency.Intent, _ C, _ *pgconn.PgError) error {
	return &conflict.Error{
		Kind: &LastOwner, Title: "This is the last owner who can log in.",
		Text:     "Nothing was changed. First make somebody else an owner, and let them choose a password.",
		Existing: intent.Record, Name: "the person",
	}
}

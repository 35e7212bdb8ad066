package signup

import (
	"cmp"
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/people/account"
	"onlyonce/internal/people/secret"
	"onlyonce/internal/record"
)

// purpose separates the secrets of links from others of the same seed.
const purpose = "sign-up"

// pathOf returns the path of the link in a mail.
func pathOf(seed secret.Seed, id, mail uuid.UUID) string {
	return "/sign-ups/" + id.String() + "/start?" + Parameter + "=" + seed.Derive(purpose, mail)
}

// Ask begins a sign-up, or finds the open one with the same email, and mails a link, once in ten minutes. It doesn't look at accounts: the
// mail depends on them, and the answer doesn't.
var Ask = idempotency.Define(idempotency.Spec[Draft, SignUp]{
	Kind: idempotency.Upsert, Name: "sign_up.ask", Table: Table, Deletes: true,
	Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
		mail := tx.ID(1)
		return tx.Return(`SELECT `+Table.JSON()+` FROM ask_sign_up(@tenant_id, @record_id, @email, @mail_id, @link_hash) r`,
			pgx.NamedArgs{
				"email": d.Email.Folded(), "mail_id": mail, "link_hash": account.HashToken(d.Seed.Derive(purpose, mail)),
			})
	},
	NotInFingerprint: []string{"Seed"},
})

// Start makes the business of a sign-up, always a new tenant, with its owner. Only a valid link starts it. Nothing of the command is in the
// fingerprint, because a sign-up begins one business: any repeat finds it begun. A digest of the password must not be stored, either.
var Start = idempotency.Define(idempotency.Spec[Business, SignUp]{
	Kind: idempotency.Transition, Name: "sign_up.start", Table: Table, Made: `r.started_at IS NOT NULL`, Deletes: true,
	Statements: func(tx *idempotency.Tx, b Business) idempotency.Result {
		tx.Require(1, LinkIsOver(), `
			UPDATE sign_ups r SET started_at = now()
			WHERE tenant_id = @tenant_id AND id = @record_id AND EXISTS (
				SELECT FROM sign_up_mails m
				WHERE m.tenant_id = r.tenant_id AND m.sign_up_id = r.id AND m.link_hash = @link_hash
					AND m.created_at > now() - @link_life::interval)`,
			pgx.NamedArgs{"link_hash": account.HashToken(b.Link), "link_life": LinkLife})
		tx.Exec(`
			SELECT begin_business(@tenant_id, @record_id, @business_id, @business_name, @person_name, @password_hash, @demo, @time_zone)`,
			pgx.NamedArgs{
				"business_id": tx.ID(1), "business_name": b.Name, "person_name": b.Person, "password_hash": b.PasswordHash, "demo": b.Demo,
				"time_zone": cmp.Or(b.TimeZone, "UTC"),
			})
		return tx.Record()
	},
	Explain:          map[string]idempotency.Explanation[Business]{"users_email_once": accountExists},
	NotInFingerprint: []string{"Link", "Name", "Person", "PasswordHash", "TimeZone", "Demo"},
})

// LinkOver is the conflict of a link that has expired.
var LinkOver = conflict.Kind{
	Slug: "link-over", Title: "This link doesn't work any more",
	Meaning: "The link of the sign-up has expired, or isn't complete. Nothing was saved.",
	ToDo:    "Sign up again: you get another link.",
}

// LinkIsOver returns the conflict of a link that has expired, or is none.
func LinkIsOver() error {
	return &conflict.Error{
		Kind: &LinkOver, Title: "This link doesn't work any more.", Text: "It was valid for 24 hours. Sign up again to get another one.",
	}
}

// AccountExists is the conflict with a user who has the email of the sign-up.
var AccountExists = conflict.Kind{
	Slug: "account-exists", Title: "This email has an account",
	Meaning: "Somebody can log in with the email of this sign-up already. Nothing was saved.",
	ToDo:    "Log in, or choose a new password with “Forgot your password?”.",
}

// accountExists explains a second user with one email. It searches all tenants at once.
func accountExists(ctx context.Context, store *idempotency.Store, intent idempotency.Intent, _ Business, _ *pgconn.PgError) error {
	s, err := record.Find(ctx, store.Pool, Table, intent.Tenant, intent.Record)
	if err != nil {
		return err
	}
	exists, err := hasAccount(ctx, store.Pool, s.Email)
	switch {
	case err != nil:
		return err
	case !exists:
		return record.ErrNotFound
	default:
		return &conflict.Error{
			Kind: &AccountExists, Title: s.Email + " has an account.",
			Text: "No other business was created. Log in, or choose a new password with “Forgot your password?”.",
		}
	}
}

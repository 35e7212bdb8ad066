package user

import (
	"time"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/people/account"
	"onlyonce/internal/people/link"
	"onlyonce/internal/people/secret"
)

// LinkLife is the validity of a link to choose a password.
const LinkLife = 48 * time.Hour

// Invitation is the command to make a link with which a user chooses a password. Its secret is derived from the seed. If Send is set, the
// link is also mailed to the user, which requires the program's seed.
type Invitation struct {
	Seed secret.Seed `json:"-"`
	Send bool        `json:"send"`
}

// Secret returns the secret of a user's link.
func (i Invitation) Secret(u User) string { return i.Seed.Derive("link", u.LinkID) }

// link returns the arguments of a new link.
func (i Invitation) link(tx *idempotency.Tx) pgx.NamedArgs {
	u := User{LinkID: tx.ID(1)}
	return pgx.NamedArgs{"link_id": u.LinkID, "link_hash": account.HashToken(i.Secret(u)), "link_life": LinkLife}
}

// Create adds a user without a password, and a link to choose one, which is mailed on request.
var Create = idempotency.Define(idempotency.Spec[Draft, User]{
	Kind: idempotency.Create, Name: "user.create", Table: Table,
	Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
		args := d.link(tx)
		args["email"], args["name"], args["role"] = d.Email.Folded(), d.Name, d.Role
		tx.Exec(`
			INSERT INTO users (tenant_id, id, email, name, role, password_hash, link_id, link_hash, link_expires_at)
			VALUES (@tenant_id, @record_id, @email, @name, @role, '', @link_id, @link_hash, now() + @link_life)`, args)
		if d.Send {
			tx.Exec(link.Ask, args)
		}
		return tx.Return(`SELECT `+Table.JSON()+` FROM users r WHERE r.tenant_id = @tenant_id AND r.id = @record_id`, nil)
	},
	Explain:          map[string]idempotency.Explanation[Draft]{"users_email_once": emailTaken},
	NotInFingerprint: []string{"Seed"}, // a repeat may come from another session
})

// Edit changes email, name and role. Another email ends all sessions of the user and revokes the link.
var Edit = idempotency.Define(idempotency.Spec[Draft, User]{
	Kind: idempotency.Change, Name: "user.edit", Table: Table,
	Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
		tx.Exec(`
			UPDATE users SET (email, name, role) = (@email, @name, @role)
			WHERE tenant_id = @tenant_id AND id = @record_id AND (email, name, role) IS DISTINCT FROM (@email, @name, @role)`,
			pgx.NamedArgs{"email": d.Email.Folded(), "name": d.Name, "role": d.Role})
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[Draft]{
		"users_email_once": emailTaken, "users_last_owner": lastOwner[Draft],
	},
	NotInFingerprint: []string{"Seed"},
})

// Disable prevents a user from logging in. It ends all sessions of the user and revokes the link.
var Disable = idempotency.Define(idempotency.Spec[struct{}, User]{
	Kind: idempotency.Transition, Name: "user.disable", Table: Table, Made: `r.disabled_at IS NOT NULL`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`UPDATE users SET disabled_at = now() WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[struct{}]{"users_last_owner": lastOwner[struct{}]},
})

// Enable lets a disabled user log in again.
var Enable = idempotency.Define(idempotency.Spec[struct{}, User]{
	Kind: idempotency.Transition, Name: "user.enable", Table: Table, Made: `r.disabled_at IS NULL`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`UPDATE users SET disabled_at = NULL WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		return tx.Record()
	},
})

// Invite makes a link with which the user chooses a password, unless one is open, and mails it on request. An existing password stays
// valid until the link is used.
var Invite = idempotency.Define(idempotency.Spec[Invitation, User]{
	Kind: idempotency.Transition, Name: "user.invite", Table: Table, Made: linkOpen,
	Statements: func(tx *idempotency.Tx, i Invitation) idempotency.Result {
		args := i.link(tx)
		tx.Exec(`
			UPDATE users SET link_id = @link_id, link_hash = @link_hash, link_expires_at = now() + @link_life, link_used_at = NULL
			WHERE tenant_id = @tenant_id AND id = @record_id`, args)
		if i.Send {
			tx.Exec(link.Ask, args)
		}
		return tx.Record()
	},
	NotInFingerprint: []string{"Seed"},
})

// Uninvite revokes the open link.
var Uninvite = idempotency.Define(idempotency.Spec[struct{}, User]{
	Kind: idempotency.Transition, Name: "user.uninvite", Table: Table, Made: `NOT (` + linkOpen + `)`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`
			UPDATE users SET link_id = NULL, link_hash = NULL, link_expires_at = NULL, link_used_at = NULL
			WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		return tx.Record()
	},
})

const linkOpen = `(r.link_hash IS NOT NULL AND r.link_used_at IS NULL AND r.link_expires_at > now())`

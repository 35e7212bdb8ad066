// Package user manages the people of a tenant, who log in by email. Only owners may use it. Package account checks logins.
package user

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/internal/invalid"
	"onlyonce/internal/people/account"
	"onlyonce/internal/record"
	"onlyonce/internal/value/email"
	"onlyonce/internal/value/party"
)

// User is a user, for owners.
type User struct {
	record.Header

	Email string `json:"email"`
	Name  string `json:"name"`
	Role  string `json:"role"` // one of [account.Roles]
	// DisabledAt is the time in UTC since when the user may not log in, or zero.
	DisabledAt time.Time `json:"disabled_at,omitzero"`
	// HasPassword reports whether the user has chosen a password, and can log in.
	HasPassword bool `json:"has_password"`
	// LinkID is the input from which the secret of the open link is derived, and LinkUntil the link's expiry, in UTC. They are zero without
	// an open link.
	LinkID    uuid.UUID `json:"link_id,omitzero"`
	LinkUntil time.Time `json:"link_until,omitzero"`
}

// Called returns the user's display name: the name, or the email without one.
func (u User) Called() string {
	if u.Name == "" {
		return u.Email
	}
	return u.Name
}

// LinkOpen reports whether the user can choose a password with a link now.
func (u User) LinkOpen(now time.Time) bool { return now.Before(u.LinkUntil) }

// Table is the table of users.
var Table = record.Table[User]{
	Name: "users",
	Fields: `'email', r.email, 'name', r.name, 'role', r.role, 'disabled_at', r.disabled_at, 'has_password', r.password_hash <> '',
		'link_id', CASE WHEN r.link_used_at IS NULL THEN r.link_id END,
		'link_until', CASE WHEN r.link_used_at IS NULL THEN r.link_expires_at END`,
}

// Input is the unchecked input.
type Input struct {
	Email string `json:"email"`
	Name  string `json:"name"`
	Role  string `json:"role"`
}

// Draft is the command that creates or edits a user.
type Draft struct {
	Email email.Address `json:"email"`
	Name  string        `json:"name"`
	Role  string        `json:"role"`
	Invitation
}

// Draft checks the input. It returns an [*invalid.Error] with all problems.
func (in Input) Draft() (Draft, error) {
	var problems invalid.Error
	d := Draft{Email: email.Typed(in.Email), Role: in.Role}
	if problem := d.Email.Problem(); problem != "" {
		problems.Add("/email", problem)
	}
	d.Name = problems.Line("/name", "the name", in.Name, party.MaxName)
	if !slices.Contains(account.Roles(), account.Role(d.Role)) {
		problems.Add("/role", "Choose a role: owner, member or read-only.")
	}
	return d, problems.Err()
}

// Rules returns the uniqueness rules of users.
func Rules() []conflict.Rule {
	return []conflict.Rule{
		{
			Constraint: "users_email_once",
			Sentence:   "One user per email address across all tenants: each login belongs to one person of one business.",
			Answer:     "Refused, and the existing user is kept. A user of another tenant is not revealed.",
			Conflict:   &Exists,
		},
	}
}

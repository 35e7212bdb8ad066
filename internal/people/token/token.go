// Package token manages the API tokens of a tenant, with which programs use the API. Package account checks them.
package token

import (
	"errors"
	"slices"
	"time"

	"onlyonce/internal/conflict"
	"onlyonce/internal/invalid"
	"onlyonce/internal/people/account"
	"onlyonce/internal/people/secret"
	"onlyonce/internal/record"
)

// Token is an API token for owners, without its secret, which is not stored.
type Token struct {
	record.Header

	Name string `json:"name"`
	Role string `json:"role"` // one of [account.TokenRoles]
	// CreatedBy is the user who created it, or "" if a command did.
	CreatedBy string `json:"created_by"`
	// RevokedAt is the time in UTC since when it is refused, or zero.
	RevokedAt time.Time `json:"revoked_at,omitzero"`
}

// Table is the table of tokens.
var Table = record.Table[Token]{
	Name:   "api_tokens",
	Fields: `'name', r.name, 'role', r.role, 'created_by', r.created_by, 'revoked_at', r.revoked_at`,
}

// Input is the unchecked input.
type Input struct {
	Name string `json:"name"`
	Role string `json:"role"`
}

// Draft is the command that creates a token. Its secret is derived from the seed.
type Draft struct {
	Name string      `json:"name"`
	Role string      `json:"role"`
	Seed secret.Seed `json:"-"`
}

// Draft checks the input. It returns an [*invalid.Error] with all problems.
func (in Input) Draft() (Draft, error) {
	var problems invalid.Error
	name, err := account.CheckName("the name of the token", in.Name)
	if wrong, ok := errors.AsType[*invalid.Error](err); ok {
		problems = *wrong
	}
	if !slices.Contains(account.TokenRoles(), account.Role(in.Role)) {
		problems.Add("/role", "Choose a role: member or read-only.")
	}
	return Draft{Name: name, Role: in.Role}, problems.Err()
}

// Secret returns the secret of a token, for the session of the seed.
func Secret(seed secret.Seed, t Token) string { return "oo_" + seed.Derive("token", t.ID) }

// SecretShown is the time for which the page of a new token shows its secret, in the session that created it.
const SecretShown = time.Hour

// Rules returns the uniqueness rules of tokens.
func Rules() []conflict.Rule {
	return []conflict.Rule{
		{
			Constraint: "api_tokens_name_once",
			Sentence:   "One token per name in each tenant, ignoring those that were revoked.",
			Answer:     "Refused, and the existing token is kept.",
			Conflict:   &NameTaken,
			Optional:   true,
		},
	}
}

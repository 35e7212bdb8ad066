// Package token manages the API tokens of a tenant, with which programs use the API. Package account checks them.
package token

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
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
	// Scope has the parts of the API that it is for, see [Draft].
	Scope string `json:"scope"`
	// CreatedBy is the user who created it, or "" if a command did.
	CreatedBy string `json:"created_by"`
	// RevokedAt is the time in UTC since when it is refused, or zero.
	RevokedAt time.Time `json:"revoked_at,omitzero"`
	// ExpiresAt is the time in UTC from which on it is refused, or zero.
	ExpiresAt time.Time `json:"expires_at,omitzero"`
	// LastUsedAt is the time in UTC of its last use, at most an hour early, or zero.
	LastUsedAt time.Time `json:"last_used_at,omitzero"`
}

// Expired reports whether it has expired.
func (t Token) Expired() bool { return !t.ExpiresAt.IsZero() && !time.Now().Before(t.ExpiresAt) }

// Table is the table of tokens.
var Table = record.Table[Token]{
	Name: "api_tokens",
	Fields: `'name', r.name, 'role', r.role, 'scope', r.scope, 'created_by', r.created_by, 'revoked_at', r.revoked_at,
		'expires_at', r.expires_at, 'last_used_at', (
			SELECT u.last_used_at FROM api_token_uses u WHERE u.tenant_id = r.tenant_id AND u.token_id = r.id LIMIT 1)`,
}

// Input is the unchecked input.
type Input struct {
	Name      string `json:"name"`
	Role      string `json:"role"`
	Scope     string `json:"scope,omitzero"`
	ValidDays string `json:"valid_days,omitzero"`
}

// Draft is the command that creates a token. Its secret is derived from the seed.
type Draft struct {
	Name string `json:"name"`
	Role string `json:"role"`
	// Scope has the parts of the API that the token is for: first words of addresses, sorted, with a space between; "" for all except those
	// that only owners see.
	Scope string `json:"scope,omitzero"`
	// ValidDays is the number of days for which the token is valid, or 0 for no end.
	ValidDays int         `json:"valid_days,omitzero"`
	Seed      secret.Seed `json:"-"`
}

// Draft checks the input, with the parts of the API. It returns an [*invalid.Error] with all problems.
func (in Input) Draft(parts []string) (Draft, error) {
	var problems invalid.Error
	name, err := account.CheckName("the name of the token", in.Name)
	if wrong, ok := errors.AsType[*invalid.Error](err); ok {
		problems = *wrong
	}
	if !slices.Contains(account.TokenRoles(), account.Role(in.Role)) {
		problems.Add("/role", "Choose a role: member or read-only.")
	}
	scope := strings.Fields(in.Scope)
	slices.Sort(scope)
	scope = slices.Compact(scope)
	for _, part := range scope {
		if !slices.Contains(parts, part) {
			problems.Add("/scope", fmt.Sprintf("%q isn't a part of the API.", part))
			break
		}
	}
	days, err := strconv.Atoi(cmp.Or(in.ValidDays, "0"))
	if err != nil || !slices.Contains([]int{0, 30, 90, 365}, days) {
		problems.Add("/valid_days", "Choose 30, 90 or 365 days, or no end.")
	}
	return Draft{Name: name, Role: in.Role, Scope: strings.Join(scope, " "), ValidDays: days}, problems.Err()
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

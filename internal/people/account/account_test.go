package account_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const password = "correct horse battery staple"

type bundle struct {
	*pgtest.Database

	tenant uuid.UUID
}

func setup(t *testing.T) bundle {
	t.Helper()
	t.Parallel()
	b := bundle{pgtest.New(t), uuid.New()}
	hash, err := account.HashPassword(password)
	must.OK(t, err)
	for _, statement := range []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO tenants (id, name) VALUES ($1, 'Acme')`, []any{b.tenant}},
		{`INSERT INTO users (id, tenant_id, email, password_hash) VALUES ($1, $1, 'ada@example.com', $2)`, []any{b.tenant, hash}},
		{`INSERT INTO users (tenant_id, email, password_hash) VALUES ($1, 'grace@example.com', '')`, []any{b.tenant}},
		{`INSERT INTO api_tokens (token_hash, tenant_id, name) VALUES ($1, $2, 'sync')`, []any{account.HashToken("valid"), b.tenant}},
		{`INSERT INTO api_tokens (token_hash, tenant_id, name, role) VALUES ($1, $2, 'report', 'read-only')`,
			[]any{account.HashToken("reads"), b.tenant}},
		{`INSERT INTO api_tokens (token_hash, tenant_id, name, revoked_at) VALUES ($1, $2, 'old', now())`,
			[]any{account.HashToken("revoked"), b.tenant}},
		{`INSERT INTO api_tokens (token_hash, tenant_id, name, scope, expires_at)
			VALUES ($1, $2, 'shop', 'customers', now() + interval '1 minute')`, []any{account.HashToken("limited"), b.tenant}},
		{`INSERT INTO api_tokens (token_hash, tenant_id, name, expires_at) VALUES ($1, $2, 'trial', now())`,
			[]any{account.HashToken("expired"), b.tenant}},
	} {
		must.Exec(t, b.Pool, statement.sql, statement.args...)
	}
	return b
}

func TestLogIn(t *testing.T) {
	b := setup(t)
	for _, email := range []string{"ada@example.com", " ADA@Example.com "} {
		who, err := account.LogIn(t.Context(), b.Pool, email, password)
		want := account.Principal{Tenant: b.tenant, TenantName: "Acme", User: b.tenant, Name: "ada@example.com"}
		assert.Thatf(t, err == nil && who == want, "%q: %+v, %v", email, who, err)
	}
	for name, c := range map[string]struct{ email, password string }{
		"wrong password": {"ada@example.com", "wrong"},
		"no password":    {"ada@example.com", ""},
		"unknown email":  {"nobody@example.com", password}, // also checks that the decoy is a valid hash
		"no email":       {"", password},
		"not chosen yet": {"grace@example.com", ""},
		"too long":       {"ada@example.com", strings.Repeat("x", account.MaxPassword+1)},
		"like pattern":   {"%", password},
	} {
		who, err := account.LogIn(t.Context(), b.Pool, c.email, c.password)
		assert.Thatf(t, errors.Is(err, account.ErrUnknown) && who == (account.Principal{}), "%s: %+v, %v", name, who, err)
	}
}

func TestHashPassword(t *testing.T) {
	t.Parallel()
	one, err := account.HashPassword(password)
	must.OK(t, err)
	two, err := account.HashPassword(password)
	must.OK(t, err)
	assert.Thatf(t, one != two && strings.HasPrefix(one, "$argon2id$v=19$m=19456,t=2,p=1$"), "%s, %s", one, two)
}

func TestFindToken(t *testing.T) {
	b := setup(t)
	for token, want := range map[string]account.Principal{
		"valid":   {Tenant: b.tenant, TenantName: "Acme", Name: "token sync", Role: account.Member, TimeZone: "UTC"},
		"reads":   {Tenant: b.tenant, TenantName: "Acme", Name: "token report", Role: account.ReadOnly, TimeZone: "UTC"},
		"limited": {Tenant: b.tenant, TenantName: "Acme", Name: "token shop", Role: account.Member, Scope: "customers", TimeZone: "UTC"},
	} {
		who, err := account.FindToken(t.Context(), b.Pool, token)
		assert.Thatf(t, err == nil && who == want, "%s: %+v, %v", token, who, err)
	}
	for _, token := range []string{"", "revoked", "expired", "Valid", "valid ", string(account.HashToken("valid"))} {
		who, err := account.FindToken(t.Context(), b.Pool, token)
		assert.Thatf(t, errors.Is(err, account.ErrUnknown), "%q: %+v, %v", token, who, err)
	}
	assert.Thatf(t, !bytes.Contains(account.HashToken("valid"), []byte("valid")), "the token is stored")
}

// TestTokenUse checks that the time of the last use is stored once an hour, and is no change of the token.
func TestTokenUse(t *testing.T) {
	b := setup(t)
	for _, c := range []struct {
		before string // how long before it was used
		want   bool   // whether the use is stored
	}{{"", true}, {"59 minutes", false}, {"61 minutes", true}} {
		if c.before != "" {
			must.Exec(t, b.Pool, `UPDATE api_token_uses SET last_used_at = now() - $1::interval`, c.before)
		}
		_, err := account.FindToken(t.Context(), b.Pool, "valid")
		must.OK(t, err)
		var now, same bool
		must.OK(t, b.Pool.QueryRow(t.Context(), `
			SELECT last_used_at > now() - interval '30 seconds', version = 1
			FROM api_tokens JOIN api_token_uses ON token_id = id WHERE name = 'sync'`).Scan(&now, &same))
		assert.Thatf(t, now == c.want && same, "%s: stored %v, the same version %v", c.before, now, same)
	}
}

// TestReplacementIsLimitedToo checks that a token which replaces another has its role and scope, and is valid for as long.
func TestReplacementIsLimitedToo(t *testing.T) {
	b := setup(t)
	secret, replaced, err := account.CreateToken(t.Context(), b.Pool, b.tenant, "shop", "", true)
	must.OK(t, err)
	who, err := account.FindToken(t.Context(), b.Pool, secret)
	assert.Thatf(t, err == nil && replaced && who.Scope == "customers" && who.Role == account.Member, "%+v, %v", who, err)
	must.Exec(t, b.Pool, `UPDATE api_tokens SET expires_at = expires_at - interval '1 minute' WHERE name = 'shop'`)
	_, err = account.FindToken(t.Context(), b.Pool, secret)
	assert.Thatf(t, errors.Is(err, account.ErrUnknown), "a minute later: %v", err)
}

func TestMayChange(t *testing.T) {
	b := setup(t)
	for name, want := range map[string]bool{
		"ada@example.com": true, "grace@example.com": true, "token sync": true,
		"token report": false, "token old": false, "token trial": false, "sync": false, "nobody@example.com": false,
	} {
		may, err := account.MayChange(t.Context(), b.Pool, b.tenant, name)
		assert.Thatf(t, err == nil && may == want, "%s: %v, %v", name, may, err)
	}
	must.Exec(t, b.Pool, `UPDATE users SET disabled_at = now() WHERE email = 'grace@example.com'`)
	may, err := account.MayChange(t.Context(), b.Pool, b.tenant, "grace@example.com")
	assert.Thatf(t, err == nil && !may, "a disabled user: %v, %v", may, err)
}

func TestTenants(t *testing.T) {
	b := setup(t)
	other := uuid.New()
	must.Exec(t, b.Pool, `INSERT INTO tenants (id, name) VALUES ($1, 'Other')`, other)
	found, err := account.Tenants(t.Context(), b.Pool)
	assert.Thatf(t, err == nil && len(found) == 2 && slices.Contains(found, b.tenant) && slices.Contains(found, other),
		"%v, %v", found, err)
}

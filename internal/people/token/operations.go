package token

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/people/account"
	"onlyonce/internal/record"
)

// Create creates a token. Only the hash of its secret is sent to the database.
var Create = idempotency.Define(idempotency.Spec[Draft, Token]{
	Kind: idempotency.Create, Name: "token.create", Table: Table,
	Run: func(ctx context.Context, tx pgx.Tx, i idempotency.Intent, d Draft) (Token, error) {
		made := Token{Header: record.Header{ID: i.Record}}
		_, err := tx.Exec(ctx, `
			INSERT INTO api_tokens (tenant_id, id, name, role, scope, expires_at, token_hash, created_by)
			VALUES (@tenant_id, @id, @name, @role, @scope, now() + make_interval(days => nullif(@valid_days::int, 0)), @hash, @actor)`,
			pgx.NamedArgs{
				"tenant_id": i.Tenant, "id": i.Record, "name": d.Name, "role": d.Role, "scope": d.Scope, "valid_days": d.ValidDays,
				"hash": account.HashToken(Secret(d.Seed, made)), "actor": i.Actor,
			})
		if err != nil {
			return Token{}, err
		}
		return record.FindIn(ctx, tx, Table, i.Tenant, i.Record)
	},
	Explain: map[string]idempotency.Explanation[Draft]{
		"api_tokens_name_once": idempotency.Taken(Table, `r.name = @name AND r.revoked_at IS NULL`,
			func(d Draft) pgx.NamedArgs { return pgx.NamedArgs{"name": d.Name} },
			func(_ Draft, other Token) error { return taken(other) }),
	},
	NotInFingerprint: []string{"Seed"}, // a repeat may come from another session
})

// Revoke invalidates a token.
var Revoke = idempotency.Define(idempotency.Spec[struct{}, Token]{
	Kind: idempotency.Transition, Name: "token.revoke", Table: Table, Made: `r.revoked_at IS NOT NULL`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`UPDATE api_tokens SET revoked_at = now() WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[struct{}]{
		"api_tokens_name_once": func(ctx context.Context, s *idempotency.Store, i idempotency.Intent, _ struct{}, _ *pgconn.PgError) error {
			other, err := record.Find(ctx, s.Pool, Table, i.Tenant, i.Record)
			if err != nil {
				return err
			}
			return taken(other)
		},
	},
})

// NameTaken is the conflict of two active tokens with the same name.
var NameTaken = conflict.Kind{
	Slug: "token-name-taken", Title: "Token name already used",
	Meaning: "The business already has an active token with this name. Nothing was changed. You can use the key again.",
	ToDo:    "Enter another name, or revoke the token of this name first.",
}

func taken(other Token) error {
	return &conflict.Error{
		Kind: &NameTaken, Title: "There is a token named " + other.Name + ".",
		Text: "Nothing was created. Enter another name, or revoke that one first.", Existing: other.ID, Name: other.Name,
		Field: "/name", Blame: "Another token has this name.",
	}
}

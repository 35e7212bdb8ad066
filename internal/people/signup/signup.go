// Package signup has sign-ups: a person without a login asks for a business, confirms the email with a mailed link, and begins the business
// as its owner, once. Sign-ups belong to the tenant [account.Strangers].
package signup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/invalid"
	"onlyonce/internal/people/account"
	"onlyonce/internal/people/secret"
	"onlyonce/internal/postgres"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/email"
	"onlyonce/internal/value/party"
)

// Parameter is the name of the parameter and the field with the secret of a link.
const Parameter = "link"

// LinkLife is the validity of a link.
const LinkLife = 24 * time.Hour

// Keep is the retention of sign-ups and their mails.
const Keep = 30 * 24 * time.Hour

// SignUp is a sign-up. It is open until its business begins.
type SignUp struct {
	record.Header

	Email     string    `json:"email"`
	StartedAt time.Time `json:"started_at,omitzero"` // UTC
}

// Table is the table of sign-ups.
var Table = record.Table[SignUp]{Name: "sign_ups", Fields: `'email', r.email, 'started_at', r.started_at`}

// Input is the unchecked input of [Ask].
type Input struct {
	Email string `json:"email"`
}

// Draft is the command of [Ask]. The secret of the link is derived from the seed.
type Draft struct {
	Email email.Address `json:"email"`
	Seed  secret.Seed   `json:"-"`
}

// Draft checks the input.
func (in Input) Draft() (Draft, error) {
	var problems invalid.Error
	d := Draft{Email: email.Typed(in.Email)}
	if problem := d.Email.Problem(); problem != "" {
		problems.Add("/email", problem)
	}
	return d, problems.Err()
}

// Business is the command of [Start]. No digest of its fields is stored.
type Business struct {
	Link         string `json:"-"` // the secret
	Name         string `json:"-"` // of the business
	Person       string `json:"-"` // the owner's name
	PasswordHash string `json:"-"`
	TimeZone     string `json:"-"` // of [date.Zones], or "" for UTC
	Demo         bool   `json:"-"` // whether the business belongs to the demo
}

// Typed is the unchecked input of [Start].
type Typed struct{ Link, Business, Name, Password, TimeZone string }

// Check returns the command without the hash of the password, or an [*invalid.Error]. An unknown time zone, which the person hasn't typed,
// is left out.
func (in Typed) Check() (Business, error) {
	var problems invalid.Error
	b := Business{Link: in.Link}
	if zone := date.Canonical(in.TimeZone); date.IsZone(zone) {
		b.TimeZone = zone
	}
	name, err := account.CheckName("the name of your business", in.Business)
	if wrong, ok := errors.AsType[*invalid.Error](err); ok {
		for _, f := range wrong.Fields {
			problems.Add("/business", f.Message)
		}
	}
	b.Name = name
	b.Person = problems.Line("/name", "your name", in.Name, party.MaxName)
	if problem := account.PasswordProblem(in.Password); problem != "" {
		problems.Add("/password", problem)
	}
	return b, problems.Err()
}

// Rules returns the uniqueness rules of sign-ups.
func Rules() []conflict.Rule {
	return []conflict.Rule{{
		Constraint: "sign_ups_open_once", Optional: true,
		Sentence: "One open sign-up per email address. It is open until its business begins.",
		Answer:   "The open sign-up is used, and one email with a link is sent in ten minutes.",
	}}
}

// HasLink reports whether the sign-up has a link with the secret. The link may have expired.
func HasLink(ctx context.Context, pool *pgxpool.Pool, id uuid.UUID, secret string) (bool, error) {
	return record.One(ctx, pool, account.Strangers, pgx.RowTo[bool], `
		SELECT EXISTS (SELECT FROM sign_up_mails WHERE tenant_id = @tenant_id AND sign_up_id = @id AND link_hash = @link_hash)`,
		pgx.NamedArgs{"id": id, "link_hash": account.HashToken(secret)})
}

// LastLink returns the path of the last link of a sign-up, or [pgx.ErrNoRows].
func LastLink(ctx context.Context, pool *pgxpool.Pool, seed secret.Seed, id uuid.UUID) (path string, err error) {
	mail, err := record.One(ctx, pool, account.Strangers, pgx.RowTo[uuid.UUID], `
		SELECT id FROM sign_up_mails WHERE tenant_id = @tenant_id AND sign_up_id = @id ORDER BY created_at DESC LIMIT 1`,
		pgx.NamedArgs{"id": id})
	return pathOf(seed, id, mail), err
}

// Expire deletes the sign-ups of a tenant that are older than [Keep], with their mails.
func Expire(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID) error {
	err := postgres.InTenant(ctx, pool, tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM sign_ups WHERE tenant_id = $1 AND id < new_id(now() - $2::interval)`, tenant, Keep)
		return err
	})
	if err != nil {
		return fmt.Errorf("delete old sign-ups: %w", err)
	}
	return nil
}

// Package link mails links to choose a password, to invited users and to those who have forgotten theirs. Package user makes the links
// that owners request, and package account uses them.
package link

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/postgres"
)

// Parameter is the name of the parameter of /join with the secret of a link.
const Parameter = "link"

// Mail is a mail with a link, for owners.
type Mail struct {
	Recipient string
	AskedBy   string // the email of an owner; "" if the recipient requested it
	State     string // see package mailer
	Reason    string // why the last attempt failed, in plain words, or ""
	SentAt    time.Time
}

// Ask is the SQL that queues the mail with the link @link_id of the user @record_id, requested by an owner.
const Ask = `
	INSERT INTO link_mails (tenant_id, user_id, link_id, recipient, asked_by)
	SELECT tenant_id, id, @link_id, email, @actor FROM users WHERE tenant_id = @tenant_id AND id = @record_id`

// Last returns the last mail with a link of a user, and false if it was not mailed.
func Last(ctx context.Context, pool *pgxpool.Pool, tenant, user, link uuid.UUID) (m Mail, mailed bool, err error) {
	err = postgres.InTenant(ctx, pool, tenant, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `
			SELECT recipient, asked_by, state, reason, COALESCE(sent_at, created_at) FROM link_mails
			WHERE tenant_id = $1 AND user_id = $2 AND link_id = $3
			ORDER BY id DESC LIMIT 1`, tenant, user, link)
		if err != nil {
			return err
		}
		m, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Mail])
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Mail{}, false, nil
	}
	if err != nil {
		return Mail{}, false, fmt.Errorf("look at the mails with a link: %w", err)
	}
	return m, true, nil
}

// Keep is the retention of a mail's outcome.
const Keep = 30 * 24 * time.Hour

// Expire deletes the mails of a tenant that are older than [Keep].
func Expire(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID) error {
	return postgres.InTenant(ctx, pool, tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM link_mails WHERE tenant_id = $1 AND id < new_id(now() - $2::interval)`, tenant, Keep)
		return err
	})
}

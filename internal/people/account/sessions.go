package account

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Session is a login in a browser, for the list of its user.
type Session struct {
	ID     uuid.UUID
	Device string
	Began  time.Time
	Seen   time.Time // time of the last request, accurate to some minutes
}

// MaxSessions is the maximum number of sessions shown to a user.
const MaxSessions = 20

// ListSessions returns the sessions of a user that were active since a time, newest first, and whether there are more than [MaxSessions].
// A user of the demo sees only the session mine, because the others may be other people's.
func ListSessions(
	ctx context.Context, pool *pgxpool.Pool, p Principal, mine uuid.UUID, since time.Time,
) (all []Session, more bool, err error) {
	first, last := uuid.Nil, uuid.Max
	if p.Demo {
		first, last = mine, mine
	}
	// The age needs no index, because most stored sessions have not expired.
	rows, err := pool.Query(ctx, `
		SELECT id, device, created_at, seen_at FROM sessions
		WHERE tenant_id = $1 AND user_id = $2 AND generation = $3 AND expiry - now() > interval '0' AND seen_at > $4
			AND id BETWEEN $6 AND $7
		ORDER BY id DESC LIMIT $5`, p.Tenant, p.User, p.Generation, since, MaxSessions+1, first, last)
	if err != nil {
		return nil, false, fmt.Errorf("list sessions: %w", err)
	}
	all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Session])
	if err != nil {
		return nil, false, fmt.Errorf("list sessions: %w", err)
	}
	return all[:min(len(all), MaxSessions)], len(all) > MaxSessions, nil
}

// EndSession ends a session of a user, if it still exists. It ignores the sessions of other users.
func EndSession(ctx context.Context, pool *pgxpool.Pool, p Principal, id uuid.UUID) error {
	_, err := pool.Exec(ctx, `DELETE FROM sessions WHERE tenant_id = $1 AND user_id = $2 AND id = $3`, p.Tenant, p.User, id)
	if err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	return nil
}

// EndOtherSessions ends all sessions of a user except one.
func EndOtherSessions(ctx context.Context, pool *pgxpool.Pool, p Principal, but uuid.UUID) error {
	_, err := pool.Exec(ctx, `DELETE FROM sessions WHERE tenant_id = $1 AND user_id = $2 AND id <> $3`, p.Tenant, p.User, but)
	if err != nil {
		return fmt.Errorf("end sessions: %w", err)
	}
	return nil
}

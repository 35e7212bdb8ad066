package peoplepages

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// sessionStore keeps sessions in PostgreSQL. It is a [scs.CtxStore]: scs calls the methods with the request's context, and never those
// without one. Package app deletes expired sessions.
type sessionStore struct {
	scs.Store // nil: the methods without a context

	pool *pgxpool.Pool
}

// FindCtx returns the data of a session, and whether there is one that has not expired.
func (s sessionStore) FindCtx(ctx context.Context, token string) (data []byte, found bool, err error) {
	err = s.pool.QueryRow(ctx, `SELECT data FROM sessions WHERE token = $1 AND expiry > now()`, token).Scan(&data)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("find session: %w", err)
	}
	return data, true, nil
}

type sessionBegun struct{}

// begun is the context in which a session is stored for the first time.
func begun(ctx context.Context) context.Context { return context.WithValue(ctx, sessionBegun{}, true) }

// errSessionOver means that a session was deleted since it was read.
var errSessionOver = errors.New("session is over")

// CommitCtx stores the data of a session. It returns errSessionOver unless the session is there, or has just begun: a request that
// saves its session after a logout must not bring it back.
func (s sessionStore) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	_, values, err := scs.GobCodec{}.Decode(data)
	if err != nil {
		return fmt.Errorf("read session: %w", err)
	}
	args := pgx.NamedArgs{
		"token": token, "data": data, "expiry": expiry, "tenant": values[sessionTenant], "id": values[sessionID],
		"user": values[sessionUser], "generation": values[sessionGeneration], "device": values[sessionDevice],
	}
	sql := `UPDATE sessions SET (data, expiry, generation, seen_at) = (@data, @expiry, @generation, now()) WHERE token = @token`
	if ctx.Value(sessionBegun{}) != nil {
		sql = `
			INSERT INTO sessions (tenant_id, id, user_id, generation, device, token, data, expiry)
			VALUES (@tenant, @id, @user, @generation, @device, @token, @data, @expiry)`
	}
	done, err := s.pool.Exec(ctx, sql, args)
	if err != nil {
		return fmt.Errorf("store session: %w", err)
	}
	if done.RowsAffected() == 0 {
		return errSessionOver
	}
	return nil
}

// DeleteCtx deletes a session, if there is one.
func (s sessionStore) DeleteCtx(ctx context.Context, token string) error {
	if _, err := s.pool.Exec(ctx, `DELETE FROM sessions WHERE token = $1`, token); err != nil {
		return fmt.Errorf("delete session: %w", err)
	}
	return nil
}

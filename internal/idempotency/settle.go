package idempotency

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
)

// asks bounds how often one attempt is sent: again after a lost connection, a deadlock, or a record
// that expired between the claim and the look.
const asks = 4

// settle sends the transaction until its outcome is known. Sending it again is safe because it is
// idempotent, and it is how to find out what became of a lost COMMIT: a mere SELECT could miss a
// transaction that still runs, the claim waits for it.
//
// The caller may leave until something was sent. From then on only the store's Timeout counts: a
// client that goes away must not turn a commit into a riddle.
func (s *Store) settle(ctx context.Context, t transaction) (*record, error) {
	all, look, err := s.bind(ctx, t)
	if err != nil {
		return nil, err
	}
	patience, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Timeout)
	defer cancel()

	var last error
	unsure := false // something was sent and no answer came
	for ask := range asks {
		if !pause(patience, ask) {
			break
		}
		out, sent, err := s.ask(patience, detached, all, look)
		if sent {
			patience = detached //nolint:fatcontext // it replaces, and does not nest
		}
		if err != nil {
			last, unsure = err, unsure || sent
			continue
		}
		stored, err := verdict(out, t.work.record)
		if !errors.Is(err, errAgain) {
			return stored, err
		}
		last, unsure = ErrBusy, false // an answer did come
	}
	switch {
	case unsure:
		return nil, fmt.Errorf("%w: %w", ErrUnconfirmed, last)
	case errors.Is(last, ErrBusy):
		return nil, last
	case last == nil || ctx.Err() != nil:
		return nil, fmt.Errorf("given up before anything was sent: %w", context.Cause(ctx))
	default:
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, last)
	}
}

// ask makes one round trip. sent is false as long as the server cannot have seen the transaction.
func (s *Store) ask(patience, detached context.Context, all, look []bound) (out answer, sent bool, err error) {
	conn, err := s.Pool.Acquire(patience)
	if err != nil {
		return out, false, fmt.Errorf("acquire a connection: %w", err)
	}
	defer conn.Release()
	if err := prepare(detached, conn.Conn(), s.wait(), all, look); err != nil {
		if isRefusal(err) {
			errors.As(err, &out.failed)
			out.at = notSent
			return out, false, nil
		}
		return out, false, err
	}
	out, err = send(detached, conn.Conn(), all, look)
	if err == nil && out.failed != nil && stalePlan(out.failed) {
		// The schema changed under a prepared statement. A new connection prepares it anew.
		err := conn.Conn().Close(detached)
		return out, true, err
	}
	return out, true, err
}

// notSent stands for the statement that failed when not even the claim was sent.
const notSent = -1

// errAgain says that nothing was done and that the same transaction may succeed now.
var errAgain = errors.New("ask again")

// verdict reads an answer. Every error here means that the transaction was rolled back.
func verdict(out answer, token uuid.UUID) (*record, error) {
	if out.failed == nil {
		return &record{token: token, result: out.result, visible: true}, nil
	}
	switch code := out.failed.Code; {
	case code == "OO001" && out.stored != nil: // claimed before
		return out.stored, nil
	case code == "OO001": // claimed before, and expired since
		return nil, errAgain
	case code == "40001", code == "40P01", stalePlan(out.failed): // serialization failure, deadlock
		return nil, errAgain
	case code == "55P03" && out.at == 0: // lock timeout on the claim
		return nil, ErrInProgress
	case code == "55P03", code == "57014": // lock timeout, statement timeout
		return nil, fmt.Errorf("%w: %w", ErrBusy, out.failed)
	case code[:2] == "53", code == "25006": // out of resources, a standby
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, out.failed)
	default:
		return nil, out.failed
	}
}

// stalePlan: "cached plan must not change result type", or the prepared statement is gone.
func stalePlan(err *pgconn.PgError) bool { return err.Code == "0A000" || err.Code == "26000" }

// pause waits before ask number n, a little longer each time. It reports whether ctx is still alive.
func pause(ctx context.Context, n int) bool {
	timer := time.NewTimer(time.Duration(n*n) * 50 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

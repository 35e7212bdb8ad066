package idempotency

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrNotYours says that work tried to end the transaction that it was given.
var ErrNotYours = errors.New("the transaction of an intent is committed or rolled back by package idempotency alone")

// workTx is the transaction that [Spec.Run] works in. Once it has ended, pgx refuses every use of it.
type workTx struct{ pgx.Tx }

// Commit returns [ErrNotYours].
func (workTx) Commit(context.Context) error { return ErrNotYours }

// Rollback returns [ErrNotYours]: to roll back, work returns an error.
func (workTx) Rollback(context.Context) error { return ErrNotYours }

// Conn gives nil: the connection would outlive the transaction.
func (workTx) Conn() *pgx.Conn { return nil }

// Begin gives a savepoint, which work may commit and roll back.
func (t workTx) Begin(ctx context.Context) (pgx.Tx, error) {
	savepoint, err := t.Tx.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return savepointTx{savepoint}, nil
}

// Exec is that of pgx, but for statements that would end the transaction.
func (t workTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if endsTransaction.MatchString(sql) {
		return pgconn.CommandTag{}, ErrNotYours
	}
	return t.Tx.Exec(ctx, sql, args...)
}

// Query is that of pgx, but for statements that would end the transaction.
func (t workTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if endsTransaction.MatchString(sql) {
		return nil, ErrNotYours
	}
	return t.Tx.Query(ctx, sql, args...)
}

// SendBatch is that of pgx. A statement in it that would end the transaction ends the work.
func (t workTx) SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults {
	for _, q := range batch.QueuedQueries {
		if endsTransaction.MatchString(q.SQL) {
			panic(ErrNotYours)
		}
	}
	return t.Tx.SendBatch(ctx, batch)
}

// endsTransaction matches SQL that begins, behind comments, with a command about the whole transaction.
var endsTransaction = regexp.MustCompile(`(?is)^(\s|--[^\n]*\n|/\*.*?\*/)*` +
	`(commit|end|abort|begin|start|prepare\s+transaction|rollback\s*(;|$|work|transaction|and))`)

// savepointTx is a part of the work that may be rolled back by itself.
type savepointTx struct{ pgx.Tx }

// Conn gives nil: the connection would outlive the transaction.
func (savepointTx) Conn() *pgx.Conn { return nil }

// workError is what work returned.
type workError struct{ error }

func (e workError) Unwrap() error { return e.error }

// converse carries out the intent by conversation: claim, work, result and COMMIT, one after the other. As
// long as COMMIT was not sent, a lost connection means that nothing was done.
func (s *Store) converse(ctx context.Context, conn *pgxpool.Conn, t transaction) (made stored, at int, err error) {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return stored{}, notSent, err
	}
	defer func() {
		if err != nil {
			undoing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			_ = tx.Rollback(undoing) // else the pool ends the connection, and PostgreSQL the transaction
		}
	}()
	// Work that hangs must not hold its locks for ever.
	if _, err := tx.Exec(ctx, `SELECT set_config('idle_in_transaction_session_timeout', $1, true)`,
		fmt.Sprint(s.Timeout.Milliseconds())); err != nil {
		return stored{}, notSent, err
	}
	if err := run(ctx, tx, t.claim, nil); err != nil {
		return stored{}, unlessLost(conn, 0), err
	}
	value, err := t.run(ctx, workTx{tx})
	if err != nil {
		return stored{}, unlessLost(conn, 1), workError{err}
	}
	result, err := json.Marshal(value)
	if err != nil {
		return stored{}, 1, workError{fmt.Errorf("encode the result: %w", err)}
	}
	last, err := t.finish(ctx, result)
	if err != nil {
		return stored{}, 1, workError{err}
	}
	made = stored{attempt: t.attempt, fingerprint: t.fingerprint[:], visible: true}
	if err := run(ctx, tx, last, []any{&made.result, &made.record}); err != nil {
		return stored{}, unlessLost(conn, 1), err
	}
	return made, 2, tx.Commit(ctx)
}

// run runs one statement, and scans its row, if it has to have one.
func run(ctx context.Context, tx pgx.Tx, b bound, dst []any) error {
	if dst == nil {
		_, err := tx.Exec(ctx, b.sql, b.values...)
		return err
	}
	return tx.QueryRow(ctx, b.sql, b.values...).Scan(dst...)
}

// unlessLost gives the place of what failed, or notSent if the connection is gone: without COMMIT, nothing was
// done.
func unlessLost(conn *pgxpool.Conn, at int) int {
	if conn.Conn().IsClosed() {
		return notSent
	}
	return at
}

package idempotency

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrNotYours means that work tried to end the transaction that it was given.
var ErrNotYours = errors.New("the transaction of an intent is committed or rolled back by package idempotency alone")

// workTx is the transaction that [Spec.Run] works in, or a savepoint in it, which work may commit and roll
// back. Once the transaction has ended, pgx refuses every use of both.
type workTx struct {
	pgx.Tx

	savepoint bool
}

// Commit returns [ErrNotYours], unless it is for a savepoint.
func (t workTx) Commit(ctx context.Context) error {
	if !t.savepoint {
		return ErrNotYours
	}
	return t.Tx.Commit(ctx)
}

// Rollback returns [ErrNotYours], unless it is for a savepoint: to roll everything back, work returns an error.
func (t workTx) Rollback(ctx context.Context) error {
	if !t.savepoint {
		return ErrNotYours
	}
	return t.Tx.Rollback(ctx)
}

// Conn returns nil: the connection would outlive the transaction.
func (workTx) Conn() *pgx.Conn { return nil }

// Begin returns a savepoint.
func (t workTx) Begin(ctx context.Context) (pgx.Tx, error) {
	savepoint, err := t.Tx.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return workTx{savepoint, true}, nil
}

// Exec is that of pgx, but for SQL that could end the transaction.
func (t workTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if mayEndTransaction(sql, args) {
		return pgconn.CommandTag{}, ErrNotYours
	}
	return t.Tx.Exec(ctx, sql, args...)
}

// Query is that of pgx, but for SQL that could end the transaction.
func (t workTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if mayEndTransaction(sql, args) {
		return nil, ErrNotYours
	}
	return t.Tx.Query(ctx, sql, args...)
}

// QueryRow is that of pgx, but for SQL that could end the transaction.
func (t workTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if mayEndTransaction(sql, args) {
		return notYoursRow{}
	}
	return t.Tx.QueryRow(ctx, sql, args...)
}

// Prepare is that of pgx, but for SQL that could end the transaction.
func (t workTx) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	if mayEndTransaction(sql, nil) {
		return nil, ErrNotYours
	}
	return t.Tx.Prepare(ctx, name, sql)
}

// SendBatch is that of pgx. SQL in it that could end the transaction is a panic, because a batch has no error
// of its own.
func (t workTx) SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults {
	for _, q := range batch.QueuedQueries {
		if mayEndTransaction(q.SQL, q.Arguments) {
			panic(ErrNotYours)
		}
	}
	return t.Tx.SendBatch(ctx, batch)
}

// notYoursRow is the answer of a query that was not sent.
type notYoursRow struct{}

func (notYoursRow) Scan(...any) error { return ErrNotYours }

// mayEndTransaction also refuses the simple protocol, in which one text can hold several statements.
func mayEndTransaction(sql string, args []any) bool {
	return endsTransaction.MatchString(sql) || slices.Contains(args, any(pgx.QueryExecModeSimpleProtocol))
}

// endsTransaction matches SQL that begins, behind comments, with a command about the whole transaction.
var endsTransaction = regexp.MustCompile(`(?is)^(\s|--[^\n]*\n|/\*.*?\*/)*` +
	`(commit|end|abort|begin|start|prepare\s+transaction|rollback\s*(;|$|work|transaction|and))`)

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
		return stored{}, placeOf(err, atClaim), err
	}
	for _, begin := range t.begin {
		if err := run(ctx, tx, begin, nil); err != nil {
			return stored{}, placeOf(err, atWork), err
		}
	}
	value, err := t.run(ctx, workTx{Tx: tx})
	if err != nil {
		return stored{}, placeOf(err, atWork), workError{err}
	}
	result, err := json.Marshal(value)
	if err != nil {
		return stored{}, atWork, workError{fmt.Errorf("encode the result: %w", err)}
	}
	last, err := t.finish(ctx, result)
	if err != nil {
		return stored{}, atWork, workError{err}
	}
	made = t.made()
	if err := run(ctx, tx, last, made.returned()); err != nil {
		return stored{}, placeOf(err, atWork), err
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

// placeOf returns the place of the statement that failed, or notSent if it was not PostgreSQL that said so: without
// COMMIT, nothing was done.
func placeOf(err error, at int) int {
	if _, ok := refusal(err); !ok {
		return notSent
	}
	return at
}

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

// ErrNotYours means that work tried to end its transaction.
var ErrNotYours = errors.New("the transaction of an intent is committed or rolled back by package idempotency alone")

// workTx is the transaction passed to [Spec.Run], or a savepoint in it, which the work may commit and roll back. After the transaction
// has ended, pgx refuses every use of both.
type workTx struct {
	pgx.Tx

	savepoint bool
}

// Commit returns [ErrNotYours], except for a savepoint.
func (t workTx) Commit(ctx context.Context) error {
	if !t.savepoint {
		return ErrNotYours
	}
	return t.Tx.Commit(ctx)
}

// Rollback returns [ErrNotYours], except for a savepoint. To roll everything back, work returns an error.
func (t workTx) Rollback(ctx context.Context) error {
	if !t.savepoint {
		return ErrNotYours
	}
	return t.Tx.Rollback(ctx)
}

// Conn returns nil, because the connection would outlive the transaction.
func (workTx) Conn() *pgx.Conn { return nil }

// Begin returns a savepoint.
func (t workTx) Begin(ctx context.Context) (pgx.Tx, error) {
	savepoint, err := t.Tx.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return workTx{savepoint, true}, nil
}

// Exec is pgx's Exec, but refuses SQL that could end the transaction.
func (t workTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if mayEndTransaction(sql, args) {
		return pgconn.CommandTag{}, ErrNotYours
	}
	return t.Tx.Exec(ctx, sql, args...)
}

// Query is pgx's Query, but refuses SQL that could end the transaction.
func (t workTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if mayEndTransaction(sql, args) {
		return nil, ErrNotYours
	}
	return t.Tx.Query(ctx, sql, args...)
}

// QueryRow is pgx's QueryRow, but refuses SQL that could end the transaction.
func (t workTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if mayEndTransaction(sql, args) {
		return notYoursRow{}
	}
	return t.Tx.QueryRow(ctx, sql, args...)
}

// Prepare is pgx's Prepare, but refuses SQL that could end the transaction.
func (t workTx) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	if mayEndTransaction(sql, nil) {
		return nil, ErrNotYours
	}
	return t.Tx.Prepare(ctx, name, sql)
}

// SendBatch is pgx's SendBatch, but panics on SQL that could end the transaction, because it returns no error.
func (t workTx) SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults {
	for _, q := range batch.QueuedQueries {
		if mayEndTransaction(q.SQL, q.Arguments) {
			panic(ErrNotYours)
		}
	}
	return t.Tx.SendBatch(ctx, batch)
}

// notYoursRow is the row of a refused query.
type notYoursRow struct{}

func (notYoursRow) Scan(...any) error { return ErrNotYours }

// mayEndTransaction reports whether SQL could end the transaction. That includes the simple protocol, in which one text can hold several
// statements.
func mayEndTransaction(sql string, args []any) bool {
	return endsTransaction.MatchString(sql) || slices.Contains(args, any(pgx.QueryExecModeSimpleProtocol))
}

// endsTransaction matches SQL that begins, after comments, with a command for the whole transaction.
var endsTransaction = regexp.MustCompile(`(?is)^(\s|--[^\n]*\n|/\*.*?\*/)*` +
	`(commit|end|abort|begin|start|prepare\s+transaction|rollback\s*(;|$|work|transaction|and))`)

// workError is an error returned by the work.
type workError struct{ error }

func (e workError) Unwrap() error { return e.error }

// converse carries out the intent statement by statement: claim, work, result and COMMIT. Until COMMIT is sent, a lost connection means
// that nothing was done.
func (s *Store) converse(ctx context.Context, conn *pgxpool.Conn, t transaction) (made stored, at int, err error) {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return stored{}, notSent, err
	}
	defer func() {
		if err != nil {
			undoing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			_ = tx.Rollback(undoing) // if this fails, the pool closes the connection, which ends the transaction
		}
	}()
	// Work that hangs must not hold its locks forever.
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

// run runs one statement, and scans its row into dst unless dst is nil.
func run(ctx context.Context, tx pgx.Tx, b bound, dst []any) error {
	if dst == nil {
		_, err := tx.Exec(ctx, b.sql, b.values...)
		return err
	}
	return tx.QueryRow(ctx, b.sql, b.values...).Scan(dst...)
}

// placeOf returns the place of the failed statement, or notSent if the error is not from PostgreSQL: without COMMIT, nothing was done.
func placeOf(err error, at int) int {
	if _, ok := refusal(err); !ok {
		return notSent
	}
	return at
}

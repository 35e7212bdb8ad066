package idempotency

import (
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Tx collects the statements of one intent's transaction. They are sent together, behind the claim,
// and run in order, each seeing what those before it did. If the intent was claimed before, none of
// them runs; if one fails, all are rolled back.
//
// It has no Query: the work must not depend on a conversation. What the database knows (an id found
// by email, the next number) is used where it is, in SQL. It has no Commit either, and it is closed
// once the work has returned.
//
// These named arguments are always there: @tenant_id, @record_id (a fresh UUIDv7, for the row that is
// created), @operation, @idempotency_key and @actor.
type Tx struct {
	args   pgx.NamedArgs
	queued []query
	open   bool
}

// Result is what work returns; only [Tx.Return] makes one.
type Result struct{ tx *Tx }

type query struct {
	sql  string
	args pgx.NamedArgs
}

func newTx(operation string, intent Intent, record uuid.UUID) *Tx {
	return &Tx{open: true, args: pgx.NamedArgs{
		"tenant_id":       intent.Tenant,
		"record_id":       record,
		"operation":       operation,
		"idempotency_key": intent.Key.value,
		"actor":           intent.Actor,
	}}
}

// Exec queues a statement. Its rows, if any, are ignored.
func (tx *Tx) Exec(sql string, args pgx.NamedArgs) {
	if tx == nil || !tx.open {
		panic("idempotency: Tx used outside of its work")
	}
	for name := range tx.args {
		if _, taken := args[name]; taken {
			panic("idempotency: argument @" + name + " is given by the transaction")
		}
	}
	tx.queued = append(tx.queued, query{sql, args})
}

// Return queues the SELECT of the result: one json object, read from the rows that were just written,
// whose "id" is that of what was created. It is stored in the record and must not be NULL. The first
// answer and every replay are made from it.
func (tx *Tx) Return(sql string, args pgx.NamedArgs) Result { return tx.ReturnWith("", sql, args) }

// ReturnWith is Return in one statement with work: with is a WITH clause, whose INSERTs tell by RETURNING
// what the SELECT reads.
func (tx *Tx) ReturnWith(with, sql string, args pgx.NamedArgs) Result {
	tx.Exec(with+`
		UPDATE idempotency_records SET (result, record_id) = (
			SELECT made.result, (made.result->>'id')::uuid FROM (`+sql+`) AS made (result))
		WHERE tenant_id = @tenant_id AND operation = @operation AND key = @idempotency_key
		RETURNING result, record_id`, args)
	return Result{tx}
}

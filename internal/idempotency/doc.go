// Package idempotency makes sure that one intent has one effect.
//
// An intent is one wish of one person ("create this invoice once"), named by a key that the client
// chose before it sent anything. [Define] turns a piece of work into an operation, and
// [Operation.Do] runs it at most once for each (tenant, operation, key):
//
//   - Each intent is one row, written in the transaction of its work. Both are there or neither is;
//     there is no pending state that a crash could leave behind.
//   - The second attempt waits until the first one's transaction has ended, at most [Store.Wait]. When
//     it commits, the second gets its stored result; when it rolls back, the second does the work.
//     Within one process, those who come second wait for what the first one finds, and take no connection.
//   - The same key with another command is a [MismatchError], never a second effect.
//   - Only success is stored. Invalid input, a broken rule, a crash or a lost connection roll
//     everything back, and the key is free again.
//   - When the answer to COMMIT was lost, Do sends the same again before it answers, and
//     says [ErrUnconfirmed] if it cannot find out.
//   - Results expire. The intent stays for life, with the fingerprint of its command: a late repeat is an
//     [AlreadyDoneError], or a mismatch, and never a second effect.
//
// Work is written in one of two styles, with the same promises:
//
//   - [Spec.Statements]: a list of SQL statements, which travel with claim, result and COMMIT in one
//     network round trip. For hot paths.
//   - [Spec.Run]: ordinary code on an ordinary [pgx.Tx]. For everything else, and for libraries that want
//     a transaction, such as a job queue.
//
// The rules follow draft-ietf-httpapi-idempotency-key-header-07, which leaves the storage open.
package idempotency

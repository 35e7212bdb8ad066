// Package idempotency carries out each intent at most once.
//
// An intent is one request of a user or a program, such as "create this invoice", identified by a key that the client chooses before it
// sends anything. [Define] makes an operation from a [Spec], and [Operation.Do] runs it at most once for each tenant, operation and key:
//
//   - Each intent is one row, inserted in the transaction of its work. Both are committed or neither is, so a crash leaves no pending
//     state.
//   - A second attempt waits until the transaction of the first one has ended, for at most [Store.Wait]. If that committed, the second
//     attempt returns the stored result. If it rolled back, the second attempt does the work. Within a process, later attempts with the
//     same key wait without a database connection.
//   - The same key with another command is a [MismatchError].
//   - Only success is stored. Invalid input, a broken rule, a crash or a lost connection rolls everything back, and the key is free
//     again.
//   - If the answer to COMMIT is lost, Do sends the transaction again before it returns. It returns [ErrUnconfirmed] if the outcome
//     stays unknown.
//   - Results expire, but the intent is kept for life, with the fingerprint of its command. A late repeat is an [AlreadyDoneError] or a
//     [MismatchError], never a second effect.
//
// Work is written in one of two styles, with the same guarantees:
//
//   - [Spec.Statements]: a list of SQL statements, sent together with claim, result and COMMIT in one network round trip. For hot paths.
//   - [Spec.Run]: ordinary code on a [pgx.Tx]. For everything else, and for libraries that need a transaction, such as a job queue.
//
// The rules follow draft-ietf-httpapi-idempotency-key-header-07, which leaves the storage open.
package idempotency

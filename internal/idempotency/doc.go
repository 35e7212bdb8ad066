// Package idempotency makes sure that one intent has one effect.
//
// An intent is one wish of one person ("create this invoice once"), named by a key that the client
// chose before it sent anything. [Define] turns a piece of work into an operation, and
// [Operation.Do] runs it at most once for each (tenant, operation, key):
//
//   - The record of the key is inserted in the same transaction as the work. Both are there or
//     neither is; there is no pending state that a crash could leave behind.
//   - Whoever comes second waits on the first one's uncommitted row, at most [Store.Wait]. When the
//     first commits, the second gets its stored result; when it rolls back, the second does the work.
//     Within one process, those who come second wait for the first one's finding instead, and take no
//     connection.
//   - The same key with another command is a [MismatchError], never a second effect.
//   - Only success is stored. Invalid input, a broken rule, a crash or a lost connection roll
//     everything back, and the key is free again.
//   - When the answer to COMMIT was lost, Do asks again with the same key before it answers, and
//     says [ErrUnconfirmed] if it cannot.
//   - Records expire, and an expired key must still not create twice: the created row carries its
//     key for life in a unique constraint of its own (see [Spec.Explain]).
//
// The work is a list of statements, not a conversation ([Tx]). That is why claim, work, result and
// commit travel in one network round trip, why nothing slow can happen while locks are held, and why
// running it again is always safe: the work cannot have looked at anything but its command.
//
// The rules follow draft-ietf-httpapi-idempotency-key-header-07, which leaves the storage open.
package idempotency

// Package postgres opens the database, migrates its schema, and runs an embedded PostgreSQL server for users who have not set one up.
//
// The rules:
//
//   - Transactions run at READ COMMITTED and in UTC, on every connection. A concurrent transaction that waits for an
//     uncommitted row must see it after the commit; under REPEATABLE READ it would fail instead.
//   - The app's role owns its database and is neither a superuser nor has BYPASSRLS, so that forced row-level security
//     binds the app as well. Another role is refused at the start ([RoleError]).
//   - One replica migrates at a time, and no program starts on a schema that is newer than itself. A running program
//     continues when a newer version migrates (docs/upgrade.md).
//   - A data directory is never deleted and never overwritten. A new one is made under another name and renamed when it is
//     complete.
//   - The embedded server writes to disk before it acknowledges (fsync, synchronous_commit and full_page_writes are on),
//     survives kill -9 of itself and of the app, and never outlives the app.
//   - User input does not reach the server's log.
//
// # Connection poolers
//
// PgBouncer in transaction mode works with default_query_exec_mode=exec in the URL, because prepared statements do not survive a change
// of server. PgBouncer refuses start parameters that it does not know. It must be configured to ignore the app's
// (ignore_startup_parameters = default_transaction_isolation,enable_seqscan,enable_bitmapscan,jit,
// tcp_keepalives_idle,tcp_keepalives_interval,tcp_keepalives_count), and the server must keep its own default, read committed.
// Migrating takes two connections of the pooler at once. The start checks all this and returns a [PoolerError] or an [IsolationError]
// that names the missing setting.
package postgres

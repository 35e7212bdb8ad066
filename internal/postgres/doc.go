// Package postgres opens the database, keeps its schema current, and runs a PostgreSQL of
// its own for people who have not set up any.
//
// The rules:
//
//   - Transactions run at READ COMMITTED and in UTC, on every connection. A racer that waits
//     for an uncommitted row must see it when it is committed; under REPEATABLE READ it would
//     fail instead.
//   - The app's role owns its database and is neither a superuser nor has BYPASSRLS, so that
//     row-level security, once forced, binds the app as well. Another role is refused at the
//     start ([RoleError]).
//   - One replica migrates at a time, and no program starts on a schema that is newer than itself. One
//     that runs goes on when a newer version migrates (docs/upgrade.md).
//   - A data directory is never deleted and never overwritten. A new one is made elsewhere and
//     renamed when it is complete.
//   - The embedded server writes to disk before it acknowledges (fsync, synchronous_commit and
//     full_page_writes are on), survives kill -9 of itself and of the app, and never outlives
//     the app.
//   - What people typed does not reach the server's log.
//
// # Connection poolers
//
// PgBouncer in transaction mode works with default_query_exec_mode=exec in the URL, because
// prepared statements do not survive a change of server. PgBouncer refuses start parameters
// it does not know: have it ignore ours (ignore_startup_parameters =
// default_transaction_isolation,enable_seqscan,enable_bitmapscan,jit,
// tcp_keepalives_idle,tcp_keepalives_interval,tcp_keepalives_count) and leave the server at its own default, read
// committed. Migrating takes two of its connections at once. The start finds out whether it is so, and a [PoolerError] or
// an [IsolationError] says what is missing.
package postgres

// Package server runs a PostgreSQL server as a child process: it finds the programs, makes a data directory, starts the server and
// ensures that it never outlives the process that started it.
//
// It is used by the embedded server of package postgres and the temporary servers of package pgtest. They decide about the location and
// lifetime of directories.
//
// The rules:
//
//   - The server listens on a Unix socket in a private directory and nowhere else. Users who may enter that directory are
//     trusted; others cannot connect.
//   - PostgreSQL refuses to run as root, so as root it runs as an [Account].
//   - Every server has a guard (guard.sh) that holds a pipe from this process. The kernel closes the pipe however this
//     process ends, even by kill -9, and the guard then shuts the server down.
//   - The guard, the server and each of its backends inherit a lock file, so the lock is free exactly when all these processes have
//     ended.
package server

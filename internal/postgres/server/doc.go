// Package server runs a real PostgreSQL server as a child process: it finds the
// programs, makes a data directory, starts the server and sees to it that the
// server never outlives the process that started it.
//
// It is the machinery under the embedded server of package postgres and the
// throwaway servers of package pgtest; what a directory means and how long it
// lives is decided there.
//
// The rules:
//
//   - The server listens on a Unix socket in a private directory and nowhere else.
//     Users who may enter that directory are trusted, nobody else gets near it.
//   - PostgreSQL refuses to run as root, so as root it runs as an [Account].
//   - Every server has a guard (guard.sh) that holds a pipe from this process. The
//     kernel closes the pipe however this process ends, kill -9 included, and the
//     guard then shuts the server down.
//   - A lock file is inherited by the guard, the server and each of its backends,
//     so the lock is free exactly when the last of them is gone.
package server

package torture

import (
	"context"

	"onlyonce/internal/postgres/server"
)

// Pooler is a connection pooler between the proxies and the database.
type Pooler struct {
	// Start starts a pooler in front of the server whose socket is in the directory database. Its files are in dir, and it runs
	// under the account in a process group. It returns the directory of the pooler's own socket, for port 5432, and a function that
	// ends it, which may be called twice.
	Start func(ctx context.Context, dir string, account server.Account, group int, database string) (sockets string, stop func(), err error)
	// Parameters are appended to DATABASE_URL; each begins with an &.
	Parameters string
}

package torture

import (
	"context"

	"onlyonce/internal/postgres/server"
)

// Pooler is a connection pooler between the proxies and the database.
type Pooler struct {
	// Start starts one, with its files in dir, as the account, in a process group, before the server whose socket is in the directory
	// database. It returns the directory of the pooler's own socket, for port 5432, and what ends it for good, which may be called twice.
	Start func(ctx context.Context, dir string, account server.Account, group int, database string) (sockets string, stop func(), err error)
	// Parameters are what DATABASE_URL needs for it, each with an & before it.
	Parameters string
}

package torture

import (
	"context"

	"onlyonce/internal/postgres/server"
)

// Cluster is a database of several servers. One server at a time accepts writes.
type Cluster struct {
	Network, Addr string        // for [net.Dial]; lead to that server, for the app's role, without a password
	Admin         func() string // returns the URL of the app's database for the superuser, on that server
	// Faults injects each fault in turn, calls hit with its name, and returns when the cluster is healthy again.
	Faults func(ctx context.Context, hit func(fault string)) error
	// EndPooler ends a pooler in front, which keeps the sessions of replicas that have ended. It may be called twice, and may be
	// nil.
	EndPooler func()
	// Cells describes the second database if replica 1 has its own; nil for one database.
	Cells *Cells
	// Stop ends all processes.
	Stop func(ctx context.Context) error
}

// Cells are two databases, each with its own replica and tenants. All tenants begin and end in the database of Cluster.Admin.
type Cells struct {
	Addr  string // database of replica 1, like Cluster.Addr, and its URL for the superuser
	Admin string
	// Lead starts a proxy that routes clients to the cell of their tenant, in front of the replicas at two addresses. It returns
	// the addresses for clients, by tenant.
	Lead func(ctx context.Context, replicas [2]string) ([len(tokens)]string, error)
}

// addresses are the replicas' addresses for clients, behind the proxies, by tenant.
type addresses [len(tokens)][2]string

// StartCluster starts a cluster with its files in dir, under the account and in a process group.
type StartCluster func(ctx context.Context, dir string, account server.Account, group int) (*Cluster, error)

// Pooler is a connection pooler between the proxies and the database.
type Pooler struct {
	// Start starts a pooler in front of the server whose socket is in the directory database. Its files are in dir, and it runs
	// under the account in a process group. It returns the directory of the pooler's own socket, for port 5432, and a function that
	// ends it, which may be called twice.
	Start func(ctx context.Context, dir string, account server.Account, group int, database string) (sockets string, stop func(), err error)
	// Parameters are appended to DATABASE_URL; each begins with an &.
	Parameters string
}

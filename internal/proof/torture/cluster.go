package torture

import (
	"context"

	"onlyonce/internal/postgres/server"
)

// Cluster is a database of several servers, of which one at a time accepts writes.
type Cluster struct {
	Network, Addr string        // as [net.Dial] takes them: lead to the one, for the app's role, without a password
	Admin         func() string // returns the URL of the app's database for the superuser, likewise
	// Faults breaks it in one way after the other, calls hit with the name of each fault, and returns when the cluster is whole again.
	Faults func(ctx context.Context, hit func(fault string)) error
	// EndPooler ends a pooler before it, which keeps sessions of replicas that have ended; may be called twice, and may be nil.
	EndPooler func()
	// Cells is what there is besides if replica 1 has a database of its own; nil for one database.
	Cells *Cells
	// Stop ends whatever runs.
	Stop func(ctx context.Context) error
}

// Cells are two databases, each with a replica and tenants of its own. All tenants begin and end in the one that Admin leads to.
type Cells struct {
	Addr  string // of the database of replica 1, like that of the cluster, and its URL for the superuser
	Admin string
	// Lead starts what leads clients to the cell of their tenant, before the replicas at two addresses. It returns where clients connect
	// to, by tenant.
	Lead func(ctx context.Context, replicas [2]string) ([len(tokens)]string, error)
}

// addresses are where clients connect to, by tenant: the replicas, through the proxies.
type addresses [len(tokens)][2]string

// StartCluster starts a cluster with its files in dir, as the account, in a process group.
type StartCluster func(ctx context.Context, dir string, account server.Account, group int) (*Cluster, error)

package torture

import (
	"context"

	"onlyonce/internal/postgres/server"
)

// Cluster is a database of several servers, of which one at a time accepts writes.
type Cluster struct {
	Network, Addr string        // as [net.Dial] takes them: lead to the one, for the app's role, without a password
	Admin         func() string // returns the URL of the app's database for the superuser, likewise
	// Faults breaks it in one way after the other, tells hit the name of each as it begins, and returns when the cluster is whole again.
	Faults func(ctx context.Context, hit func(fault string)) error
	// EndPooler ends a pooler before it, which keeps sessions of replicas that have ended; may be called twice, and may be nil.
	EndPooler func()
	// Stop ends whatever runs.
	Stop func(ctx context.Context) error
}

// StartCluster starts a cluster with its files in dir, as the account, in a process group.
type StartCluster func(ctx context.Context, dir string, account server.Account, group int) (*Cluster, error)

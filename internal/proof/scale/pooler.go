package scale

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"onlyonce/internal/postgres/server"
	"onlyonce/internal/proof/torture"
)

// Pooler tortures the app behind PgBouncer in transaction mode: 64 clients and two replicas with 32 connections each share the few
// connections of the pooler to the database.
func Pooler(ctx context.Context, seed uint64, out io.Writer) error {
	if err := install(ctx, out, "pgbouncer"); err != nil {
		return err
	}
	return judge(ctx, out, torture.Config{
		Seed: seed, Duration: time.Minute, Intents: 4000, Clients: 64, FaultEvery: time.Second,
		Pooler: torture.Pooler{Start: startPgBouncer, Parameters: poolerParameters},
	})
}

// poolerParameters are the parameters that DATABASE_URL needs behind PgBouncer.
const poolerParameters = "&default_query_exec_mode=exec&pool_max_conns=32"

// startPgBouncer starts PgBouncer with the documented configuration, in front of the server whose socket is in the directory database.
func startPgBouncer(
	ctx context.Context, dir string, account server.Account, group int, database string,
) (sockets string, stop func(), err error) {
	sockets = filepath.Join(dir, "pooler")
	file, users := filepath.Join(dir, "pgbouncer.ini"), filepath.Join(dir, "userlist.txt")
	err = configure(ctx, file, "deploy/pgbouncer.ini",
		"host=10.0.0.11 port=5432", "host="+database+" port=5432",
		"listen_addr = 10.0.0.31\n", "", // only at its socket
		"listen_port = 6432", "listen_port = 5432",
		"auth_type = scram-sha-256", "auth_type = trust",
		"auth_file = /etc/pgbouncer/userlist.txt", "auth_file = "+users,
		"unix_socket_dir = /run/postgresql", "unix_socket_dir = "+sockets)
	if err != nil {
		return "", nil, err
	}
	if err := os.WriteFile(users, []byte(`"`+server.Role+`" ""`+"\n"), 0o644); err != nil { //nolint:gosec // the account reads it
		return "", nil, err
	}
	if err := account.Mkdir(sockets); err != nil {
		return "", nil, err
	}
	if err := settle(ctx, server.URL(database, server.Superuser, server.Database)); err != nil {
		return "", nil, err
	}
	log, err := os.Create(filepath.Join(dir, "pgbouncer.log"))
	if err != nil {
		return "", nil, err
	}
	running, end := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		keepRunning(running, func() error {
			pooler := account.Command(running, "pgbouncer", file)
			pooler.Stdout, pooler.Stderr = log, log
			pooler.SysProcAttr.Pgid = group
			return pooler.Run()
		})
	}()
	stop = func() {
		end()
		<-ended
		_ = log.Close()
	}
	if err := accepts(ctx, server.URL(sockets, server.Role, server.Database)+"&default_query_exec_mode=exec"); err != nil {
		stop()
		return "", nil, fmt.Errorf("PgBouncer accepts no connections: %w", err)
	}
	return sockets, stop, nil
}

// keepRunning restarts a program when it has ended, like a service manager: PgBouncer 1.18 exits after some crashes of PostgreSQL
// ("server in bad state").
func keepRunning(ctx context.Context, run func() error) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		_ = run() // the reason of its end is in its log
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// accepts waits until a connection can be made.
func accepts(ctx context.Context, url string) error {
	return until(ctx, "the database takes connections", func(ctx context.Context) bool {
		conn, err := server.Connect(ctx, url)
		return err == nil && conn.Close(ctx) == nil
	})
}

// settle sets, for the role, the settings that the pooler does not pass on.
func settle(ctx context.Context, url string) error {
	return execute(ctx, url, "scale.md", "## A connection pooler")
}

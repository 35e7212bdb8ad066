package scale

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync/atomic"
	"time"

	"onlyonce/internal/postgres/npm"
	"onlyonce/internal/postgres/server"
	"onlyonce/internal/proof/torture"
)

// Upgrade tortures the app during the upgrade from one major version of PostgreSQL to another, behind PgBouncer.
func Upgrade(ctx context.Context, seed uint64, out io.Writer) error {
	if err := install(ctx, out, "pgbouncer", "psql"); err != nil {
		return err
	}
	u := &upgrade{}
	return judge(ctx, out, torture.Config{
		Seed: seed, Clients: 16, Cluster: u.start, Pooler: torture.Pooler{Parameters: poolerParameters},
	})
}

// upgrade is two servers, with PgBouncer in front of the current one.
type upgrade struct {
	dir      string
	account  server.Account
	old, new database
	pooler   string // the directory of PgBouncer's socket
	switched atomic.Bool
	end      func() // ends PgBouncer
}

func (u *upgrade) start(ctx context.Context, dir string, account server.Account, group int) (*torture.Cluster, error) {
	u.dir, u.account, u.end = dir, account, func() {}
	if err := u.startAll(ctx, group); err != nil {
		return nil, errors.Join(err, u.stop(context.WithoutCancel(ctx)))
	}
	return &torture.Cluster{
		Network: "unix", Addr: filepath.Join(u.pooler, ".s.PGSQL.5432"), Admin: u.admin, Faults: u.switchOver, EndPooler: u.end,
		Stop: u.stop,
	}, nil
}

func (u *upgrade) startAll(ctx context.Context, group int) error {
	installed, err := server.Locate(ctx, u.account, 0)
	if err != nil {
		return err
	}
	bin, err := npm.Install(ctx, npm.Major)
	if err != nil {
		return fmt.Errorf("install PostgreSQL %d: %w", npm.Major, err)
	}
	if installed.Major >= npm.Major {
		return fmt.Errorf("PostgreSQL %d is installed, and there is nothing newer than %d to upgrade to", installed.Major, npm.Major)
	}
	if err := u.old.start(ctx, u.account, installed, filepath.Join(u.dir, "old"), map[string]string{"wal_level": "logical"}); err != nil {
		return err
	}
	later := server.Programs{Dir: bin, Major: npm.Major}
	if err := u.new.start(ctx, u.account, later, filepath.Join(u.dir, "new"), nil); err != nil {
		return err
	}
	if err := settle(ctx, u.new.url()); err != nil {
		return err
	}
	u.pooler, u.end, err = startPgBouncer(ctx, u.dir, u.account, group, u.old.config.SocketDir)
	return err
}

// admin returns the URL of the current database.
func (u *upgrade) admin() string {
	if u.switched.Load() {
		return u.new.url()
	}
	return u.old.url()
}

// switchOver switches to the new server by the documented commands.
func (u *upgrade) switchOver(ctx context.Context, hit func(step string)) error {
	const while = 15 * time.Second
	env := []string{"OLD=" + u.old.url(), "NEW=" + u.new.url(), "POOLER=host=" + u.pooler + " user=pgbouncer dbname=pgbouncer"}
	return inOrder(
		pause(ctx, while),
		func() error {
			hit("copying the rows")
			return shell(ctx, u.account, "upgrade.md", "### Copy the rows", env)
		},
		pause(ctx, while),
		func() error {
			hit("the switch")
			return shell(ctx, u.account, "upgrade.md", "### Switch", env,
				"10.0.0.11", u.old.config.SocketDir, "10.0.0.12", u.new.config.SocketDir,
				"/etc/pgbouncer/pgbouncer.ini", filepath.Join(u.dir, "pgbouncer.ini"))
		},
		func() error {
			u.switched.Store(true)
			return u.old.stop(ctx)
		},
		pause(ctx, while),
	)
}

func (u *upgrade) stop(ctx context.Context) error {
	u.end()
	return errors.Join(u.old.stop(ctx), u.new.stop(ctx))
}

package lab

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/people/account"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/server"
)

// settings are for a small server with disposable data. A killed process loses nothing that was committed; only a crash of the
// machine may.
var settings = map[string]string{
	"fsync":                            "off",
	"full_page_writes":                 "off",
	"autovacuum":                       "off",
	"wal_level":                        "minimal",
	"max_wal_senders":                  "0",
	"max_wal_size":                     "64MB",
	"min_wal_size":                     "32MB",
	"shared_buffers":                   "32MB",
	"max_connections":                  "100",
	"log_min_messages":                 "fatal",
	"timezone":                         "UTC",
	"client_connection_check_interval": "50ms", // rolls the transactions of a killed replica back at once
}

// template is the database that the databases of runs are cloned from.
const template = server.Database

// cluster is a PostgreSQL server of the lab.
type cluster struct {
	account server.Account
	dir     string // holds all files; removed with the server, however the app ends
	process *server.Process
	admin   *pgxpool.Pool // as the superuser, for creating and dropping databases
	tenant  uuid.UUID
	tokens  []string // the first is the program's; then one for each attempt
	clones  atomic.Int64
}

// startCluster starts a server with a template database. On an error it leaves nothing behind.
func (s *site) startCluster(ctx context.Context, name string) (_ *cluster, err error) {
	c := &cluster{account: s.account, dir: filepath.Join(s.dir, name)}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(c.dir))
		}
	}()
	data := filepath.Join(c.dir, "data")
	if err := errors.Join(s.account.Mkdir(c.dir), s.account.Mkdir(data)); err != nil {
		return nil, err
	}
	if err := server.Init(ctx, s.programs, s.account, data, false, nil); err != nil {
		return nil, err
	}
	c.process, err = server.Start(ctx, server.Config{
		Programs: s.programs, Account: s.account, DataDir: data,
		SocketDir: c.dir, // so that its guard removes all files
		Settings:  settings, Log: filepath.Join(c.dir, "postgres.log"),
	})
	if err != nil {
		return nil, err
	}
	if c.admin, err = server.Pool(ctx, server.URL(c.dir, server.Superuser, "postgres")+"&pool_max_conns=4"); err == nil {
		err = c.prepare(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, c.stop(context.WithoutCancel(ctx)))
	}
	return c, nil
}

// attempts is the most attempts that one run makes.
const attempts = 50

// prepare fills the template: the schema, a tenant with one customer, and tokens.
func (c *cluster) prepare(ctx context.Context) error {
	url := server.URL(c.dir, server.Role, template)
	if err := postgres.Migrate(ctx, url, slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	pool, err := postgres.OpenSmall(ctx, url, 2)
	if err != nil {
		return err
	}
	defer pool.Close()
	tenant, _, err := account.CreateTenant(ctx, pool, "Lab")
	if err != nil {
		return err
	}
	c.tenant = tenant.ID
	for n := range 1 + attempts {
		name := "program"
		if n > 0 {
			name = fmt.Sprintf("attempt %d", n)
		}
		token, _, err := account.CreateToken(ctx, pool, c.tenant, name, account.Member, false)
		if err != nil {
			return err
		}
		c.tokens = append(c.tokens, token)
	}
	err = postgres.InTenant(ctx, pool, c.tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT find_or_create_customer($1, $2, 'ada@example.com', 'Ada Lovelace', '12 Old Street', 'GB')`,
			c.tenant, customerID)
		return err
	})
	if err != nil {
		return err
	}
	pool.Close()
	return c.exec(ctx, "ALTER DATABASE "+template+" WITH IS_TEMPLATE true ALLOW_CONNECTIONS false")
}

// customerID is the customer in the template.
const customerID = "0199d1f0-0000-7000-8000-0000000000ad"

func (c *cluster) clone(ctx context.Context) (name string, err error) {
	name = fmt.Sprintf("run_%d", c.clones.Add(1))
	return name, c.exec(ctx, fmt.Sprintf("CREATE DATABASE %s OWNER %s TEMPLATE %s STRATEGY file_copy", name, server.Role, template))
}

func (c *cluster) exec(ctx context.Context, sql string) error {
	if _, err := c.admin.Exec(ctx, sql); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}

// stop stops the server, which removes its directory.
func (c *cluster) stop(ctx context.Context) error {
	var err error
	if c.admin != nil {
		err = postgres.Close(ctx, c.admin)
	}
	return errors.Join(err, c.process.Stop(ctx))
}

// crash kills one process of the server. PostgreSQL then ends all others and recovers from its log, as after a power failure. crash
// returns when the server accepts connections again.
func (c *cluster) crash(ctx context.Context) error {
	var pid int
	err := c.admin.QueryRow(ctx, `SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'`).Scan(&pid)
	if err != nil {
		return fmt.Errorf("find a process of PostgreSQL: %w", err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill a process of PostgreSQL: %w", err)
	}
	err = until(ctx, func(ctx context.Context) (bool, error) {
		var now int
		err := c.admin.QueryRow(ctx, `SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'`).Scan(&now)
		return err == nil && now != pid, nil // errors mean that the server is still down
	})
	if err != nil {
		return fmt.Errorf("wait until PostgreSQL has recovered: %w", err)
	}
	return nil
}

// until calls is until it returns true or an error, or ctx ends.
func until(ctx context.Context, is func(context.Context) (bool, error)) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if yes, err := is(ctx); yes || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err() //nolint:wrapcheck // the caller names the reason of the wait
		}
	}
}

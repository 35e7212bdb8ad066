package pgtest

import (
	"context"
	_ "embed" // for empty.sql
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/must"
	"onlyonce/internal/postgres/server"
)

// shared is the server of the test process. It is a variable of the package because TestMain and the tests have no other way to share a
// value.
var shared process

// process is a cluster that is started on first use.
type process struct {
	once    sync.Once
	cluster *cluster
	err     error
}

func (p *process) start() (*cluster, error) {
	p.once.Do(func() { p.cluster, p.err = startCluster(context.Background()) })
	return p.cluster, p.err
}

// stop stops the cluster, if it was started.
func (p *process) stop() error {
	p.once.Do(func() {})
	if p.cluster == nil {
		return nil
	}
	p.cluster.admin.Close()
	return p.cluster.process.Stop(context.Background())
}

// settings prefer speed to durability: a test server that crashes is discarded.
var settings = map[string]string{
	"fsync":              "off",
	"synchronous_commit": "off",
	"full_page_writes":   "off",
	"autovacuum":         "off", // its workers would delay CREATE and DROP DATABASE
	"wal_level":          "minimal",
	"max_wal_senders":    "0",
	"max_connections":    "500",
	"shared_buffers":     "128MB",
	"log_min_messages":   "fatal", // tests provoke errors by the thousand
}

// template is the database with the schema and no rows. All others are copies.
const template = server.Database

// cluster is a running server whose database template has the current schema.
type cluster struct {
	dir     string // the server's directory, with data, log and socket
	process *server.Process
	admin   *pgxpool.Pool // as the superuser, for statements about whole databases
	clones  atomic.Int64  // the number of clones so far

	mu   sync.Mutex
	free map[string][]*Database // ready for the next test, by their template
}

func startCluster(ctx context.Context) (*cluster, error) {
	p, err := prepare()
	if err != nil {
		return nil, err
	}
	dir, err := p.account.MkdirTemp(ramdisk(), "onlyonce-test-")
	if err != nil {
		return nil, err
	}
	c := &cluster{dir: dir, free: map[string][]*Database{}}
	// The data is in the directory of the socket, which the guard removes even if the test process is killed.
	data := filepath.Join(dir, "data")
	err = p.account.Copy(p.dir, data)
	if err == nil {
		err = c.start(ctx, p.programs, p.account, data)
	}
	if err == nil {
		err = c.close(ctx, template)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return c, nil
}

// start starts the server on a data directory, with its socket in the cluster's directory.
func (c *cluster) start(ctx context.Context, programs server.Programs, account server.Account, data string) error {
	var err error
	c.process, err = server.Start(ctx, server.Config{
		Programs:  programs,
		Account:   account,
		DataDir:   data,
		SocketDir: c.dir,
		Settings:  settings,
		Log:       filepath.Join(c.dir, "postgres.log"),
	})
	if err != nil {
		return err
	}
	c.admin, err = server.Pool(ctx, server.URL(c.dir, server.Superuser, "postgres"))
	if err != nil {
		return errors.Join(err, c.process.Stop(ctx))
	}
	return nil
}

// close makes a database a template and refuses connections to it.
func (c *cluster) close(ctx context.Context, name string) error {
	return c.exec(ctx, "ALTER DATABASE "+name+" WITH IS_TEMPLATE true ALLOW_CONNECTIONS false")
}

// clone makes a database that is not reused. It needs no lock: PostgreSQL copies one template many times at once, as long as there is
// no connection to it.
func (c *cluster) clone(ctx context.Context, template string) (*Database, error) {
	name := fmt.Sprintf("test_%d", c.clones.Add(1))
	err := c.exec(ctx, fmt.Sprintf("CREATE DATABASE %s OWNER %s TEMPLATE %s STRATEGY file_copy", name, server.Role, template))
	if err != nil {
		return nil, err
	}
	db := &Database{
		URL:      server.URL(c.dir, server.Role, name),
		AdminURL: server.URL(c.dir, server.Superuser, name),
		name:     name, template: template, spoiled: true,
	}
	db.admin, err = server.Pool(context.WithoutCancel(ctx), db.AdminURL+"&timezone=UTC&pool_max_conns=16&application_name="+adminOfTests)
	if err != nil {
		return nil, errors.Join(err, c.drop(ctx, db))
	}
	return db, nil
}

// adminOfTests is the name by which empty.sql knows the connections that stay open.
const adminOfTests = "pgtest"

func (c *cluster) drop(ctx context.Context, db *Database) error {
	if db.admin != nil {
		db.admin.Close()
	}
	return c.exec(ctx, "DROP DATABASE "+db.name+" WITH (FORCE)")
}

func (c *cluster) exec(ctx context.Context, sql string) error {
	if _, err := c.admin.Exec(ctx, sql); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}

// ramdisk returns a directory in memory, if the system has one with room for a few dozen databases of 8 MB, or else /tmp. The path of
// os.TempDir may be too long for a socket.
func ramdisk() string {
	const (
		shm  = "/dev/shm"
		room = 1 << 30
	)
	var stat syscall.Statfs_t
	if err := syscall.Statfs(shm, &stat); err == nil && stat.Bavail*uint64(stat.Bsize) >= room {
		return shm
	}
	return "/tmp"
}

//go:embed empty.sql
var emptySQL string

// take returns the database that was given back last, because its pages are still in memory, or makes one.
func (c *cluster) take(ctx context.Context, template string) (*Database, error) {
	c.mu.Lock()
	if free := c.free[template]; len(free) > 0 {
		defer c.mu.Unlock()
		last := len(free) - 1
		c.free[template] = free[:last]
		return free[last], nil
	}
	c.mu.Unlock()
	db, err := c.clone(ctx, template)
	if err != nil {
		return nil, err
	}
	db.spoiled = false
	if _, err = db.admin.Exec(ctx, emptySQL); err == nil {
		err = db.admin.QueryRow(ctx, `SELECT pgtest.state()`).Scan(&db.state)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("prepare a database: %w", err), c.drop(context.WithoutCancel(ctx), db))
	}
	return db, nil
}

// giveBack empties a database for the next test, or drops it. It returns an error if the test has changed more than rows.
func (c *cluster) giveBack(ctx context.Context, db *Database) error {
	admin, whole := resetSessions(ctx, db.admin)
	if db.spoiled || !whole {
		return c.drop(ctx, db)
	}
	own, whole := resetSessions(ctx, db.Pool)
	if !whole {
		db.Pool.Close()
		db.Pool = nil
	}
	var (
		state string
		worn  bool
	)
	err := db.admin.QueryRow(ctx, `SELECT state, worn FROM pgtest.empty($1)`, append(admin, own...)).Scan(&state, &worn)
	if err == nil && state != db.state {
		err = fmt.Errorf("the test changed more than rows and did not call Spoil on its database, which was\n%s\nand is\n%s",
			db.state, state)
	}
	if err != nil || worn {
		return errors.Join(err, c.drop(ctx, db))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.free[db.template] = append(c.free[db.template], db)
	return nil
}

// Spoil lets the test change the schema of the database, its settings, or rows of its migrations. The database is dropped when the test
// ends.
func (d *Database) Spoil(t testing.TB) {
	t.Helper()
	if d.spoiled {
		return
	}
	d.spoiled = true
	_, err := d.admin.Exec(t.Context(), `
		DROP EVENT TRIGGER pgtest_changed;
		DROP EVENT TRIGGER pgtest_dropped;
		SET LOCAL client_min_messages = warning;
		DROP SCHEMA pgtest CASCADE`)
	must.Thatf(t, err == nil, "pgtest: %v", err)
}

// resetSessions resets the connections of a pool for the next test. Their prepared statements stay, because planning them again takes
// longer than most tests. It reports whether the pool is whole: the test has not closed it and uses no connection.
func resetSessions(ctx context.Context, pool *pgxpool.Pool) (pids []uint32, whole bool) {
	for _, conn := range pool.AcquireAllIdle(ctx) {
		_, err := conn.Exec(ctx, `
			SET SESSION AUTHORIZATION DEFAULT; RESET ALL; SELECT pg_advisory_unlock_all();
			UNLISTEN *; DISCARD SEQUENCES; DISCARD TEMP`, pgx.QueryExecModeSimpleProtocol)
		if err == nil {
			pids = append(pids, conn.Conn().PgConn().PID())
		}
		conn.Release()
	}
	return pids, len(pids) > 0 && len(pids) == int(pool.Stat().TotalConns())
}

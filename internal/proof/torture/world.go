package torture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"onlyonce/internal/postgres/server"
	"onlyonce/internal/proof/proxy"
	"onlyonce/internal/proof/redis"
	processes "onlyonce/internal/proof/replica"
)

// Short periods, so that in every run results expire while intents are still sent.
const (
	retain      = time.Second
	expireEvery = 250 * time.Millisecond
	// keyWait is shorter than answerTimeout, so that clients get the answer "in progress".
	keyWait = 500 * time.Millisecond
)

// secret is the key with which the replicas seal shared data. It has 32 bytes and need not be secret here.
const secret = "dG9ydHVyZSB0b3J0dXJlIHRvcnR1cmUgdG9ydHVyZSE="

// settling bounds the waits for a state of rest.
const settling = 2 * time.Minute

// world is the system under test: two replicas of the real server on a separate PostgreSQL server, with a proxy on each connection.
//
//	clients → front[i] → replicas[i] → back[i] → db
//	                                 → side[i] → redis
type world struct {
	dir      string // holds all files of the run
	account  server.Account
	db       *database // nil with a cluster
	cluster  *Cluster
	pooler   Pooler
	pooling  func() // ends the pooler; nil without one
	leash    *processes.Leash
	env      []string // of the replicas, in addition to the common ones
	replicas [2]*replica
	front    [2]*proxy.Proxy
	back     [2]*proxy.Proxy
	redis    *redis.Server
	side     [2]*proxy.Proxy
	addrs    addresses
	// strangers has the replicas' addresses for people without a tenant.
	strangers [2]string

	restarting sync.Mutex // held while Redis restarts

	deaths reports // replicas that ended unexpectedly
}

// newWorld starts the world. The two replicas start at once, on an empty database: both find the migrations pending, and the demo
// data missing.
func newWorld(ctx context.Context, cfg Config, env ...string) (*world, error) {
	account, err := server.ChooseAccount("")
	if err != nil {
		return nil, err
	}
	// In /tmp, because the path of a socket must be short.
	dir, err := account.MkdirTemp("/tmp", "onlyonce-torture-")
	if err != nil {
		return nil, err
	}
	w := &world{dir: dir, account: account, pooler: cfg.Pooler, env: env}
	if err := w.start(ctx, cfg); err != nil {
		return nil, errors.Join(fmt.Errorf("in %s: %w", dir, err), w.stop(context.WithoutCancel(ctx)))
	}
	return w, nil
}

func (w *world) start(ctx context.Context, cfg Config) (err error) {
	program, err := build(ctx, w.dir, cfg.Without.replaced...)
	if err != nil {
		return err
	}
	if w.leash, err = processes.NewLeash(ctx); err != nil {
		return err
	}
	if w.redis, err = redis.Start(ctx, w.dir); err != nil {
		return err
	}
	network, address, err := w.startDatabase(ctx, cfg)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	for i := range w.replicas {
		if cells := w.cells(); cells != nil && i == 1 {
			address = cells.Addr
		}
		if err := w.connect(ctx, i, program, network, address); err != nil {
			return err
		}
	}
	if err := w.lead(ctx); err != nil {
		return err
	}
	return w.revive(ctx)
}

// cells returns the second database, or nil if the replicas share one.
func (w *world) cells() *Cells {
	if w.cluster == nil {
		return nil
	}
	return w.cluster.Cells
}

// lead determines the addresses for the clients of each tenant.
func (w *world) lead(ctx context.Context) error {
	replicas := [2]string{w.front[0].Addr(), w.front[1].Addr()}
	for tenant := range w.addrs {
		w.addrs[tenant] = replicas
	}
	w.strangers = replicas
	cells := w.cells()
	if cells == nil {
		return nil
	}
	w.strangers[1] = replicas[0] // a sign-up stays in its cell
	led, err := cells.Lead(ctx, replicas)
	for tenant, addr := range led {
		w.addrs[tenant] = [2]string{addr, addr}
	}
	return err
}

func (w *world) startDatabase(ctx context.Context, cfg Config) (network, address string, err error) {
	if cfg.Cluster != nil {
		if w.cluster, err = cfg.Cluster(ctx, w.dir, w.account, w.leash.Group); err != nil {
			return "", "", err
		}
		w.pooling = w.cluster.EndPooler
		return w.cluster.Network, w.cluster.Addr, nil
	}
	if w.db, err = startDatabase(ctx, w.account, w.dir, cfg.Archive); err != nil {
		return "", "", err
	}
	sockets := w.db.config.SocketDir
	if w.pooler.Start != nil {
		if sockets, w.pooling, err = w.pooler.Start(ctx, w.dir, w.account, w.leash.Group, sockets); err != nil {
			return "", "", err
		}
	}
	return "unix", filepath.Join(sockets, ".s.PGSQL.5432"), nil
}

// admin connects directly, without the proxies, as the superuser, who bypasses row-level security.
func (w *world) admin(ctx context.Context) (*pgx.Conn, error) {
	if w.cluster != nil {
		return server.Connect(ctx, w.cluster.Admin())
	}
	return w.db.admin(ctx)
}

// revive starts both replicas at once.
func (w *world) revive(ctx context.Context) error {
	var both errgroup.Group
	for _, r := range w.replicas {
		both.Go(func() error { return r.Revive(ctx) })
	}
	if err := both.Wait(); err != nil {
		return fmt.Errorf("start both replicas at once: %w", err)
	}
	return nil
}

// connect prepares replica i with the proxies on both sides.
func (w *world) connect(ctx context.Context, i int, program, network, address string) (err error) {
	if w.back[i], err = proxy.Listen(ctx, network, address); err != nil {
		return err
	}
	if w.side[i], err = proxy.Listen(ctx, "unix", w.redis.Socket()); err != nil {
		return err
	}
	addr, err := processes.FreePort(ctx)
	if err != nil {
		return err
	}
	w.replicas[i] = &replica{Replica: processes.Replica{
		Program: program,
		Addr:    addr,
		Group:   w.leash.Group,
		Log:     filepath.Join(w.dir, fmt.Sprintf("replica-%d.log", i)),
		Died:    func(err error) { w.deaths.reportf("no replica ends by itself", "%v", err) },
		Env: append(append(os.Environ(),
			"ADDR="+addr,
			"METRICS_ADDR=off",
			"DEMO=1",
			"ALLOW_PRIVATE_ENDPOINTS=1",
			"RATE_LIMIT=0",
			"DATABASE_URL=postgres://"+server.Role+"@"+w.back[i].Addr()+"/"+server.Database+"?sslmode=disable"+w.pooler.Parameters,
			"REDIS_URL=redis://"+w.side[i].Addr(),
			"SECRET_KEY="+secret,
			"IDEMPOTENCY_RETAIN="+retain.String(),
			"EXPIRE_EVERY="+expireEvery.String(),
			"IDEMPOTENCY_WAIT="+keyWait.String(),
		), w.env...),
	}}
	w.front[i], err = proxy.Listen(ctx, "tcp", addr)
	return err
}

// heal ends all disturbances and waits until both replicas serve.
func (w *world) heal(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	var all errgroup.Group
	for i, r := range w.replicas {
		w.front[i].Heal()
		w.back[i].Heal()
		w.side[i].Heal()
		all.Go(func() error {
			if err := r.Ready(ctx); !errors.Is(err, processes.ErrGone) {
				return err
			}
			return r.Revive(ctx)
		})
	}
	if err := all.Wait(); err != nil {
		return fmt.Errorf("wait for the replicas to serve again: %w", err)
	}
	return nil
}

// drain stops both replicas gracefully. They must leave nothing unfinished in the database.
func (w *world) drain(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	var all errgroup.Group
	for i, r := range w.replicas {
		w.front[i].Close()
		all.Go(func() error { return r.End(ctx, syscall.SIGTERM) })
	}
	if err := all.Wait(); err != nil {
		return fmt.Errorf("stop the replicas in order: %w", err)
	}
	if w.pooling != nil {
		w.pooling()
	}
	return nil
}

func (w *world) killReplicas(ctx context.Context) error {
	var errs []error
	for _, r := range w.replicas {
		if r != nil {
			errs = append(errs, r.End(ctx, syscall.SIGKILL))
		}
	}
	return errors.Join(errs...)
}

// stop ends all processes. The directory stays.
func (w *world) stop(ctx context.Context) error {
	var errs []error
	for i := range w.replicas {
		for _, p := range []*proxy.Proxy{w.front[i], w.back[i], w.side[i]} {
			if p != nil {
				p.Close()
			}
		}
	}
	errs = append(errs, w.killReplicas(ctx))
	if w.pooling != nil {
		w.pooling()
	}
	if w.redis != nil {
		w.redis.Stop()
	}
	if w.cluster != nil {
		errs = append(errs, w.cluster.Stop(ctx))
	}
	if w.leash != nil {
		w.leash.Release()
	}
	if w.db != nil {
		errs = append(errs, w.db.stop(ctx))
	}
	return errors.Join(errs...)
}

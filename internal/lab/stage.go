package lab

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"onlyonce/internal/postgres/server"
	"onlyonce/internal/proof/proxy"
	"onlyonce/internal/proof/replica"
)

// stage is the setting for one side of a run: a database and its replicas, with a proxy on each connection.
//
//	attempts → front[i] → replicas[i] → back[i] → database
type stage struct {
	program string
	leash   *replica.Leash
	run     *run
	side    int // number of the side in the result
	left    []string
	cluster *cluster
	lanes   []lane
	keys    []string
	client  *http.Client

	database    string
	dir         string // for sockets and logs
	admin       *pgxpool.Pool
	replicas    []*replica.Replica
	front, back []*proxy.Proxy
	began       time.Time
	record      string // replaces {id} in the paths of requests

	mu        sync.Mutex
	committed []int          // lanes without an answer that were committed
	marks     map[string]int // lanes by the mark of their record
}

// conns is the number of connections of a replica for requests.
const conns = 8

func (s *stage) build(ctx context.Context, script script, without []Layer) (err error) {
	if s.database, err = s.cluster.clone(ctx); err != nil {
		return err
	}
	s.dir = filepath.Join(s.cluster.dir, s.database)
	if err := s.cluster.account.Mkdir(s.dir); err != nil {
		return err
	}
	url := server.URL(s.cluster.dir, server.Superuser, s.database) + "&timezone=UTC&pool_max_conns=3"
	if s.admin, err = server.Pool(ctx, url); err != nil {
		return fmt.Errorf("open the database of a run: %w", err)
	}
	for _, l := range without {
		for _, sql := range removal(l.Slug) {
			if _, err := s.admin.Exec(ctx, sql); err != nil {
				return fmt.Errorf("take %s away: %w", l.Slug, err)
			}
		}
	}
	env := script.env
	forgets := func(l Layer) bool { return l.Slug == intent || l.Slug == uniqueEvent }
	if slices.ContainsFunc(without, forgets) { // layers that a process also has in memory
		env = append(slices.Clip(env), "IDEMPOTENCY_MEMORY=0")
	}
	for n := range max(1, script.replicas) {
		if err := s.connect(ctx, n, env); err != nil {
			return err
		}
	}
	all, ctx := errgroup.WithContext(ctx)
	for _, r := range s.replicas {
		all.Go(func() error { return r.Revive(ctx) })
	}
	if err := all.Wait(); err != nil {
		return fmt.Errorf("start a server: %w%s", err, s.log())
	}
	return nil
}

func nameOf(n int) string { return fmt.Sprint("server ", n+1) }

// connect prepares replica n with the proxies on both sides.
func (s *stage) connect(ctx context.Context, n int, env []string) error {
	// A socket, so that no other user of this machine reaches the database through the proxy.
	dir := filepath.Join(s.dir, fmt.Sprintf("way-%d", n))
	if err := s.cluster.account.Mkdir(dir); err != nil {
		return err
	}
	back, err := proxy.ListenUnix(ctx, filepath.Join(dir, ".s.PGSQL.5432"), "unix", filepath.Join(s.cluster.dir, ".s.PGSQL.5432"))
	if err != nil {
		return err
	}
	s.back = append(s.back, back)
	addr, err := replica.FreePort(ctx)
	if err != nil {
		return err
	}
	front, err := proxy.Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	s.front = append(s.front, front)
	s.replicas = append(s.replicas, &replica.Replica{
		Program: s.program, Args: []string{"serve"}, Addr: addr, Group: s.leash.Group,
		Log: filepath.Join(s.dir, fmt.Sprintf("replica-%d.log", n)),
		// Without the app's environment, which has its database and mail server.
		Env: append([]string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "ADDR=" + addr, "METRICS_ADDR=off", "DEMO=0", "RATE_LIMIT=0",
			"DATABASE_URL=" + server.URL(dir, server.Role, s.database) + fmt.Sprintf("&pool_max_conns=%d", conns),
			"REPLICA=" + nameOf(n), "GOMAXPROCS=2", "GOMEMLIMIT=64MiB",
		}, env...),
	})
	return nil
}

// log returns the end of the replicas' logs, for the log of the lab.
func (s *stage) log() string {
	var text strings.Builder
	for _, r := range s.replicas {
		content, _ := os.ReadFile(r.Log) // missing if the replica never started
		fmt.Fprintf(&text, "\n%s", content[max(0, len(content)-1000):])
	}
	return text.String()
}

// remove ends the processes of the stage and drops its database, unless keep is set.
func (s *stage) remove(ctx context.Context, keep bool) error {
	var errs []error
	for _, r := range s.replicas {
		errs = append(errs, r.End(ctx, syscall.SIGKILL))
	}
	for _, p := range slices.Concat(s.front, s.back) {
		p.Close()
	}
	if s.admin != nil {
		s.admin.Close()
	}
	if s.dir != "" {
		errs = append(errs, os.RemoveAll(s.dir))
	}
	if !keep && s.database != "" {
		errs = append(errs, s.cluster.exec(ctx, "DROP DATABASE IF EXISTS "+s.database+" WITH (FORCE)"))
	}
	return errors.Join(errs...)
}
